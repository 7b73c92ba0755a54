/* The knobs of explain, each with where its value comes from. */
#ifndef CULPRIT_EXPLAIN_EXPLAIN_KNOBS_H
#define CULPRIT_EXPLAIN_EXPLAIN_KNOBS_H

/* ---- builds and tests ---- */
#define BUILD_LIMIT_S 3600.0 /* a build that takes longer fails */
/* A test may take this many times what it took on the untouched versions; at least this long. */
#define TEST_LIMIT_TIMES 10.0
#define TEST_LIMIT_S 20.0
/* The same in CPU time, of each process of a test of a set of changes: with nothing else to wait
 * for, far less is enough to tell that it hangs (ours). */
#define TEST_CPU_S 2.0
#define TEST_FIRST_LIMIT_S 600.0 /* of the first runs, which measure */
/* Where both versions pass through the test in less CPU time, recording is not worth optimising
 * for: compiling the optimised recorder takes twenty times as long (ours). */
#define QUICK_TEST_S 0.25

/* A bad version whose test takes so many times the CPU time of the good one's, and at least so many
 * seconds, is recorded only from its beginning: so many bytes, and more for each second of the good
 * one (all ours). */
#define ENDLESS_TIMES 20.0
#define ENDLESS_LEAST_S 0.5
#define ENDLESS_BYTES 4.5e6
#define ENDLESS_RATE 1e9

/* ---- history ---- */
#define HISTORY_ASK_TWICE_S 5.0 /* a test that takes less is run twice on each commit (ours) */
#define HISTORY_TIME_SHARE 0.7  /* of the given time: the rest is for the commit itself (ours) */
/* Reserved for verifying an answer: this many times the build, at most this share of the whole
 * (ours). */
#define VERIFY_TIMES 1.5
#define VERIFY_SHARE 0.3

/* ---- searches ---- */
/* Algorithm 2 and 4 start with this many parts (the paper: 2). */
#define PARTS_AT_FIRST 2
/* How many times in a row auxiliary changes are taken from the compiler's messages before the
 * search of Algorithm 4 takes over (ours). */
#define AUX_GUESSES 40
#define AUX_GUESSES_FEW 10 /* where it is one of several candidates, */
#define AUX_MANY 60        /* and then no more changes than these */
/* Up to this many auxiliary changes are tested as they are; more are reduced first (ours). */
#define AUX_FEW 6

/* ---- builds without makefiles (ours) ---- */
#define DIRECT_SHARE 0.7 /* of a build's CPU time: what it may take to be worth it */
/* Where the user's own take less CPU time, the most suspected changes are tried before it is found
 * out. */
#define DIRECT_CHEAP_S 1.0

/* ---- before anything is recorded (all ours) ---- */
#define RECORD_BUILDS 2.5  /* what recording both versions costs: so many builds, */
#define RECORD_TIMES 40.0  /* and so many times the CPU time of the test */
#define EARLY_LEAST_S 10.0 /* recording that costs less is not waited for; */
#define EARLY_SHARE 0.25   /* a search before it may cost this part of that */
#define EARLY_BUILD 0.3    /* what a set costs, of a build from nothing, */
#define EARLY_SETS 2.0     /* and how many there are, times the logarithm of the units */
#define EARLY_UNBUILT 2    /* sets that do not build before the parser's help is waited for */

/* ---- closed sets (all ours) ---- */
/* Where a unit takes more than this part of the time of a build to parse, and more than so many
 * seconds, or both versions take more than the build itself, sets are built unasked. */
#define FIT_PARSE_SHARE 0.2
#define FIT_PARSE_LEAST_S 0.25
/* CPU time for closing one set by what the parser says: this part of a build, but at least so many
 * seconds, and more as long as all of them together take less than this share of the whole. */
#define FIT_WHOLE_SHARE 0.35
#define FIT_CLOSE_SHARE 0.5
#define FIT_CLOSE_LEAST_S 0.4
/* Sets after which the cost of parsing is compared with that of building. */
#define FIT_MEASURED 8
#define CLOSED_REPAIRS 3   /* times a set that does not build grows by what the compiler said, */
#define FITTING_REPAIRS 1  /* and one that the parser took for sound */
#define FIT_ROUNDS 200     /* times a set grows by what a parser said: the parser is cheap */
#define WHOLE_LEAST 32     /* changes of a passing set that is searched by whole functions first */
#define ROW_HALVED 2       /* needed units that are searched by halves; the others from the end */
#define HEAD_LINES 8       /* lines of a declaration that are looked at where a note points at it */
#define CONFIRM_MESSAGES 8 /* messages of one set that are tried to be answered, */
#define CONFIRM_MOST 16    /* each by so many changes, */
#define CONFIRM_OTHERS 48  /* changes it may be about that its words do not name */
#define LEARN_MESSAGES 2   /* messages of one build that edges are taken from */
#define BLAME_MESSAGES 4   /* messages of one set whose text leaves it */
#define LIGHTEN_LEAST 3    /* changes of an answer before some are left out with what complains */
#define LIGHTEN_WASTED 12  /* builds of that in a row that may take nothing away, */
#define LIGHTEN_PARSE_TIMES 4.0   /* and CPU time of the parser, as builds, */
#define LIGHTEN_PARSE_LEAST_S 4.0 /* but at least so many seconds */
#define THIN_MANY 8 /* changes for others' compiling: above it, some are reverted in part */
#define THIN_FEW 8  /* changes that are tried beside those that are wanted */
#define THIN_PARSE_TIMES 3.0   /* CPU time of the parser for one set in part, as builds, */
#define THIN_PARSE_LEAST_S 2.0 /* but at least so many seconds */
#define THIN_NEAR 60           /* lines from a message that says nothing more to a change */
#define THIN_WASTED 8          /* tries in a row that may take no change away, */
#define THIN_BUILDS 8          /* and builds altogether, */
#define THIN_SHARE 0.1         /* and this part of those that went before */
#define GUIDED_BUILDS 8  /* builds for candidates of the first causes before the search over all */
#define WEIGHT_SURE 32.0 /* suspicion of a change on a source of the dual slice, */
#define WEIGHT_RANKED 16.0 /* of one that is ranked, each divided by its rank, */
#define SUSPECT_SHARE 0.25 /* of the most suspected: functions above it are tried first, whole, */
#define SUSPECT_LEAST 0.06 /* then those above half of it, down to this */
#define WEIGHT_RAN 0.5     /* of one whose lines ran, */
#define WEIGHT_OTHER 0.2   /* of one that is not code itself (a header, a makefile), */
#define WEIGHT_IDLE 0.05   /* and of code that did not run */
#define DODGES_MOST 3      /* answers that only dodge before the best of them is taken */
#define OTHER_SHARE 0.1    /* of all CPU time so far: looking for a second answer */
#define OTHER_MOST 3  /* changes of one that is shown although it was not searched to its end */
#define ROOTS_MOST 10 /* an unfinished answer with more changes is not an answer */

