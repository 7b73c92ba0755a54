/* Lists that go together: the names of columns and their values, what a function takes and what its
 * calls give it. Neither loses an element alone, and outside of C nobody says which belongs to
 * which. Three guesses: all lists of one length, all behind one word (from the end, for a method
 * takes one more than its calls show), and two that follow each other. Any language with brackets
 * and commas, or none that is known. */
#include "reduce/find/finders.h"
#include "tree/words.h"

enum { MOST_TOKENS = 2000, MOST_ELEMENTS = 64, MOST_LISTS = 500 };

typedef struct List {
    uint32_t open, close;          /* its brackets */
    uint32_t comma[MOST_ELEMENTS]; /* between its elements, then its end */
    size_t n;                      /* elements */
    Str word;                      /* before it; empty: none */
} List;
typedef VEC(List) Lists;

static char sign_of(const Doc *doc, uint32_t token) {
    Str text = tree_token_text(&doc->tree, token);
    return text.len == 1 && !words_is_letter(text.at[0]) ? text.at[0] : '\0';
}

static Str word_before(const Doc *doc, uint32_t token) {
    Str text = token ? tree_token_text(&doc->tree, token - 1) : (Str){ "", 0 };
    return text.len && words_is_letter(text.at[0]) ? text : (Str){ "", 0 };
}

static void end_element(List *list, uint32_t at) {
    if (list->n < MOST_ELEMENTS) list->comma[list->n] = at;
    list->n++;
}

/* In the order in which they end. */
static void find_lists(const Doc *doc, Lists *out) {
    Lists open = { 0 };
    for (uint32_t i = 0; i < doc->tree.tokens.len && out->len < MOST_LISTS; i++) {
        char c = sign_of(doc, i);
        if (c == '(' || c == '[' || c == '{') {
            vec_push(&open, ((List){ .open = i, .word = word_before(doc, i) }));
        } else if (open.len && c == ',') {
            end_element(&vec_last(&open), i);
        } else if (open.len && (c == ')' || c == ']' || c == '}')) {
            List list = vec_pop(&open);
            list.close = i;
            if (i > list.open + 1) end_element(&list, i);
            if (list.n && list.n <= MOST_ELEMENTS) vec_push(out, list);
        }
    }
    vec_release(&open);
}

/* Element k, with the comma before it or, the first one, with that behind it. */
static void drop(const List *list, size_t k, DocEdits *edits) {
    uint32_t from = k ? list->comma[k - 1] : list->open + 1;
    uint32_t end = list->comma[k] + (k == 0 && list->n > 1);
    for (uint32_t i = from; i < end; i++) vec_push(edits, ((DocEdit){ .token = i }));
}

static bool in_group(const List *list, const List *first, bool by_word) {
    return by_word ? str_eq(list->word, first->word) : list->n == first->n;
}

/* Whether a list before it begins the same group. */
static bool had(const Lists *lists, size_t i, bool by_word) {
    for (size_t k = 0; k < i; k++)
        if (in_group(&lists->at[k], &lists->at[i], by_word)) return true;
    return false;
}

/* Element k, counted from the end, of all lists in the group that have so many. */
static void add_group(const Target *t, const Lists *lists, size_t first, bool by_word, size_t k,
                      EditSets *out) {
    DocEdits edits = { 0 };
    size_t found = 0;
    for (size_t i = first; i < lists->len; i++) {
        const List *list = &lists->at[i];
        if (list->n <= k || !in_group(list, &lists->at[first], by_word)) continue;
        drop(list, list->n - 1 - k, &edits);
        found++;
    }
    if (found > 1) sets_add(t, out, &edits);
    vec_release(&edits);
}

static void add_groups(const Target *t, const Lists *lists, bool by_word, EditSets *out) {
    for (size_t i = 0; i < lists->len; i++) {
        const List *list = &lists->at[i];
        if (had(lists, i, by_word) || (by_word ? !list->word.len : list->n < 2)) continue;
        size_t most = 0;
        for (size_t k = i; k < lists->len; k++)
            if (in_group(&lists->at[k], list, by_word) && lists->at[k].n > most)
                most = lists->at[k].n;
        for (size_t k = most; k-- > 0;) add_group(t, lists, i, by_word, k, out);
    }
}

static void add_pair(const Target *t, const List *a, const List *b, EditSets *out) {
    for (size_t k = 0; k < a->n; k++) {
        DocEdits edits = { 0 };
        drop(a, k, &edits), drop(b, k, &edits);
        sets_add(t, out, &edits);
        vec_release(&edits);
    }
}

void find_parallels(const Target *t, const Shapes *shapes, EditSets *out) {
    const Doc *doc = target_doc(t);
    (void)shapes;
    const char *name = doc->tree.lang ? lang_name(doc->tree.lang) : "";
    bool c = doc->tree.lang && sets_speaks_c(doc);
    if (doc->count > MOST_TOKENS || c || strcmp(name, "llvm") == 0) return;
    Lists lists = { 0 };
    find_lists(doc, &lists);
    out->ordered = true;
    add_groups(t, &lists, false, out);
    add_groups(t, &lists, true, out);
    for (size_t i = 0; i + 1 < lists.len; i++) {
        const List *a = &lists.at[i], *b = &lists.at[i + 1];
        if (a->n == b->n && a->n > 1 && b->open > a->close) add_pair(t, a, b, out);
    }
    vec_release(&lists);
}
