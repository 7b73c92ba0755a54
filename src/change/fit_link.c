/* What a linker would say, from what each unit defines and uses.
 *
 * A name is undefined when a unit of the set uses it, none defines it, and in the versions as they
 * are whoever uses it finds it: what is missing there as well comes from a library. A static
 * function that went is undefined, too: its uses now look like those of a function elsewhere. A
 * name is defined twice when more units define it than in either version. A unit that could be
 * compiled with either version's flags uses what it uses with both. */
#include "change/fit_inside.h"

#include <ctype.h>

uint32_t fit_name(Fit *fit, Str name) {
    uint64_t *number = map_at(&fit->names, name);
    if (!*number) {
        vec_push(&fit->by_number, arena_str(&fit->arena, name));
        *number = fit->by_number.len;
    }
    return (uint32_t)(*number - 1);
}

static void count_end(Fit *fit, int side) {
    uint8_t *used = mem_alloc(fit->n_ends + 1);
    fit->defined[side] = ARENA_ARRAY(&fit->arena, uint32_t, fit->n_ends + 1);
    fit->external[side] = ARENA_ARRAY(&fit->arena, uint8_t, fit->n_ends + 1);
    for (size_t u = 0; u < fit->units.len; u++) {
        const FitAnswer *a = fit->units.at[u].end[side];
        for (size_t i = 0; a && i < a->n_symbols; i++) {
            if (a->symbols[i].local)
                fit->local[a->symbols[i].name] = 1;
            else if (a->symbols[i].defined)
                fit->defined[side][a->symbols[i].name]++;
            else
                used[a->symbols[i].name] = 1;
        }
    }
    for (size_t n = 0; n < fit->n_ends; n++)
        fit->external[side][n] = used[n] && !fit->defined[side][n];
    mem_free(used);
}

void fit_link_ends(Fit *fit) {
    fit->n_ends = fit->by_number.len;
    fit->local = ARENA_ARRAY(&fit->arena, uint8_t, fit->n_ends + 1);
    for (int side = 0; side < FIT_SIDES; side++) count_end(fit, side);
}

/* Whether a text defines a macro of this name. */
static bool defines_macro(Str text, Str name) {
    for (size_t at = 0; (at = str_find(text, name, at)) != STR_NONE; at++) {
        Str before = str_trim(str_sub(text, 0, at)), after = str_sub(text, at + name.len, text.len);
        bool word = after.len && (isalnum((unsigned char)after.at[0]) || after.at[0] == '_');
        if (!word && before.len < at && str_ends(before, "define")) return true;
    }
    return false;
}

/* A macro that went looks like a function that nobody declares. */
static bool is_macro(const Fit *fit, uint32_t name) {
    for (size_t f = 0; f < fit->set->files.len; f++) {
        const ChangeFile *file = &fit->set->files.at[f];
        Str text = fit->by_number.at[name];
        if (file->count && (defines_macro(file->bad, text) || defines_macro(file->good, text)))
            return true;
    }
    return false;
}

/* Whether a name is one of those that can be missed: some version defines it, and none takes it
 * from elsewhere. */
static bool is_ours(const Fit *fit, uint32_t name) {
    if (name >= fit->n_ends) return is_macro(fit, name);
    if (fit->external[0][name] || fit->external[1][name]) return false;
    return fit->defined[0][name] || fit->defined[1][name] || fit->local[name] ||
           is_macro(fit, name);
}

static uint32_t most_defined(const Fit *fit, uint32_t name) {
    if (name >= fit->n_ends) return 1;
    uint32_t a = fit->defined[0][name], b = fit->defined[1][name];
    uint32_t most = a > b ? a : b;
    return most ? most : 1;
}

static void say(Fit *fit, const FitSymbol *s, const char *what, Buf *log) {
    Str name = fit->by_number.at[s->name];
    buf_fmt(log, STR_FMT ":%u: error: %s '" STR_FMT "'\n", STR_ARG(s->path), s->line, what,
            STR_ARG(name));
}

static void note_defined(const FitAnswer *answer, uint8_t *maybe, uint32_t *sure) {
    for (size_t i = 0; answer && i < answer->n_symbols; i++) {
        const FitSymbol *s = &answer->symbols[i];
        if (!s->defined || s->local) continue;
        maybe[s->name] = 1;
        if (sure) sure[s->name]++;
    }
}

/* Says what is wrong with the symbols of one unit; used: room for a number for each name, by which
 * the units are told apart. */
static void link_unit(Fit *fit, const FitUnit *unit, uint32_t number, const uint8_t *maybe,
                      const uint32_t *sure, uint32_t *used, Buf *log) {
    const FitAnswer *other = unit->other;
    for (size_t i = 0; other && i < other->n_symbols; i++) used[other->symbols[i].name] = number;
    for (size_t i = 0; i < unit->taken->n_symbols; i++) {
        const FitSymbol *s = &unit->taken->symbols[i];
        if (s->local || (other && used[s->name] != number)) continue;
        if (s->defined && !unit->unsure && sure[s->name] > most_defined(fit, s->name))
            say(fit, s, "multiple definition of", log);
        else if (!s->defined && !maybe[s->name] && is_ours(fit, s->name))
            say(fit, s, "undefined reference to", log);
    }
}

bool fit_link(Fit *fit, Buf *log) {
    size_t n = fit->by_number.len, before = log->len;
    uint32_t *sure = mem_alloc((n + 1) * sizeof *sure), *used = mem_alloc((n + 1) * sizeof *used);
    uint8_t *maybe = mem_alloc(n + 1);
    for (size_t u = 0; u < fit->units.len; u++) {
        const FitUnit *unit = &fit->units.at[u];
        note_defined(unit->taken, maybe, unit->unsure ? NULL : sure);
        note_defined(unit->other, maybe, NULL);
    }
    for (size_t u = 0; u < fit->units.len; u++) {
        const FitUnit *unit = &fit->units.at[u];
        if (unit->taken && (!unit->unsure || unit->other))
            link_unit(fit, unit, (uint32_t)u + 1, maybe, sure, used, log);
    }
    mem_free(sure);
    mem_free(used);
    mem_free(maybe);
    return log->len == before;
}