/* Of the time that is left: what reading the recordings may take, the rest is for builds (ours). */
#define READ_SHARE 0.2

/* ---- AFTER's loop ---- */
/* Causes, and seconds of CPU time in the solver, before the ranking of the dual slice is used
 * (ours: small programs are done by then). */
#define CAUSES_FIRST 12
#define SOLVER_FIRST_S 2.0
/* Seconds in the solver for the causes between the failure and a root that the ranking found
 * (ours). */
#define PATH_SOLVER_S 5.0
#define PATH_SOLVER_SHARE 0.1   /* of all CPU time so far, if that is less, */
#define PATH_CORE_MOST 60       /* facts of a core without a proof that a chain is told from */
#define PATH_SOLVER_LEAST_S 0.5 /* but at least so many seconds */

/* ---- the dual slice (all ours) ---- */
#define DUAL_MOST 200000    /* nodes, */
#define DUAL_WIDE_MOST 8000 /* and of the wide one */
#define DUAL_FARTHEST 2000  /* source lines from the failure */
#define WRONG_LINES_MOST 20 /* lines of output that are starts of their own */
#define GUIDE_INIT_MOST 4   /* an initialiser with more changed lines (a table) is not sure */
#define GUIDE_WIDE_MOST 16u /* changes that are ranked by the wide slice */
#define DUAL_ALONE 4u       /* what only one run computed counts as this many lines farther */
#define DUAL_BEHIND 10u     /* so does what lies behind code that only one version has */
#define DUAL_LOOK_BACK                                                                             \
    400u /* blocks before a step in which a branch that went differently is searched for */
#define DUAL_PARTING_BRANCHES 64 /* how far back in a call, */
#define DUAL_PARTING_CALLS 12    /* and up how many calls, two paths are followed */
#define DUAL_DUMPED 40           /* nodes that --dump=search shows */
#define DUAL_JUMP_HOPS 8      /* instructions between what setjmp returned and the branch on it */
#define WITHIN_LOOKED 200u    /* steps that are followed back within new code */
#define DUAL_COPIES_MOST 64u  /* copies of one byte that are looked through */
#define DUAL_POINTER_DEPTH 6u /* how far back two pointers are compared */

/* ---- causes ---- */
/* Blocks before a step of the good run alone in which one is searched that both made (ours). */
#define MISSING_LOOK_BACK 100000u
/* Constraints of one formula; a slice that needs more is cut there and continues from the cut
 * (ours: the paper's programs needed a few hundred). */
#define SLICE_MOST 6000
#define SOLVER_LIMIT_MS 3000 /* one question to the solver (ours) */
#define GUESS_LIMIT_MS 500   /* the same where the start is a guess (ours) */
#define CHECK_LIMIT_MS 10000 /* checking a core again (ours) */
#define CORE_LIMIT_S 1.5     /* minimising one core (ours); not begun that would take */
#define CORE_HOPELESS 3.0    /* so many times as long */
/* Writes through pointers between the definition of a value and its use that are looked at, and
 * that become conditions of a proof; with more of them nothing is proved (ours). */
#define AWAY_EXACT 4 /* of which it is asked in full where else they might have gone */
#define AWAY_LOOK 256
#define AWAY_MOST 64
/* Calls before an input that decide what it finds, by computed sizes and places: how many are
 * looked at, and how many become conditions of a proof; with more nothing is proved (ours). */
#define STEERS_LOOKED 4096
#define STEERS_MOST 64
#define SURELY_THERE 0x7fff /* bytes, or how many of them, that an allocation never fails for */
#define APART_MOST 48       /* objects whose being apart from each other a check is told (ours) */
/* Branches of the path that enter one formula (ours; the paper takes all). */
#define PATH_MOST 64
/* Further facts when the pointers that a core takes for granted are followed (ours). */
#define GROUND_MOST 600
/* Branches named for one read as possible indirect influence (ours; the paper takes all). */
#define INDIRECT_MOST 8

#endif
