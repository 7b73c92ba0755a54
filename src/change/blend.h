/* A change in parts: its text in bad with some of its edits reverted and the others left.
 *
 * One hunk often holds two things, a condition and the argument that the function around it was
 * given. Reverted as a whole it brings the old call back, and with it everything that the old
 * interface needs; reverted in parts it brings back the condition alone. The parts are edits of
 * tokens (of lines where there are preprocessor lines); outside of functions what is replaced comes
 * and goes in two parts, so that both declarations can be there, and so do names of files in a
 * build file. Whether a choice of parts compiles
 * is the parser's to say.
 *
 *     blend_read(set, change, function, &blend);  blend_text(&blend, use, &text);
 *     changeset_blend(set, change, text);  ..  blend_release(&blend) */
#ifndef CULPRIT_CHANGE_BLEND_H
#define CULPRIT_CHANGE_BLEND_H

#include "change/change.h"

#define NO_PART ((size_t)-1)

typedef struct BlendPart {
    size_t from, to; /* bytes of bad's text that go */
    Str comes;       /* text of good that comes in their place */
    bool spared;     /* a file that leaves a build file's list: it can stay beside what comes */
} BlendPart;

typedef struct Blend {
    Str bad; /* the change's text as it is; a view, like all texts here */
    Str good;
    VEC(BlendPart) parts; /* in order; empty: it cannot be divided */
} Blend;

/* Parts of a change of lines of a C file or a build file; none where there would be one alone
 * that is not spared. function: it lies within one. */
void blend_read(const ChangeSet *set, size_t change, bool function, Blend *blend);
void blend_release(Blend *blend);

/* Appends bad's text with the parts whose byte in use is not 0 reverted. */
void blend_text(const Blend *blend, const uint8_t *use, Buf *out);
/* Which of those parts stands at a place (both from 1) of the text that they make; column 0: the
 * first on the line. NO_PART: none does. */
size_t blend_part_at(const Blend *blend, const uint8_t *use, size_t line, size_t column);
/* What reverting a part does to a name. */
typedef enum BlendName { BLEND_NOTHING, BLEND_BRINGS, BLEND_TAKES } BlendName;
BlendName blend_part_name(const Blend *blend, size_t part, Str name);

#endif
