/* A hash table of strings on the heap, then sorted output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct Entry {
    struct Entry *next;
    char *word;
    int count;
} Entry;
static Entry *table[256], *all[4000];
static int used;
static void add(const char *word) {
    unsigned h = 5381;
    for (const char *p = word; *p; p++) h = h * 33 + (unsigned char)*p;
    for (Entry *e = table[h % 256]; e; e = e->next)
        if (strcmp(e->word, word) == 0) {
            e->count++;
            return;
        }
    Entry *e = malloc(sizeof *e);
    *e = (Entry){ table[h % 256], strdup(word), 1 };
    table[h % 256] = all[used++] = e;
}
static int by_count(const void *a, const void *b) {
    const Entry *x = *(Entry *const *)a, *y = *(Entry *const *)b;
    return x->count != y->count ? y->count - x->count : strcmp(x->word, y->word);
}
int main(void) {
    unsigned seed = 1;
    char word[16];
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1103515245 + 12345;
        snprintf(word, sizeof word, "w%u", (seed >> 16) % 997);
        add(word);
    }
    qsort(all, (size_t)used, sizeof *all, by_count);
    for (int i = 0; i < 20; i++) printf("%s %d\n", all[i]->word, all[i]->count);
    return 0;
}
