/* The knobs of finding and applying changes, each with where its value comes from. */
#ifndef CULPRIT_CHANGE_CHANGE_KNOBS_H
#define CULPRIT_CHANGE_CHANGE_KNOBS_H

/* Two statements are one changed statement when this share of their tokens is common (ours: below
 * it pairs of unrelated statements appear). */
#define SPLIT_LIKENESS 0.5
/* Hunks with more than this many pairs of units are not cut (ours: bounds the alignment). */
#define SPLIT_MOST 250000
/* Gaps with more than this many pairs of functions are not looked through for functions under
 * another name (ours: bounds the comparison). */
#define ANCHOR_MOST 10000
/* Hunks within functions are used up to this many times the size of the shortest difference (ours).
 */
#define ANCHOR_WORTH 2.0
/* A removed file and an added one are one moved file when this share of their lines is common
 * (git's default for renames is 0.5). */
#define MOVE_LIKENESS 0.5

/* A name was changed throughout when this many lines say so, and this share of those that say
 * anything about it (ours: a line that was changed as well may look like another renaming). */
#define RENAME_VOTES 2
#define RENAME_SHARE 0.75

/* Between the end of a build and the next written source: file times of two writes must differ or
 * make sees nothing new (ext4 and tmpfs stamp with the kernel's tick of 4 ms). */
#define MTIME_GAP_S 0.02

#endif
