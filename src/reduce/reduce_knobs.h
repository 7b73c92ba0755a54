/* The numbers that control reduce, with the paper's value where there is one. */
#ifndef CULPRIT_REDUCE_REDUCE_KNOBS_H
#define CULPRIT_REDUCE_REDUCE_KNOBS_H

/* Seconds a test may take before it counts as "not interesting" (--timeout); without that option,
 * once the start has been tested: this many times what its slowest process took, within bounds. */
#define REDUCE_TIMEOUT 300.0
#define REDUCE_TIMEOUT_LEAST 10.0
#define REDUCE_TIMEOUT_TIMES 30.0
/* CPU seconds a candidate may run: this many times what the start ran, and at least that. */
#define REDUCE_RUN_LEAST 0.5
#define REDUCE_RUN_TIMES 4.0
/* CPU seconds any process of a script may take: this many times what the whole script took on the
 * program as it is now (at most on the start), in whole seconds (the granularity of the system's
 * limit). */
#define REDUCE_SCRIPT_TIMES 2.0
/* .. and all of its processes together: as many times that, and so many seconds more. */
#define REDUCE_SCRIPT_MORE 0.25
/* .. and any one of them as many times what one was seen to take, and so many seconds more. */
#define REDUCE_SCRIPT_EACH 0.2
/* Bytes that a process and its children may write: this many times what the start's wrote (of a
 * script, what it wrote on the program as it is now), and so many more: the reports of a sanitizer,
 * say. A program that only writes needs some 20 ms for those. */
#define REDUCE_WRITE_TIMES 1.25
#define REDUCE_WRITE_MORE (4ull << 20)
/* Seconds until a compiler that hangs is believed to hang (--hangs without --limit). */
#define REDUCE_HANG 20.0
/* A no that took more than this many times what the last yes took, and so many CPU seconds more,
 * was one of a program that hangs; words around a change by which it is known again, and words it
 * may change (stuck.h). */
#define REDUCE_STUCK_TIMES 1.5
#define REDUCE_STUCK_SECONDS 0.3
#define REDUCE_STUCK_AROUND 3
#define REDUCE_STUCK_EDITS 60
#define REDUCE_STUCK_LOOP 2
/* Bytes a test may write to one file, and to its output: a hostile test must not fill the disk. */
#define REDUCE_FILE_BYTES (512ull << 20)
#define REDUCE_OUTPUT_BYTES (8ull << 20)
/* Descendants looked at, and tried, as stand-ins for a node (Perses: a bounded breadth-first
 * search). */
#define REDUCE_HOIST_LOOK 120
#define REDUCE_HOIST_TRY 8
/* The first sweeps of one program leave nodes alone that are smaller than one of so many parts of
 * it: steps that change several places at once (early finders) remove more with fewer tests. */
#define REDUCE_COARSE 24
/* Levels looked down along the largest children for stand-ins of a large node. */
#define REDUCE_DEEP 4096
/* Children left out at the front of a run that stands in for a node (`template <..>`, `if (..)`).
 */
#define REDUCE_RUN_FRONT 3
/* Longest run of neighbouring children that is tried as one optional part of a rule. */
#define REDUCE_SPAN 4
/* Longest run of tokens that the last pass for C and C++ tries, and tokens of a program above which
 * that pass is left out (judge.c). */
#define REDUCE_JUDGE_RUN 4
#define REDUCE_JUDGE_TOKENS 400
/* Longest run of tokens that is tried as one at the end, and tokens of a program above which none
 * is (find_window.c; C-Vise: 16). */
#define REDUCE_WINDOW_RUN 16
#define REDUCE_WINDOW_TOKENS 150
/* Tokens of a program above which clang_delta is not used, and seconds one answer of it may take
 * (delta.c). */
#define REDUCE_DELTA_TOKENS 1000
#define REDUCE_DELTA_SECONDS 20.0
/* Times the start is tested to find out whether the test flakes: quick tests, slow ones. */
#define REDUCE_FIRST_RUNS ((Runs){ 5, 2 })
/* The first accepted steps are all tested a second time; after that one in REDUCE_CONFIRM_EVERY. */
#define REDUCE_CONFIRM_FIRST 20
#define REDUCE_CONFIRM_EVERY 8
/* Times the result is tested at the end. With one answer in ten wrong a wrong result passes a slow
 * test with probability 10^-4; whatever happened on the way, this is why the result of a run can be
 * trusted. */
#define REDUCE_LAST_RUNS ((Runs){ 5, 4 })
/* A flaky test is asked until "interesting" leads by this many answers: with one answer in ten
 * wrong a step is accepted wrongly with probability 0.1 * 9^-7, 2e-8; over 10^4 candidates 0.02%.
 */
#define REDUCE_FLAKE_LEAD 8
/* Seconds the marked program may run (unreached.c). */
#define REDUCE_PROFILE_SECONDS 5.0
/* Tokens of a program below which needed.c is left out; and it ends once finding one more item that
 * is needed takes less than one of so many parts away. */
#define REDUCE_NEEDED_TOKENS 2000
#define REDUCE_NEEDED_PART 50
/* Blocks of a program that are tried without what never ran, where the whole cannot go. */
#define REDUCE_UNREACHED_BLOCKS 16
/* Share of all test time that retesting accepted steps may take, and seconds it may always take. */
#define REDUCE_CONFIRM_SHARE 0.08
#define REDUCE_CONFIRM_SECONDS 2.0
/* A test that takes longer than this many seconds is slow. */
#define REDUCE_SLOW_TEST 0.5
/* Seconds between two writes of the best pair so far. */
#define REDUCE_SAVE_EVERY 1.0
/* Tokens of difference up to which every step is measured by an alignment of its own; above that
 * aligning costs more than testing, and the reducers' own bookkeeping is trusted. */
#define REDUCE_ALIGN_MOST 3000
/* Seconds that testing the result may take when time has already run out. */
#define REDUCE_GRACE 1.5
/* .. and where what its program should print is not known yet, without which it is not stored */
#define REDUCE_GRACE_UNKNOWN 8.0
/* Times the method is begun again after falling back (a test that flakes, another bug). */
#define REDUCE_AGAIN 6
/* Rounds of the outer loop at most (it ends by itself when nothing shrinks). */
#define REDUCE_ROUNDS 60

#endif
