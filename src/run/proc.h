/* One running process tree, and the one poll loop over all of them. Used by run.c, pool.c and
 * workdir.c only; everybody else uses run.h.
 *
 * proc_start, then proc_pump until proc_done, then proc_finish. proc_pump moves every tree of this
 * culprit forward, whoever owns it, and calls nobody back: so a job's step function may itself
 * run_one something. */
#ifndef CULPRIT_RUN_PROC_H
#define CULPRIT_RUN_PROC_H

#include "run/run.h"

typedef struct Proc Proc;

Proc *proc_start(const RunSpec *spec); /* never NULL; a failed start is done at once */
bool proc_done(const Proc *proc);
void proc_kill(Proc *proc, RunEnd why); /* soon after, proc_done */
/* The result, in arena; frees proc. Only when done. */
RunResult proc_finish(Proc *proc, Arena *arena);
/* Waits until something happens to any tree (a process ended, a limit was hit, an interrupt). */
void proc_pump(double until);
/* A directory to remove when culprit is killed. */
void proc_remove_at_death(const char *path);

/* run.c: the clock of run_until. */
double run_end(void);
/* interrupt.c: becomes readable when an interrupt arrives; -1 before run_catch_interrupts. */
int interrupt_fd(void);

#endif
