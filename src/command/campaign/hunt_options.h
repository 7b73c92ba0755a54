/* What is hunted and how, in options: shared by hunt, which does it, and campaign start, which puts
 * it into the store for others. */
#ifndef CULPRIT_COMMAND_CAMPAIGN_HUNT_OPTIONS_H
#define CULPRIT_COMMAND_CAMPAIGN_HUNT_OPTIONS_H

#include "base/opts.h"
#include "hunt/hunt.h"

/* clang-format off */
#define HUNT_OPTIONS(r) \
        { 0, "cc", OPT_LIST, &(r)->compilers, "NAME", \
          "compiler to test: a name or a path; may be given more than once [all gcc-N and " \
          "clang-N found]", \
          "@compilers" }, \
        { 0, "reference", OPT_LIST, &(r)->references, "NAME", \
          "compiler that tells what a seed prints; may be given more than once [the newest " \
          "gcc and clang that accept it]", \
          "@compilers" }, \
        { 0, "levels", OPT_STR, &(r)->levels, "LIST", \
          "optimisation levels [-O0,-O1,-Os,-O2,-O3]", NULL }, \
        { 0, "seeds", OPT_LIST, &(r)->seeds, "PATH", \
          "a C program, or a directory of them; may be given more than once [made by " \
          "Csmith]", \
          "@files" }, \
        { 'I', "include", OPT_LIST, &(r)->includes, "DIR", "where seeds find their headers", \
          "@files" }, \
        { 0, "variants", OPT_UINT, &(r)->variants, "N", "variants in a chain [10]", NULL }, \
        { 0, "siblings", OPT_UINT, &(r)->siblings, "N", \
          "variants made from one profile [8, or as many as --variants]", \
          NULL }, \
        { 0, "strategies", OPT_STR, &(r)->strategies, "LIST", \
          "of fcb, tg, tcb, identity, orion, borrow, athena; or hermes, all; auto: what paid off so far, " \
          "including flags and oracles [hermes]", \
          "fcb,tg,tcb,identity,orion,borrow,athena,hermes,all,auto" }, \
        { 0, "random-flags", OPT_FLAG, &(r)->random_flags, NULL, \
          "one random set of flags per compiler and variant besides the levels", NULL }, \
        { 0, "oracles", OPT_FLAG, &(r)->oracles, NULL, \
          "also the compilers' own checks (-fchecking=2, -fcompare-debug, -verify-machineinstrs), " \
          "and programs cut into units that are compiled at different levels and linked", \
          NULL }, \
        { 0, "crashes", OPT_FLAG, &(r)->crashes, NULL, \
          "only crashes and hangs count: every seed is compiled, mutated freely, under options " \
          "drawn from the compilers' own lists; without --seeds: functions over all types", \
          NULL }, \
        { 0, "kernels", OPT_FLAG, &(r)->kernels, NULL, \
          "seeds are programs of small functions with loops, vectors and wide integers, whose " \
          "results are known: not mutated, many per core-hour", \
          NULL }, \
        { 0, "seed", OPT_UINT, &(r)->seed, "S", "number that all randomness derives from [1]", NULL }
/* clang-format on */

/* `culprit hunt gcc-12 tests/`: programs and directories are seeds, the rest are compilers. */
void hunt_operands(HuntRequest *request, const StrVec *operands);
void hunt_request_release(HuntRequest *request);

#endif
