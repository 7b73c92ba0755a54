/* Models of the C library (models.h): the table of libc.h applied to memory. */
#include "trace/models.h"

void outside_note(Outside *o, Step call, const uint64_t *args, unsigned count) {
    OutsideCall *c = &o->calls[o->count++ % OUTSIDE_KEPT];
    c->step = call;
    c->count = count < OUTSIDE_ARGS ? count : OUTSIDE_ARGS;
    memcpy(c->args, args, c->count * sizeof *args);
}

Step outside_writer(const Outside *o, uint64_t address) {
    uint64_t n = o->count < OUTSIDE_KEPT ? o->count : OUTSIDE_KEPT;
    for (uint64_t i = 0; i < n; i++) {
        const OutsideCall *c = &o->calls[(o->count - 1 - i) % OUTSIDE_KEPT];
        for (unsigned a = 0; a < c->count; a++)
            if (c->args[a] > 4096 && address - c->args[a] < OUTSIDE_REACH) return c->step;
    }
    return DEF_OUTSIDE;
}

/* Bytes of a string, its NUL included if it is within the limit. */
static uint32_t string_size(Memory *memory, uint64_t address, uint64_t most) {
    char text[COPY_MOST];
    if (most > sizeof text) most = sizeof text;
    return most ? memory_string(memory, address, text, (uint32_t)most) : 0;
}

bool models_moved(Memory *memory, const LibcFunction *f, const uint64_t *args, uint64_t result,
                  Moved *moved) {
    *moved = (Moved){ args[0], args[1], 0 };
    switch (f ? (LibcCopy)f->copy : COPY_NONE) {
    case COPY_NONE: return false;
    case COPY_STRING: moved->size = string_size(memory, args[1], COPY_MOST); break;
    case COPY_COUNTED: moved->size = string_size(memory, args[1], args[2]); break;
    case COPY_BYTES: moved->size = args[2] > COPY_MOST ? COPY_MOST : (uint32_t)args[2]; break;
    case COPY_DUPLICATE:
    case COPY_DUPLICATE_PART:
        *moved = (Moved){ result, args[0], 0 };
        if (result)
            moved->size =
                string_size(memory, args[0], f->copy == COPY_DUPLICATE ? COPY_MOST : args[1] + 1);
        break;
    case COPY_APPEND:
    case COPY_APPEND_PART:
        moved->size = string_size(memory, args[1], f->copy == COPY_APPEND ? COPY_MOST : args[2]);
        moved->to = args[0] + string_size(memory, args[0], COPY_MOST) - 1;
        break;
    }
    return moved->size > 0;
}

/* The arguments of %s in a format, as long as each directive takes one argument. */
static unsigned format_strings(Memory *memory, uint64_t format, unsigned arg) {
    char text[256];
    unsigned strings = 0;
    uint32_t n = format < 4096 ? 0 : memory_string(memory, format, text, sizeof text - 1);
    text[n] = 0;
    for (const char *at = text; (at = strchr(at, '%')) && arg < LIBC_ARGS;) {
        const char *modifiers = at + 1;
        at += 1 + strspn(at + 1, "-+ #0123456789.'hlLqjzt");
        bool wide = memchr(modifiers, 'l', (size_t)(at - modifiers)) != NULL;
        if (!*at || *at == '*') break;
        if (*at == 's' && !wide) strings |= 1u << arg;
        if (*at != '%') arg++;
        at++;
    }
    return strings;
}

unsigned models_strings(Memory *memory, const LibcFunction *f, const uint64_t *args, uint32_t *most,
                        bool *whole) {
    *most = READ_MOST;
    *whole = false;
    if (!f) return 0;
    if (f->text == TEXT_FORMAT)
        return 1u << f->text_arg | format_strings(memory, args[f->text_arg], f->text_arg + 1u);
    if (f->strings && f->limit && args[f->limit - 1] <= *most) {
        *most = (uint32_t)args[f->limit - 1];
        *whole = true;
    }
    return f->strings;
}
