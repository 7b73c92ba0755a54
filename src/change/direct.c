/* The makefile of a build without the user's; see direct.h. */
#include "change/direct.h"
#include "base/file.h"
#include "base/shell.h"

#include <stdlib.h>

#define ROOT_MARK '\2'

typedef struct DirectUnit {
    const char *dir;    /* from the root; "." */
    const char *object; /* from the root; NULL: compiled and linked in one go */
    const char *source; /* the same */
    StrVec args;
} DirectUnit;

typedef struct DirectLink {
    const char *dir, *program; /* from the root */
    StrVec words;
} DirectLink;

typedef struct Direct {
    Arena arena;
    const char *root; /* of the tree that is being read */
    const char *bad_root, *good_root;
    VEC(DirectUnit) units;
    size_t bad_units; /* the first ones are bad's, the others only good's */
    VEC(DirectLink) links;
    StrVec archives; /* from the root, in the order of their numbers */
    Buf out;
    const char *why;
} Direct;

static bool fails(Direct *d, const char *why) {
    d->why = why;
    return false;
}

/* ---- paths ---- */

/* A path from the root, without "." and ".."; NULL: it lies elsewhere. */
static const char *below(Direct *d, const char *dir, Str path) {
    Str rest = path, part, root = str_from(d->root);
    if (!path.len || path.at[0] != '/')
        rest = str_from(arena_fmt(&d->arena, "%s/" STR_FMT, dir, STR_ARG(path)));
    if (!str_starts(rest, d->root) || (rest.len > root.len && rest.at[root.len] != '/'))
        return NULL;
    rest = str_sub(rest, root.len, rest.len);
    StrVec parts = { 0 };
    bool outside = false;
    while (str_split(&rest, '/', &part)) {
        if (!part.len || str_is(part, ".")) continue;
        outside |= str_is(part, "..") && !parts.len;
        if (!str_is(part, ".."))
            vec_push(&parts, part);
        else if (parts.len)
            parts.len--;
    }
    Buf out = { 0 };
    for (size_t i = 0; i < parts.len; i++)
        buf_fmt(&out, "%s" STR_FMT, i ? "/" : "", STR_ARG(parts.at[i]));
    const char *plain =
        outside ? NULL : arena_cstr(&d->arena, parts.len ? buf_view(&out) : STR("."));
    buf_release(&out);
    vec_release(&parts);
    return plain;
}

