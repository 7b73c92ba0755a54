/* A hunt that many machines do: its request as JSON in the store, and whether this machine can do
 * it. */
#ifndef CULPRIT_HUNT_PLAN_H
#define CULPRIT_HUNT_PLAN_H

#include "hunt/hunt.h"

/* Everything that says what is hunted and how; nothing of budgets and of one worker. */
Str plan_write(Arena *arena, const HuntRequest *request);
bool plan_read(Arena *arena, Str text, HuntRequest *request, Error *err);
/* The settings of the campaign and those that come of its request here: false and STATUS_LACKS with
 * the first thing that differs. */
bool plan_fits(Arena *arena, Str campaign, Str here, Error *err);

#endif
