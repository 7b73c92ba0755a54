/* The table of languages, and their kinds of node; see lang.h. */
#include "tree/lang.h"
#include "base/file.h"
#include "tree/grammar.h"
#include <dlfcn.h>
#include <tree_sitter/api.h>

/* grammar.json of each built-in language, put into the program by facts.S */
#define BUILTIN(id)                                                                                \
    const TSLanguage *tree_sitter_##id(void);                                                      \
    extern const char culprit_facts_##id[], culprit_facts_##id##_end[];
BUILTIN(c)
BUILTIN(cpp)
BUILTIN(go)
BUILTIN(javascript)
BUILTIN(json)
BUILTIN(llvm)
BUILTIN(python)
BUILTIN(rust)

struct Lang {
    const char *name;
    const TSLanguage *parser;
    uint16_t *kind_of_symbol; /* tree-sitter's symbol -> our kind */
    VEC(const char *) names;  /* of the kinds */
    VEC(bool) named;          /* kind by kind: a named node, or a literal token */
    Map numbers;              /* "n:NAME" or "a:NAME" -> kind */
    Grammar *grammar;         /* NULL: not known */
};

typedef struct Builtin {
    const char *name;
    const char *others; /* aliases, each with a space on either side */
    const char *ends;   /* endings of file names, the same way */
    const TSLanguage *(*parser)(void);
    const char *facts, *facts_end;
    Lang *lang; /* made when first asked for */
} Builtin;

#define FACTS(id) tree_sitter_##id, culprit_facts_##id, culprit_facts_##id##_end
static Builtin builtins[] = {
    { "c", " C ", " .c .h .i ", FACTS(c), NULL },
    { "cpp", " c++ cxx cc C++ ", " .cc .cpp .cxx .c++ .hpp .hh .ii .C ", FACTS(cpp), NULL },
    { "go", " golang ", " .go ", FACTS(go), NULL },
    { "javascript", " js node ", " .js .mjs .cjs .jsx ", FACTS(javascript), NULL },
    { "json", " ", " .json ", FACTS(json), NULL },
    { "llvm", " ll llvm-ir ", " .ll ", FACTS(llvm), NULL },
    { "python", " py python3 ", " .py ", FACTS(python), NULL },
    { "rust", " rs ", " .rs ", FACTS(rust), NULL },
};

const char *const *lang_names(void) {
    static const char *names[COUNT_OF(builtins) + 1];
    for (size_t i = 0; i < COUNT_OF(builtins); i++) names[i] = builtins[i].name;
    return names;
}

static uint16_t add_kind(Lang *lang, const char *name, bool named) {
    Buf key = { 0 };
    buf_fmt(&key, "%c:%s", named ? 'n' : 'a', name);
    uint64_t *at = map_at(&lang->numbers, buf_view(&key));
    buf_release(&key);
    if (*at == 0) {
        *at = lang->names.len;
        vec_push(&lang->names, name);
        vec_push(&lang->named, named);
    }
    return (uint16_t)*at;
}

static Lang *make(const char *name, const TSLanguage *parser) {
    Lang *lang = mem_alloc(sizeof *lang);
    lang->name = name;
    lang->parser = parser;
    vec_push(&lang->names, "ERROR");
    vec_push(&lang->named, true);
    uint32_t count = ts_language_symbol_count(parser);
    lang->kind_of_symbol = mem_alloc(sizeof(uint16_t) * (count + 1));
    for (uint32_t s = 0; s < count; s++) {
        TSSymbolType type = ts_language_symbol_type(parser, (TSSymbol)s);
        const char *text = ts_language_symbol_name(parser, (TSSymbol)s);
        if (type == TSSymbolTypeAuxiliary || !text || s == 0) continue;
        lang->kind_of_symbol[s] = add_kind(lang, text, type != TSSymbolTypeAnonymous);
    }
    return lang;
}

/* Whether our tree-sitter accepts this parser at all (its ABI). */
static bool usable(const TSLanguage *parser, const char *name, Error *err) {
    TSParser *probe = ts_parser_new();
    bool ok = ts_parser_set_language(probe, parser);
    ts_parser_delete(probe);
    if (!ok)
        err_set(err, STATUS_BAD, "%s: grammar has ABI %u; this program takes %d to %d", name,
                ts_language_version(parser), TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION,
                TREE_SITTER_LANGUAGE_VERSION);
    return ok;
}

static Lang *of_builtin(Builtin *b) {
    if (b->lang) return b->lang;
    Lang *lang = make(b->name, b->parser());
    Error err = { 0 };
    Str facts = { b->facts, (size_t)(b->facts_end - b->facts) };
    lang->grammar = grammar_new(lang, facts, b->name, &err);
    if (!lang->grammar) die_bug(__FILE__, __LINE__, "%s", err.text);
    return b->lang = lang;
}

