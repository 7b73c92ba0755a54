/* Requests as JSON, and what differs between machines; see plan.h. */
#include "hunt/plan.h"

#include "base/json.h"

/* ---- lists ---- */
static void put_list(json_t *all, const char *name, const StrVec *list) {
    json_t *items = json_array();
    for (size_t i = 0; i < list->len; i++) json_array_append_new(items, json_text(list->at[i]));
    json_put(all, name, items);
}

static void read_list(Arena *arena, const json_t *all, const char *name, StrVec *out) {
    const json_t *items = json_object_get(all, name);
    size_t n = json_array_size(items);
    out->at = ARENA_ARRAY(arena, Str, n + 1);
    out->len = out->cap = n;
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(items, i);
        out->at[i] = arena_str(arena, (Str){ json_is_string(item) ? json_string_value(item) : "",
                                             json_is_string(item) ? json_string_length(item) : 0 });
    }
}

/* Other machines have other working directories. */
static void put_paths(Arena *arena, json_t *all, const char *name, const StrVec *list) {
    StrVec real = { 0 };
    for (size_t i = 0; i < list->len; i++) {
        char *path = realpath(list->at[i].at, NULL);
        vec_push(&real, arena_str(arena, path ? str_from(path) : list->at[i]));
        free(path);
    }
    put_list(all, name, &real);
    vec_release(&real);
}

/* ---- requests ---- */
Str plan_write(Arena *arena, const HuntRequest *r) {
    json_t *all = json_object();
    put_list(all, "compilers", &r->compilers);
    put_list(all, "references", &r->references);
    put_paths(arena, all, "seeds", &r->seeds);
    put_paths(arena, all, "includes", &r->includes);
    json_put_text(all, "levels", str_from(r->levels));
    if (r->strategies) json_put_text(all, "strategies", str_from(r->strategies));
    json_put_int(all, "variants", (int64_t)r->variants);
    json_put_int(all, "siblings", (int64_t)r->siblings);
    json_put_int(all, "seed", (int64_t)r->seed);
    json_put_bool(all, "random_flags", r->random_flags);
    json_put_bool(all, "oracles", r->oracles);
    json_put_bool(all, "crashes", r->crashes);
    json_put_bool(all, "kernels", r->kernels);
    Buf text = { 0 };
    json_dump_buf(all, false, &text);
    json_decref(all);
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

static const char *read_text(Arena *arena, const json_t *all, const char *name) {
    return json_object_get(all, name) ? arena_cstr(arena, json_get_text(all, name)) : NULL;
}

bool plan_read(Arena *arena, Str text, HuntRequest *r, Error *err) {
    json_t *all = json_parse(text, "the campaign's plan", err);
    if (!all) return false;
    *r = (HuntRequest)HUNT_REQUEST;
    read_list(arena, all, "compilers", &r->compilers);
    read_list(arena, all, "references", &r->references);
    read_list(arena, all, "seeds", &r->seeds);
    read_list(arena, all, "includes", &r->includes);
    const char *levels = read_text(arena, all, "levels");
    if (levels) r->levels = levels;
    r->strategies = read_text(arena, all, "strategies");
    r->variants = (uint64_t)json_get_int(all, "variants", CAMPAIGN_VARIANTS);
    r->siblings = (uint64_t)json_get_int(all, "siblings", 0);
    r->seed = (uint64_t)json_get_int(all, "seed", 1);
    r->random_flags = json_get_bool(all, "random_flags", false);
    r->oracles = json_get_bool(all, "oracles", false);
    r->crashes = json_get_bool(all, "crashes", false);
    r->kernels = json_get_bool(all, "kernels", false);
    json_decref(all);
    return true;
}

/* ---- what differs ---- */
static bool holds(const StrVec *list, Str item) {
    for (size_t i = 0; i < list->len; i++)
        if (str_eq(list->at[i], item)) return true;
    return false;
}

/* The first of the campaign's that is not ours, and of ours that is not the campaign's. */
static bool name_difference(const StrVec *theirs, const StrVec *ours, Error *err) {
    Str there = STR("none other"), here = STR("none other");
    for (size_t i = theirs->len; i-- > 0;)
        if (!holds(ours, theirs->at[i])) there = theirs->at[i];
    for (size_t i = ours->len; i-- > 0;)
        if (!holds(theirs, ours->at[i])) here = ours->at[i];
    return err_set(err, STATUS_LACKS,
                   "this machine has other compilers than the campaign: it wants " STR_FMT
                   ", here is " STR_FMT "; 'culprit campaign start --mixed' allows that",
                   STR_ARG(there), STR_ARG(here));
}

bool plan_fits(Arena *arena, Str campaign, Str here, Error *err) {
    if (str_eq(campaign, here)) return true;
    json_t *a = json_parse(campaign, "the campaign's settings", err);
    json_t *b = a ? json_parse(here, "our settings", err) : NULL;
    if (b) {
        StrVec theirs, ours;
        read_list(arena, a, "compilers", &theirs);
        read_list(arena, b, "compilers", &ours);
        bool same = theirs.len == ours.len;
        for (size_t i = 0; i < theirs.len; i++) same = same && holds(&ours, theirs.at[i]);
        if (same)
            err_set(err, STATUS_LACKS,
                    "the campaign's seeds, headers or references are not the same on this machine");
        else
            name_difference(&theirs, &ours, err);
    }
    json_decref(a);
    json_decref(b);
    return false;
}