/* Names that make reads as they are. */
static bool is_plain(const char *path) {
    for (const char *c = path; *c; c++)
        if (!strchr("_-+./,@", *c) &&
            !((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            return false;
    return true;
}

static bool exists(Direct *d, const char *path) {
    return file_exists(file_join(&d->arena, d->root, path));
}

/* ---- reading ---- */

/* Arguments that write files, warn, or belong to the wrapper's own way of compiling. */
static bool is_left_out(Str arg, bool *with_next) {
    *with_next = str_is(arg, "-MF") || str_is(arg, "-MT") || str_is(arg, "-MQ");
    return *with_next || str_starts(arg, "-M") || str_starts(arg, "-Wp,") ||
           (str_starts(arg, "-W") && !str_starts(arg, "-Wl,") && !str_starts(arg, "-Wa,"));
}

static bool is_same(const DirectUnit *a, const DirectUnit *b) {
    bool objects =
        a->object && b->object ? strcmp(a->object, b->object) == 0 : !a->object == !b->object;
    return objects && strcmp(a->source, b->source) == 0;
}

/* A word with a mark in place of the root of the tree that it was noted in. */
static Str neutral(Direct *d, Str word) {
    Buf marked = { 0 };
    Str root = str_from(d->root);
    for (size_t at = 0; at < word.len;) {
        size_t found = str_find(word, root, at);
        buf_add(&marked, word.at + at, (found == STR_NONE ? word.len : found) - at);
        if (found != STR_NONE) buf_char(&marked, ROOT_MARK);
        at = found == STR_NONE ? word.len : found + root.len;
    }
    Str kept = arena_str(&d->arena, buf_view(&marked));
    buf_release(&marked);
    return kept;
}

static bool read_unit(Direct *d, const StrVec *words) {
    const char *dir = words->at[1].at;
    bool whole = str_is(words->at[2], DIRECT_NO_OBJECT);
    DirectUnit unit = { .dir = below(d, dir, STR(".")),
                        .object = whole ? NULL : below(d, dir, words->at[2]),
                        .source = below(d, dir, words->at[3]) };
    if (!unit.source || !exists(d, unit.source)) return true; /* a question of configure */
    if (!unit.dir || (!whole && !unit.object)) return fails(d, "objects lie outside of the tree");
    if (!is_plain(unit.source) || !is_plain(unit.dir)) return fails(d, "a name make cannot read");
    for (size_t u = 0; u < d->units.len; u++)
        if (is_same(&d->units.at[u], &unit)) return true; /* compiled again, or in both versions */
    for (size_t i = 4; i < words->len; i++) {
        bool with_next;
        if (!is_left_out(words->at[i], &with_next)) vec_push(&unit.args, neutral(d, words->at[i]));
        i += with_next;
    }
    vec_push(&d->units, unit);
    return true;
}

static bool read_link(Direct *d, const StrVec *words) {
    const char *dir = words->at[1].at;
    DirectLink link = { .dir = below(d, dir, STR(".")), .program = below(d, dir, words->at[2]) };
    if (!link.dir || !link.program || !exists(d, link.program)) return true;
    if (!is_plain(link.program)) return fails(d, "a name make cannot read");
    for (size_t i = 3; i < words->len; i++) vec_push(&link.words, words->at[i]);
    for (size_t k = 0; k < d->links.len; k++)
        if (strcmp(d->links.at[k].program, link.program) == 0) {
            vec_release(&d->links.at[k].words);
            d->links.at[k] = link;
            return true;
        }
    vec_push(&d->links, link);
    return true;
}

static bool read_record(Direct *d, const StrVec *words, bool good) {
    if (words->len < 3) return true;
    if (str_is(words->at[0], DIRECT_COMPILE) && words->len >= 4) return read_unit(d, words);
    if (str_is(words->at[0], DIRECT_LINK) && !good) return read_link(d, words);
    if (str_is(words->at[0], DIRECT_FOREIGN)) return fails(d, "a source clang refuses");
    return true;
}

static bool read_list(Direct *d, const DirectTree *tree, bool good) {
    Str text, word, rest;
    char *real = realpath(tree->dir, NULL);
    d->root = arena_strdup(&d->arena, real ? real : tree->dir);
    free(real);
    *(good ? &d->good_root : &d->bad_root) = d->root;
    if (!file_read(&d->arena, tree->list, &text, NULL)) return fails(d, "nothing was noted");
    StrVec words = { 0 };
    bool ok = true;
    for (rest = text; ok && str_split(&rest, 0, &word);) {
        if (word.len) {
            vec_push(&words, word);
            continue;
        }
        ok = read_record(d, &words, good);
        vec_clear(&words);
    }
    vec_release(&words);
    return ok;
}

/* ---- archives ---- */

/* The unit whose object has this name, best in the archive's own directory; units.len: none. */
static size_t unit_named(const Direct *d, Str name, const char *archive) {
    size_t best = d->units.len;
    for (size_t u = 0; u < d->bad_units; u++) {
        const char *object = d->units.at[u].object;
        if (!object || !str_is(name, file_name(object))) continue;
        size_t dir = (size_t)(file_name(archive) - archive);
        bool beside = strncmp(object, archive, dir) == 0;
        if (best == d->units.len || beside) best = u;
    }
    return best;
}

static Str member_name(Str header, Str names) {
    uint64_t at;
    Str name = str_trim(str_sub(header, 0, 16));
    if (name.len > 1 && name.at[0] == '/' && str_to_u64(str_sub(name, 1, name.len), &at) &&
        at < names.len) {
        Str rest = str_sub(names, at, names.len);
        size_t end = str_find(rest, STR("/"), 0);
        return str_sub(rest, 0, end == STR_NONE ? rest.len : end);
    }
    return name.len && name.at[name.len - 1] == '/' ? str_sub(name, 0, name.len - 1) : name;
}

/* The objects of an archive that the user's build made, as make's variables. */
static bool write_members(Direct *d, const char *archive) {
    Str text, names = { "", 0 };
    if (!file_read(&d->arena, file_join(&d->arena, d->bad_root, archive), &text, NULL) ||
        !str_starts(text, "!<arch>\n"))
        return fails(d, "an archive cannot be read");
    for (size_t at = 8; at + 60 <= text.len;) {
        uint64_t size;
        Str header = str_sub(text, at, at + 60);
        if (!str_to_u64(str_trim(str_sub(header, 48, 58)), &size)) break;
        Str mark = str_trim(str_sub(header, 0, 16));
        Str body = str_sub(text, at + 60, at + 60 + size);
        at += 60 + size + size % 2;
        if (str_is(mark, "//")) names = body;
        if (str_is(mark, "//") || str_is(mark, "/") || str_is(mark, "/SYM64/")) continue;
        size_t u = unit_named(d, member_name(header, names), archive);
        if (u == d->units.len) return fails(d, "an archive holds what was not compiled here");
        buf_fmt(&d->out, " $(O%zu)", u);
    }
    return true;
}

/* The number of an archive below the tree. */
static size_t archive_number(Direct *d, const char *path) {
    for (size_t i = 0; i < d->archives.len; i++)
        if (str_is(d->archives.at[i], path)) return i;
    vec_push(&d->archives, str_from(path));
    return d->archives.len - 1;
}

/* ---- writing ---- */

/* A word of a command line: the root becomes the tree that is built. */
static void write_word(Direct *d, Str word) {
    Buf quoted = { 0 };
    shell_quote(&quoted, neutral(d, word));
    buf_char(&d->out, ' ');
    for (size_t i = 0; i < quoted.len; i++) {
        if (quoted.at[i] == ROOT_MARK)
            buf_text(&d->out, "$(T)");
        else if (quoted.at[i] == '$')
            buf_text(&d->out, "$$");
        else
            buf_char(&d->out, quoted.at[i]);
    }
    buf_release(&quoted);
}

/* Whether a build file in a directory above the unit's source, or beside it, names it in good and
 * not in bad: where such a file is there again, the unit takes part. Adds the question to out. */
static bool add_question(Direct *d, const char *source, Buf *out) {
    static const char *const names[] = { "Makefile",    "makefile",    "GNUmakefile",
                                         "Makefile.in", "Makefile.am", "CMakeLists.txt",
                                         "meson.build" };
    Str dir = str_from(source);
    for (;;) {
        while (dir.len && dir.at[dir.len - 1] != '/') dir.len--;
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            Str bad, good;
            char *path = arena_fmt(&d->arena, STR_FMT "%s", STR_ARG(dir), names[i]);
            bool names_it =
                file_read(&d->arena, file_join(&d->arena, d->good_root, path), &good, NULL) &&
                change_names_file(good, source);
            if (!names_it) continue;
            if (file_read(&d->arena, file_join(&d->arena, d->bad_root, path), &bad, NULL) &&
                change_names_file(bad, source))
                continue;
            const char *name = file_name(source), *dot = strrchr(name, '.');
            buf_fmt(out, "$(shell grep -l -E '(^|[^A-Za-z0-9_])%.*s[.]' $(T)/%s 2>/dev/null)",
                    (int)(dot - name), name, path);
            return true;
        }
        if (!dir.len) return false;
        dir.len--;
    }
}

/* Whether the unit takes part, as make's text. What only good compiles though bad has its source as
 * well is none of what is built until a build file names it again. */
static void write_condition(Direct *d, size_t u) {
    const char *source = d->units.at[u].source;
    bool idle = u >= d->bad_units && exists(d, source);
    if (!idle)
        buf_fmt(&d->out, "$(wildcard $(T)/%s)", source);
    else if (strrchr(file_name(source), '.'))
        add_question(d, source, &d->out);
}

static void write_unit(Direct *d, size_t u) {
    const DirectUnit *unit = &d->units.at[u];
    buf_fmt(&d->out, "O%zu := $(if ", u);
    write_condition(d, u);
    buf_fmt(&d->out,
            ",$(D)/%zu.o)\n"
            "$(D)/%zu.o: $(T)/%s | $(D)\n\t@cd $(T)/%s && $(CC) -w -MMD -MP -MF $(D)/%zu.d",
            u, u, unit->source, unit->dir, u);
    for (size_t i = 0; i < unit->args.len; i++) write_word(d, unit->args.at[i]);
    /* __FILE__ is part of what some programs print. */
    const char *from = strcmp(unit->dir, ".") == 0 ? "" : "$(T)/";
    buf_fmt(&d->out, " -c %s%s -o $@\n", from, unit->source);
}

/* The unit that a word of a link is; units.len: none. */
static size_t unit_of(Direct *d, const DirectLink *link, Str word) {
    const char *dir = file_join(&d->arena, d->root, link->dir);
    bool source = str_starts(word, DIRECT_SOURCE);
    const char *path = below(d, dir, source ? str_sub(word, 1, word.len) : word);
    for (size_t u = 0; path && u < d->bad_units; u++) {
        const DirectUnit *unit = &d->units.at[u];
        if (source ? !unit->object && strcmp(unit->source, path) == 0
                   : unit->object && strcmp(unit->object, path) == 0)
            return u;
    }
    return d->units.len;
}

/* The archive below the tree that a word of a link is, also as -lNAME; NULL: none. */
static const char *archive_of(Direct *d, const DirectLink *link, Str word) {
    const char *dir = file_join(&d->arena, d->root, link->dir);
    if (word.len && word.at[0] != '-') {
        const char *path = str_ends(word, ".a") ? below(d, dir, word) : NULL;
        return path && exists(d, path) ? path : NULL;
    }
    if (!str_starts(word, "-l")) return NULL;
    char *name = arena_fmt(&d->arena, "lib" STR_FMT ".a", STR_ARG(str_sub(word, 2, word.len)));
    for (size_t i = 0; i < link->words.len; i++) {
        Str at = link->words.at[i];
        if (!str_starts(at, "-L")) continue;
        Str in = str_sub(at, 2, at.len);
        if (!in.len && i + 1 < link->words.len) in = link->words.at[i + 1];
        const char *path =
            below(d, dir, str_from(arena_fmt(&d->arena, STR_FMT "/%s", STR_ARG(in), name)));
        if (path && exists(d, path)) return path;
    }
    return NULL;
}

/* What only good has comes last, with the archives and libraries once more. */
static void write_extra(Direct *d, const DirectLink *link) {
    if (d->bad_units == d->units.len) return;
    buf_text(&d->out, " $(if $(EXTRA),-Wl$(,)--start-group $(D)/extra.a");
    for (size_t i = 0; i < link->words.len; i++) {
        const char *archive = archive_of(d, link, link->words.at[i]);
        if (archive) buf_fmt(&d->out, " $(D)/a%zu.a", archive_number(d, archive));
    }
    buf_text(&d->out, " -Wl$(,)--end-group");
    for (size_t i = 0; i < link->words.len; i++)
        if (str_starts(link->words.at[i], "-l") && !archive_of(d, link, link->words.at[i]))
            write_word(d, link->words.at[i]);
    buf_text(&d->out, ")");
}

static bool write_link(Direct *d, size_t k) {
    const DirectLink *link = &d->links.at[k];
    Buf needs = { 0 }, rule = d->out;
    d->out = (Buf){ 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < link->words.len; i++) {
        Str word = link->words.at[i];
        size_t u = unit_of(d, link, word);
        const char *archive = u == d->units.len ? archive_of(d, link, word) : NULL;
        ok = u < d->units.len || !str_starts(word, DIRECT_SOURCE) ||
             fails(d, "a source is linked that was not compiled here");
        Buf *both[] = { &needs, &d->out };
        for (size_t b = 0; b < COUNT_OF(both); b++) {
            if (u < d->units.len) buf_fmt(both[b], " $(O%zu)", u);
            if (archive) buf_fmt(both[b], " $(D)/a%zu.a", archive_number(d, archive));
        }
        if (u == d->units.len && !archive) write_word(d, word);
    }
    write_extra(d, link);
    Buf words = d->out;
    d->out = rule;
    buf_fmt(&d->out, "link%zu: %s" STR_FMT " $(if $(EXTRA),$(D)/extra.a)\n", k,
            k ? arena_fmt(&d->arena, "link%zu", k - 1) : "", STR_ARG(buf_view(&needs)));
    buf_fmt(&d->out, "\t@cd $(T)/%s && $(CC) -w" STR_FMT " -o $(T)/%s\n", link->dir,
            STR_ARG(buf_view(&words)), link->program);
    buf_release(&needs);
    buf_release(&words);
    return ok;
}

static bool write_archives(Direct *d) {
    bool ok = true;
    for (size_t i = 0; ok && i < d->archives.len; i++) {
        buf_fmt(&d->out, "$(D)/a%zu.a: FORCE", i);
        ok = write_members(d, d->archives.at[i].at);
        buf_text(&d->out, "\n\t@rm -f $@ && ar rcs $@ $(filter %.o,$^)\n");
    }
    return ok;
}

static bool write_all(Direct *d) {
    d->root = d->bad_root;
    buf_text(&d->out, "T := $(CURDIR)\nD := $(T)/.culprit-direct\n, := ,\n.PHONY: all FORCE\n"
                      "all:\n\n");
    for (size_t u = 0; u < d->units.len; u++) write_unit(d, u);
    buf_text(&d->out, "EXTRA :=");
    for (size_t u = d->bad_units; u < d->units.len; u++) buf_fmt(&d->out, " $(O%zu)", u);
    buf_text(&d->out, "\n$(D)/extra.a: FORCE $(EXTRA)\n"
                      "\t@rm -f $@ && ar rcs $@ $(filter %.o,$^)\n");
    bool ok = d->links.len > 0 || fails(d, "no program was linked by culprit-cc");
    for (size_t k = 0; ok && k < d->links.len; k++) ok = write_link(d, k);
    ok = ok && write_archives(d);
    buf_fmt(&d->out, "all: link%zu\n.PHONY:", d->links.len - 1);
    for (size_t k = 0; k < d->links.len; k++) buf_fmt(&d->out, " link%zu", k);
    buf_text(&d->out, "\n$(D):\n\t@mkdir -p $@\n-include $(wildcard $(D)/*.d)\n");
    return ok;
}

bool direct_write(const DirectTree *bad, const DirectTree *good, const char *path,
                  const char **why) {
    Direct d = { 0 };
    bool ok = read_list(&d, bad, false);
    d.bad_units = d.units.len;
    ok = ok && read_list(&d, good, true) && write_all(&d);
    if (ok && !file_write(path, buf_view(&d.out), NULL)) ok = fails(&d, "it cannot be written");
    *why = d.why;
    for (size_t u = 0; u < d.units.len; u++) vec_release(&d.units.at[u].args);
    for (size_t k = 0; k < d.links.len; k++) vec_release(&d.links.at[k].words);
    vec_release(&d.units);
    vec_release(&d.links);
    vec_release(&d.archives);
    buf_release(&d.out);
    arena_release(&d.arena);
    return ok;
}

bool direct_is_blind(const ChangeSet *set, size_t change, bool varies) {
    static const char *const read[] = { ".c", ".h", ".inc", ".def" };
    Str path = change_path(set, change);
    if (set->changes.at[change].idle) return false;
    for (size_t i = 0; i < COUNT_OF(read); i++)
        if (str_ends(path, read[i])) return false;
    return varies || !change_is_build_file(path) || str_ends(path, ".in");
}