/* An empty word, or one with a space in it, would be found between the words. */
static bool has_word(const char *words, const char *word) {
    size_t n = strlen(word);
    if (n == 0 || strchr(word, ' ')) return false;
    for (const char *at = words; (at = strstr(at, word)); at++)
        if (at[-1] == ' ' && at[n] == ' ') return true;
    return false;
}

Lang *lang_builtin(const char *name, Error *err) {
    for (size_t i = 0; i < COUNT_OF(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0 || has_word(builtins[i].others, name))
            return of_builtin(&builtins[i]);
    Buf list = { 0 };
    for (size_t i = 0; i < COUNT_OF(builtins); i++) buf_fmt(&list, " %s", builtins[i].name);
    err_set(err, STATUS_BAD, "unknown language '%s'; built in are%s, others come with --grammar",
            name, list.at);
    buf_release(&list);
    return NULL;
}

Lang *lang_for_file(const char *path) {
    const char *dot = strrchr(file_name(path), '.');
    for (size_t i = 0; dot && i < COUNT_OF(builtins); i++)
        if (has_word(builtins[i].ends, dot)) return of_builtin(&builtins[i]);
    return NULL;
}

/* "dir/libtree-sitter-foo-bar.so.1" -> "foo_bar" */
static char *name_from_path(Arena *arena, const char *path) {
    Str name = str_from(file_name(path));
    if (str_starts(name, "lib")) name = str_sub(name, 3, name.len);
    if (str_starts(name, "tree-sitter-")) name = str_sub(name, 12, name.len);
    const char *dot = memchr(name.at, '.', name.len);
    if (dot) name.len = (size_t)(dot - name.at);
    char *copy = arena_cstr(arena, name);
    for (char *c = copy; *c; c++)
        if (*c == '-') *c = '_';
    return copy;
}

static Grammar *find_facts(Arena *arena, const Lang *lang, const char *path, Error *err) {
    Str dir = { path, (size_t)(file_name(path) - path) };
    const char *tries[] = { arena_fmt(arena, "%s.json", lang->name), "grammar.json",
                            "src/grammar.json" };
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        char *at = arena_fmt(arena, STR_FMT "%s", STR_ARG(dir), tries[i]);
        Str text;
        if (file_exists(at))
            return file_read(arena, at, &text, err) ? grammar_new(lang, text, at, err) : NULL;
    }
    return NULL;
}

Lang *lang_load(const char *path, Error *err) {
    static Arena arena; /* languages live as long as the program */
    static VEC(Lang *) loaded;
    char *name = name_from_path(&arena, path);
    /* Without a slash dlopen would search the system's directories. */
    const char *open = strchr(path, '/') ? path : arena_fmt(&arena, "./%s", path);
    void *object = dlopen(open, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        err_set(err, STATUS_BAD, "%s: %s", path, dlerror());
        return NULL;
    }
    char *symbol = arena_fmt(&arena, "tree_sitter_%s", name);
    const TSLanguage *(*parser)(void) = NULL;
    *(void **)&parser = dlsym(object, symbol);
    if (!parser) {
        err_set(err, STATUS_BAD, "%s: has no function %s", path, symbol);
        return NULL;
    }
    if (!usable(parser(), path, err)) return NULL;
    Lang *lang = make(name, parser());
    vec_push(&loaded, lang);
    Error bad = { 0 };
    lang->grammar = find_facts(&arena, lang, open, &bad);
    if (bad.status != STATUS_DONE) {
        *err = bad;
        return NULL;
    }
    return lang;
}

const char *lang_name(const Lang *lang) {
    return lang->name;
}

const TSLanguage *lang_parser(const Lang *lang) {
    return lang->parser;
}

unsigned lang_kinds(const Lang *lang) {
    return (unsigned)lang->names.len;
}

const char *lang_kind_name(const Lang *lang, unsigned kind) {
    return lang->names.at[kind];
}

bool lang_kind_named(const Lang *lang, unsigned kind) {
    return lang->named.at[kind];
}

unsigned lang_kind(const Lang *lang, const char *name, bool named) {
    Buf key = { 0 };
    buf_fmt(&key, "%c:%s", named ? 'n' : 'a', name);
    uint64_t kind = 0;
    map_get(&lang->numbers, buf_view(&key), &kind);
    buf_release(&key);
    return (unsigned)kind;
}

unsigned lang_kind_of_symbol(const Lang *lang, unsigned symbol) {
    return symbol < ts_language_symbol_count(lang->parser) ? lang->kind_of_symbol[symbol] : 0;
}

LangAnswer lang_allows(const Lang *lang, unsigned kind, const uint16_t *children, size_t n) {
    return lang->grammar ? grammar_allows(lang->grammar, kind, children, n) : LANG_UNKNOWN;
}

unsigned lang_field(const Lang *lang, const char *name) {
    return ts_language_field_id_for_name(lang->parser, name, (uint32_t)strlen(name));
}
