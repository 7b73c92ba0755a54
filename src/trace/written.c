/* The map from written bytes to arguments (written.h).
 *
 * For the printf family the format string is read from replayed memory, each directive is rendered
 * with its own argument, and the pieces are compared with what was written: as long as they agree,
 * the map is exact; where they stop agreeing, it is unknown. */
#include "trace/written.h"
#include "trace/code.h"

typedef struct Printer {
    Memory *memory;
    const OutCall *call;
    const uint8_t *bytes; /* what was written */
    OutByte *out;
    uint32_t size, at;      /* written bytes, and how many are explained */
    unsigned arg;           /* next argument */
    uint64_t list;          /* address of the va_list they come from; 0: from the call */
    uint32_t general, real; /* its offsets of the next integer and the next real argument */
    uint64_t overflow, saved;
    uint64_t slot; /* list: address of the last argument taken */
    bool lost;
} Printer;

static void fill(Printer *p, uint16_t operand, uint32_t n) {
    if (n > p->size - p->at) p->lost = true, n = p->size - p->at;
    for (uint32_t i = 0; i < n; i++)
        p->out[p->at + i] = (OutByte){ operand, (uint16_t)p->at, (uint16_t)n, 0, DEF_NONE, 0, 0 };
    p->at += n;
}

/* n bytes copied from memory, the first of them from address. */
static void fill_memory(Printer *p, uint16_t operand, uint64_t address, uint32_t n) {
    uint32_t start = p->at;
    fill(p, operand, n);
    for (uint32_t i = start; i < p->at; i++) {
        p->out[i].address = address + (i - start);
        p->out[i].writer = memory_writer(p->memory, p->out[i].address);
    }
}

/* ---- printf ---- */

static uint64_t believed(Printer *p, uint64_t address, uint32_t size) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++) {
        char byte;
        memory_string(p->memory, address + i, &byte, 1);
        value |= (uint64_t)(uint8_t)byte << (8 * i);
    }
    return value;
}

static void open_list(Printer *p, unsigned arg) {
    if (arg >= p->call->count) {
        p->lost = true;
        return;
    }
    p->list = p->call->args[arg];
    p->general = (uint32_t)believed(p, p->list, 4);
    p->real = (uint32_t)believed(p, p->list + 4, 4);
    p->overflow = believed(p, p->list + 8, 8);
    p->saved = believed(p, p->list + 16, 8);
    p->arg = arg;
}

/* As va_arg does it. */
static uint64_t next_listed(Printer *p, bool real) {
    uint32_t *offset = real ? &p->real : &p->general;
    if (*offset < (real ? 176u : 48u)) {
        p->slot = p->saved + *offset;
        *offset += real ? 16 : 8;
    } else {
        p->slot = p->overflow;
        p->overflow += 8;
    }
    return believed(p, p->slot, 8);
}

static uint64_t next_arg(Printer *p, bool real, unsigned *index) {
    *index = p->arg;
    if (p->list) return next_listed(p, real);
    if (p->arg >= p->call->count) {
        p->lost = true;
        return 0;
    }
    return p->call->args[p->arg++];
}

typedef struct Directive {
    char text[64]; /* "%-5", ready for a conversion */
    size_t len;
    unsigned longs;  /* l and ll; j, z, t count as one */
    unsigned shorts; /* h and hh */
    bool long_double;
    char conversion;
} Directive;

