/* Models of the C library (models.h). */
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

static uint32_t string_size(Memory *memory, uint64_t address, uint64_t most) {
    char text[COPY_MOST];
    if (most > sizeof text) most = sizeof text;
    return most ? memory_string(memory, address, text, (uint32_t)most) : 0;
}

bool models_moved(Memory *memory, const char *name, const uint64_t *args, uint64_t result,
                  Moved *moved) {
    Str s = str_from(name);
    if (str_starts(s, "__")) s = str_sub(s, 2, s.len); /* __strcpy_chk and the like */
    if (str_ends(s, "_chk")) s.len -= 4;
    *moved = (Moved){ args[0], args[1], 0 };
    if (str_is(s, "strcpy") || str_is(s, "stpcpy")) {
        moved->size = string_size(memory, args[1], COPY_MOST);
    } else if (str_is(s, "strncpy")) {
        moved->size = string_size(memory, args[1], args[2]);
    } else if (str_is(s, "memcpy") || str_is(s, "memmove") || str_is(s, "mempcpy")) {
        moved->size = args[2] > COPY_MOST ? COPY_MOST : (uint32_t)args[2];
    } else if (str_is(s, "strdup") || str_is(s, "strndup")) {
        *moved = (Moved){ result, args[0], 0 };
        if (result)
            moved->size =
                string_size(memory, args[0], str_is(s, "strdup") ? COPY_MOST : args[1] + 1);
    } else if (str_is(s, "strcat") || str_is(s, "strncat")) {
        moved->size = string_size(memory, args[1], str_is(s, "strcat") ? COPY_MOST : args[2]);
        moved->to = args[0] + string_size(memory, args[0], COPY_MOST) - 1;
    } else {
        return false;
    }
    return moved->size > 0;
}

bool models_is_function(const char *name) {
    static const char *const names[] = {
        "strlen",
        "strcmp",
        "strncmp",
        "strchr",
        "strrchr",
        "strstr",
        "memcmp",
        "memchr",
        "atoi",
        "atol",
        "atof",
        "strtol",
        "strtoul",
        "strtod",
        "strtoll",
        "strtoull",
        "abs",
        "labs",
        "tolower",
        "toupper",
        "isalpha",
        "isdigit",
        "isspace",
        "strcasecmp",
        "strncasecmp",
        "strspn",
        "strcspn",
        "strpbrk",
        "sqrt",
        "pow",
        "sin",
        "cos",
        "exp",
        "log",
        "floor",
        "ceil",
        "fmod",
        "strcpy",
        "strcat",
        "strdup",
        "__ctype_b_loc",
        "__ctype_tolower_loc",
        "__ctype_toupper_loc",
        "sprintf",
        "snprintf",
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* The arguments of %s in a format, as long as each directive takes one argument. */
static unsigned format_strings(Memory *memory, uint64_t format, unsigned arg) {
    char text[256];
    unsigned strings = 0;
    uint32_t n = format < 4096 ? 0 : memory_string(memory, format, text, sizeof text - 1);
    text[n] = 0;
    for (const char *at = text; (at = strchr(at, '%')) && arg < MODELS_ARGS;) {
        at += 1 + strspn(at + 1, "-+ #0123456789.'hlLqjzt");
        if (!*at || *at == '*') break;
        if (*at == 's') strings |= 1u << arg;
        if (*at != '%') arg++;
        at++;
    }
    return strings;
}

unsigned models_strings(Memory *memory, const char *name, const uint64_t *args, uint32_t *most) {
    *most = READ_MOST;
    if (strcmp(name, "printf") == 0) return format_strings(memory, args[0], 1);
    if (strcmp(name, "fprintf") == 0) return format_strings(memory, args[1], 2);
    static const struct {
        const char *name;
        unsigned strings;
        int limit; /* argument that bounds the length; -1: none */
    } table[] = {
        { "strlen", 1, -1 },     { "strcmp", 3, -1 }, { "strcasecmp", 3, -1 }, { "strncmp", 3, 2 },
        { "strncasecmp", 3, 2 }, { "memcmp", 3, 2 },  { "strchr", 1, -1 },     { "strrchr", 1, -1 },
        { "strstr", 3, -1 },     { "memchr", 1, 2 },  { "atoi", 1, -1 },       { "atol", 1, -1 },
        { "atof", 1, -1 },       { "strtol", 1, -1 }, { "strtoul", 1, -1 },    { "strtoll", 1, -1 },
        { "strtoull", 1, -1 },   { "strtod", 1, -1 }, { "strspn", 3, -1 },     { "strcspn", 3, -1 },
        { "strpbrk", 3, -1 },    { "getenv", 1, -1 }, { "strnlen", 1, 1 },     { "puts", 1, -1 },
        { "fputs", 1, -1 },
    };
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (strcmp(name, table[i].name) != 0) continue;
        if (table[i].limit >= 0 && args[table[i].limit] < *most)
            *most = (uint32_t)args[table[i].limit];
        return table[i].strings;
    }
    return 0;
}
