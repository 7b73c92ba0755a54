/* What makes clang accept old code, and the dialects of compilers' test suites, as gcc does: words
 * of its command line, for every place that parses. */
#ifndef CULPRIT_CFRONT_LENIENT_H
#define CULPRIT_CFRONT_LENIENT_H

#define CFRONT_LENIENT                                                                             \
    "-w", "-fno-spell-checking", "-fbracket-depth=4096", "-Wno-error=implicit-int",                \
        "-Wno-error=implicit-function-declaration", "-Wno-error=int-conversion",                   \
        "-Wno-error=incompatible-function-pointer-types", "-Wno-error=return-type",                \
        "-Wno-error=return-mismatch"

#endif
