/* culprit __complete cases|compilers: what shell completion asks for; one word per line, then a tab
 * and a description. Silent where there is nothing. */
#include "base/file.h"
#include "cc/compiler.h"
#include "command/commands.h"
#include "store/store.h"

enum { CASES_MOST = 100 };

static void print_cases(Store *store, Arena *arena) {
    Case *cases;
    size_t n;
    CaseFilter newest = { .limit = CASES_MOST, .descending = true };
    if (!store_case_list(store, arena, &newest, &cases, &n, NULL, NULL)) return;
    for (size_t i = 0; i < n; i++) {
        printf("%lld\t", (long long)cases[i].id);
        Str words[] = { cases[i].compiler, cases[i].flags, cases[i].verdict };
        for (size_t k = 0; k < COUNT_OF(words); k++)
            for (size_t c = 0; c <= words[k].len; c++) {
                char byte = c < words[k].len ? words[k].at[c] : ' ';
                putchar(byte < ' ' || byte == 127 ? '?' : byte);
            }
        putchar('\n');
    }
}

/* Names only: compilers are not run, since completion must not wait. */
static void print_compilers(Store *store, Arena *arena) {
    KnownCompiler *known;
    size_t n;
    if (store && store_compiler_list(store, arena, &known, &n, NULL))
        for (size_t i = 0; i < n; i++) printf(STR_FMT "\tknown\n", STR_ARG(known[i].name));
    static const char *const kinds[] = { "gcc", "clang" };
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (int version = 4; version < 40; version++) {
            const char *name = arena_fmt(arena, "%s-%d", kinds[k], version);
            if (file_find_program(arena, name)) printf("%s\tinstalled\n", name);
        }
    static const char *const plain[] = { "tcc", "pcc" };
    for (size_t k = 0; k < COUNT_OF(plain); k++)
        if (file_find_program(arena, plain[k])) printf("%s\tinstalled\n", plain[k]);
}

int complete_command(int argc, char **argv) {
    Arena arena = { 0 };
    if (argc < 2) return STATUS_BAD;
    Store *store = store_open(argc > 2 ? argv[2] : NULL, STORE_READ, NULL);
    if (strcmp(argv[1], "cases") == 0 && store)
        print_cases(store, &arena);
    else if (strcmp(argv[1], "compilers") == 0)
        print_compilers(store, &arena);
    store_close(store);
    arena_release(&arena);
    return STATUS_DONE;
}
