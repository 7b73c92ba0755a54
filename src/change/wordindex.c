/* The index of wordindex.h: a list of uses for each word. Changes are read in their order, so a
 * word's last use is the one that grows. */
#include "change/wordindex.h"
#include "change/ctext.h"

#include <ctype.h>

typedef VEC(WordUse) WordUseVec;

struct WordIndex {
    Map number;            /* of each word + 1 */
    VEC(WordUseVec) lists; /* by number */
};

static WordUse *use_of(WordIndex *index, Str word, size_t change) {
    uint64_t *number = map_at(&index->number, word);
    if (!*number) {
        vec_push(&index->lists, (WordUseVec){ 0 });
        *number = index->lists.len;
    }
    WordUseVec *list = &index->lists.at[*number - 1];
    if (!list->len || vec_last(list).change != change)
        vec_push(list, (WordUse){ .change = change });
    return &list->at[list->len - 1];
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static void add_text(WordIndex *index, size_t change, Str text, bool good) {
    for (size_t i = 0, end; i < text.len; i = end) {
        for (end = i; end < text.len && is_word(text.at[end]);) end++;
        if (end == i) {
            end++;
            continue;
        }
        WordUse *use = use_of(index, str_sub(text, i, end), change);
        *(good ? &use->in_good : &use->in_bad) = true;
    }
    CScan scan = cscan_start(text, false);
    for (CToken t; (t = cscan_next(&scan)).kind != CTOKEN_END;) {
        if (t.kind != CTOKEN_WORD) continue;
        WordUse *use = use_of(index, t.text, change);
        ++*(good ? &use->was : &use->now);
    }
}

WordIndex *words_new(const ChangeSet *set) {
    WordIndex *index = mem_alloc(sizeof *index);
    for (size_t c = 0; c < set->changes.len; c++) {
        ChangeKind kind = set->changes.at[c].kind;
        if (kind != CHANGE_ADDED) add_text(index, c, change_good_text(set, c), true);
        if (kind != CHANGE_DELETED) add_text(index, c, change_bad_text(set, c), false);
    }
    return index;
}

void words_free(WordIndex *index) {
    if (!index) return;
    for (size_t i = 0; i < index->lists.len; i++) vec_release(&index->lists.at[i]);
    vec_release(&index->lists);
    map_release(&index->number);
    mem_free(index);
}

WordUses words_find(const WordIndex *index, Str word) {
    uint64_t number;
    if (!map_get(&index->number, word, &number)) return (WordUses){ 0 };
    const WordUseVec *list = &index->lists.at[number - 1];
    return (WordUses){ list->at, list->len };
}

const WordUse *words_use(WordUses uses, size_t change) {
    size_t from = 0, to = uses.len;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (uses.at[middle].change < change)
            from = middle + 1;
        else
            to = middle;
    }
    return from < uses.len && uses.at[from].change == change ? &uses.at[from] : NULL;
}