/* Parses what follows '%'; asterisks take arguments. Returns the place after the conversion. */
static const char *parse_directive(Printer *p, const char *at, Directive *d) {
    *d = (Directive){ .text = "%", .len = 1 };
    for (; *at && strchr("-+ #0123456789.'*", *at); at++) {
        if (d->len > 40) break;
        if (*at != '*') {
            d->text[d->len++] = *at;
            continue;
        }
        unsigned index;
        d->len += (size_t)snprintf(d->text + d->len, sizeof d->text - d->len, "%d",
                                   (int)next_arg(p, false, &index));
    }
    for (; *at && strchr("hlLqjzt", *at); at++) {
        if (*at == 'h')
            d->shorts++;
        else if (*at == 'L')
            d->long_double = true;
        else
            d->longs++;
    }
    d->conversion = *at;
    return *at ? at + 1 : at;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static int render_int(const Directive *d, uint64_t value, char *out, size_t size) {
    char format[80];
    bool is_signed = d->conversion == 'd' || d->conversion == 'i';
    snprintf(format, sizeof format, "%.*sll%c", (int)d->len, d->text, d->conversion);
    if (!d->longs) value = is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
    if (d->shorts == 1) value = is_signed ? (uint64_t)(int64_t)(int16_t)value : (uint16_t)value;
    if (d->shorts > 1) value = is_signed ? (uint64_t)(int64_t)(int8_t)value : (uint8_t)value;
    return is_signed ? snprintf(out, size, format, (long long)value)
                     : snprintf(out, size, format, (unsigned long long)value);
}

static int render_other(const Directive *d, uint64_t value, char *out, size_t size) {
    char format[80];
    double real;
    snprintf(format, sizeof format, "%.*s%c", (int)d->len, d->text, d->conversion);
    memcpy(&real, &value, sizeof real);
    if (d->conversion == 'c') return snprintf(out, size, format, (int)value);
    if (d->conversion == 'p') return snprintf(out, size, format, (void *)(uintptr_t)value);
    return snprintf(out, size, format, real);
}
#pragma GCC diagnostic pop

/* A string: its bytes in memory, with blanks before or after them when a width is given. */
static void print_string(Printer *p, const Directive *d, uint64_t address, unsigned index) {
    char text[4096], digits[64];
    uint32_t most = sizeof text - 1, width = 0;
    bool left = memchr(d->text, '-', d->len) != NULL;
    snprintf(digits, sizeof digits, "%.*s", (int)d->len - 1, d->text + 1);
    char *dot = strchr(digits, '.');
    if (dot) most = (uint32_t)strtoul(dot + 1, NULL, 10);
    if (dot) *dot = 0;
    width = (uint32_t)strtoul(digits + strspn(digits, "-+ #0"), NULL, 10);
    if (most > sizeof text - 1) most = sizeof text - 1;
    uint32_t n = address ? memory_string(p->memory, address, text, most) : 0;
    if (n && !text[n - 1]) n--;
    uint32_t pad = width > n ? width - n : 0;
    if (!left) fill(p, (uint16_t)index, pad);
    /* Strings last written by outside code may not be what memory is believed to hold: trust what
     * was written. */
    uint32_t agree = 0;
    while (agree < n && p->at + agree < p->size && p->bytes[p->at + agree] == (uint8_t)text[agree])
        agree++;
    if (agree < n) p->lost = true;
    fill_memory(p, (uint16_t)index, address, agree);
    if (left) fill(p, (uint16_t)index, pad);
}

static void print_directive(Printer *p, const Directive *d) {
    char text[512];
    unsigned index;
    if (d->conversion == '%') {
        fill(p, OUT_FIXED, 1);
        return;
    }
    if (d->long_double) { /* not among the narrow arguments */
        p->lost = true;
        return;
    }
    uint64_t value = next_arg(p, strchr("fFeEgGaA", d->conversion) != NULL, &index);
    if (p->lost) return;
    int n;
    if (d->conversion == 's') {
        print_string(p, d, value, index);
        return;
    }
    if (strchr("dixXou", d->conversion))
        n = render_int(d, value, text, sizeof text);
    else if (strchr("cpfFeEgGaA", d->conversion))
        n = render_other(d, value, text, sizeof text);
    else
        n = -1;
    if (n < 0 || (size_t)n >= sizeof text || p->at + (uint32_t)n > p->size ||
        memcmp(text, p->bytes + p->at, (size_t)n) != 0) {
        p->lost = true;
        return;
    }
    uint32_t start = p->at, size = d->longs || !strchr("dixXouc", d->conversion) ? 8 : 4;
    fill(p, (uint16_t)index, (uint32_t)n);
    for (uint32_t i = start; i < p->at; i++) {
        p->out[i].value = size == 4 ? (uint32_t)value : value;
        if (!p->list) continue;
        p->out[i].address = p->slot;
        p->out[i].writer = memory_writer(p->memory, p->slot);
        p->out[i].word = size;
    }
}

static void print_format(Printer *p, unsigned format_arg) {
    char format[4096];
    if (format_arg >= p->call->count) return;
    uint32_t n = memory_string(p->memory, p->call->args[format_arg], format, sizeof format - 1);
    format[n < sizeof format ? n : sizeof format - 1] = 0;
    if (!p->list) p->arg = format_arg + 1;
    for (const char *at = format; *at && !p->lost;) {
        if (*at != '%') {
            if (p->at >= p->size || p->bytes[p->at] != (uint8_t)*at)
                p->lost = true;
            else
                fill(p, OUT_FIXED, 1);
            at++;
            continue;
        }
        Directive d;
        at = parse_directive(p, at + 1, &d);
        print_directive(p, &d);
    }
}

/* ---- by function ---- */

void output_origins(Memory *memory, const OutCall *call, const uint8_t *bytes, uint32_t size,
                    OutByte *out) {
    Printer p = { .memory = memory, .call = call, .bytes = bytes, .out = out, .size = size };
    for (uint32_t i = 0; i < size; i++) out[i] = (OutByte){ OUT_UNKNOWN, 0, 0, 0, DEF_NONE, 0, 0 };
    const LibcFunction *f = call->function;
    unsigned arg = f ? f->text_arg : 0;
    if (!f || arg >= call->count) return;
    switch ((LibcText)f->text) {
    case TEXT_NONE: break;
    case TEXT_FORMAT: print_format(&p, arg); break;
    case TEXT_LIST:
        open_list(&p, arg + 1);
        print_format(&p, arg);
        break;
    case TEXT_BYTE: fill(&p, (uint16_t)arg, 1); break;
    case TEXT_LINE:
        if (size == 1 && bytes[0] == '\n') {
            fill(&p, OUT_FIXED, 1);
            break;
        }
        /* fall through */
    case TEXT_STRING:
    case TEXT_MEMORY: fill_memory(&p, (uint16_t)arg, call->args[arg], size); break;
    }
}
