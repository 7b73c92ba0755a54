/* See words.h. */
#include "cc/driver_words.h"

void words_split(Arena *arena, Str line, StrVec *words) {
    Buf word = { 0 };
    for (size_t i = 0; i < line.len;) {
        while (i < line.len && line.at[i] == ' ') i++;
        if (i == line.len) break;
        buf_clear(&word);
        bool quoted = line.at[i] == '"';
        for (i += quoted; i < line.len && line.at[i] != (quoted ? '"' : ' '); i++) {
            if (line.at[i] == '\\' && i + 1 < line.len) i++;
            buf_char(&word, line.at[i]);
        }
        i += quoted;
        vec_push(words, arena_str(arena, buf_view(&word)));
    }
    buf_release(&word);
}
