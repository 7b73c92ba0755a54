/* Any bytes in any language: the first says which, two texts follow, separated by "\n%%\n". Their
 * tokens give back the bytes, their differences patch, and parsing only what changed finds no more
 * errors. */
#include "../tree/tree_check.h"
#include "fuzz.h"

static Lang *lang_numbered(unsigned n) {
    const char *const *names = lang_names();
    unsigned count = 0;
    while (names[count]) count++;
    Error err = { 0 };
    return n % (count + 1) == count ? NULL : lang_builtin(names[n % (count + 1)], &err);
}

static void check_edit(const Lang *lang, Str a, Str b) {
    Parser *parser = parser_new(lang);
    size_t front = 0, back = 0;
    while (front < a.len && front < b.len && a.at[front] == b.at[front]) front++;
    while (back < a.len - front && back < b.len - front &&
           a.at[a.len - 1 - back] == b.at[b.len - 1 - back])
        back++;
    TreeEdit edit = { (uint32_t)front, (uint32_t)(a.len - back), (uint32_t)(b.len - back - front) };
    parser_set(parser, a);
    parser_errors(parser, b, &edit, 1, 1000);
    parser_accept(parser, b, &edit, 1);
    Tree tree;
    Buf why = { 0 };
    parser_tree(parser, &tree);
    if (!tree_check(&tree, &why)) die_bug(__FILE__, __LINE__, "edited: %s", why.at);
    tree_release(&tree);
    parser_free(parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    Str rest = { (const char *)data + 1, size - 1 }, one = fuzz_part(&rest);
    Lang *lang = lang_numbered(data[0]);
    Tree a, b;
    Buf why = { 0 };
    tree_parse(lang, one, &a);
    tree_parse(lang, rest, &b);
    if (!tree_check(&a, &why) || !tree_check(&b, &why) || !tree_check_pair(&a, &b, &why))
        die_bug(__FILE__, __LINE__, "%s", why.at);
    tree_release(&a);
    tree_release(&b);
    check_edit(lang, one, rest);
    buf_release(&why);
    return 0;
}
