/* See output.h. */
#include "reduce/output.h"
#include "base/file.h"
#include "base/quantity.h"
#include "tree/gumtree.h"
#include <sys/stat.h>

/* ---- files ---- */
/* PATH.orig; where that is there and holds something else, PATH.orig.1 and so on. */
static bool back_up(Arena *arena, const char *path, Str original, Error *err) {
    const char *backup = arena_fmt(arena, "%s.orig", path);
    for (unsigned i = 1; file_exists(backup); i++) {
        Str there;
        if (file_read(arena, backup, &there, NULL) && str_eq(there, original)) return true;
        backup = arena_fmt(arena, "%s.orig.%u", path, i);
    }
    return file_save(backup, original, err);
}

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static json_t *state_json(const ReduceOutput *out) {
    json_t *state = json_object();
    for (int s = 0; s < SIDES; s++) {
        if (!out->wanted[s]) continue;
        Hash hash = str_hash128(out->original[s]);
        char text[40];
        snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)hash.hi,
                 (unsigned long long)hash.lo);
        json_put_text(state, s == SEED ? "seed" : "variant", str_from(text));
    }
    return state;
}

bool output_open(ReduceOutput *out, const char *dir, const char *const *names, const Str *original,
                 Error *err) {
    *out = (ReduceOutput){ .dir = dir };
    if (dir && !file_make_dirs(dir, err)) return false;
    for (int s = 0; s < SIDES; s++) {
        out->wanted[s] = names[s] != NULL;
        if (!names[s]) continue;
        out->original[s] = original[s];
        out->path[s] = names[s];
        if (dir) out->path[s] = file_join(&out->arena, dir, file_name(names[s]));
        if (same_file(out->path[s], names[s]) && !back_up(&out->arena, names[s], original[s], err))
            return false;
    }
    if (dir && names[SEED] && strcmp(out->path[SEED], out->path[VARIANT]) == 0)
        out->path[SEED] = arena_fmt(&out->arena, "%s/passing-%s", dir, file_name(names[SEED]));
    if (dir) out->state = file_join(&out->arena, dir, ".culprit-reduce.json");
    return true;
}

bool output_resume(ReduceOutput *out, Arena *arena, Str *text) {
    Str stored;
    Error err = { 0 };
    if (!out->state || !file_exists(out->state) || !file_read(arena, out->state, &stored, &err))
        return false;
    json_t *now = state_json(out), *was = json_parse(stored, out->state, &err);
    bool same = was && json_equal(now, was);
    json_decref(now);
    if (was) json_decref(was);
    for (int s = 0; s < SIDES && same; s++)
        if (out->wanted[s]) same = file_read(arena, out->path[s], &text[s], &err);
    return same;
}

void output_save(void *user, Reducer *r) {
    ReduceOutput *out = user;
    Error err = { 0 };
    bool ok = true;
    for (int s = 0; s < SIDES && ok; s++) {
        if (!out->wanted[s]) continue;
        Str text = doc_text(&r->side[s].doc);
        ok = file_save(out->path[s], text, &err);
    }
    if (ok && out->state) {
        json_t *state = state_json(out);
        Buf text = { 0 };
        json_dump_buf(state, true, &text);
        ok = file_save(out->state, buf_view(&text), &err);
        buf_release(&text);
        json_decref(state);
    }
    if (!ok && !out->failed) live_say(&r->live, "%s", err.text);
    out->failed |= !ok;
}

void output_release(ReduceOutput *out) {
    arena_release(&out->arena);
}

/* ---- the view ---- */
typedef struct View {
    Tree tree[SIDES];
    uint8_t *own[SIDES]; /* token by token: the other side has it not */
} View;

static void view_begin(View *v, Reducer *r) {
    for (int s = 0; s < SIDES; s++) {
        v->tree[s] = (Tree){ 0 };
        if (r->side[s].on) parser_tree(r->side[s].doc.parser, &v->tree[s]);
        v->own[s] = mem_alloc(v->tree[s].tokens.len + 1);
    }
    if (!r->pair) return;
    DiffHunks hunks = { 0 };
    tree_diff_tokens(&v->tree[SEED], &v->tree[VARIANT], &hunks);
    for (size_t h = 0; h < hunks.len; h++) {
        memset(v->own[SEED] + hunks.at[h].a, 1, hunks.at[h].a_len);
        memset(v->own[VARIANT] + hunks.at[h].b, 1, hunks.at[h].b_len);
    }
    vec_release(&hunks);
}

static void view_end(View *v) {
    for (int s = 0; s < SIDES; s++) {
        tree_release(&v->tree[s]);
        mem_free(v->own[s]);
    }
}

/* One line with its own tokens marked: bold on a terminal. */
static void show_line(const View *v, int side, Str line, char sign, Colour c, FILE *to) {
    const Tree *t = &v->tree[side];
    size_t from = (size_t)(line.at - t->text.at), end = from + line.len;
    fprintf(to, "%s%c ", colour(to, c), sign);
    size_t lo = 0, hi = t->tokens.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (t->tokens.at[mid].end <= from)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (size_t k = lo; from < end; k++) {
        size_t start = k < t->tokens.len ? t->tokens.at[k].start : end;
        size_t stop = k < t->tokens.len ? t->tokens.at[k].end : end;
        if (start > end) start = end;
        if (start < from) start = from;
        if (stop > end) stop = end;
        fwrite(t->text.at + from, 1, start - from, to);
        bool bold = k < t->tokens.len && v->own[side][k] && c != COLOUR_NONE;
        if (bold) fputs(colour(to, COLOUR_BOLD), to);
        if (stop > start) fwrite(t->text.at + start, 1, stop - start, to);
        if (bold) fprintf(to, "%s%s", colour(to, COLOUR_NONE), colour(to, c));
        from = stop > start ? stop : start;
        if (start == end) break;
    }
    fputs(colour(to, COLOUR_NONE), to);
    if (!line.len || line.at[line.len - 1] != '\n') fputc('\n', to);
}

void output_view(Reducer *r, FILE *to) {
    View v;
    view_begin(&v, r);
    DiffHunks hunks = { 0 };
    StrVec a = { 0 }, b = { 0 };
    diff_lines(r->pair ? v.tree[SEED].text : v.tree[VARIANT].text, v.tree[VARIANT].text, &hunks, &a,
               &b);
    size_t at = 0, bt = 0;
    for (size_t h = 0; h <= hunks.len; h++) {
        size_t end = h < hunks.len ? hunks.at[h].b : b.len;
        for (; bt < end; bt++, at++) show_line(&v, VARIANT, b.at[bt], ' ', COLOUR_NONE, to);
        if (h == hunks.len) break;
        for (size_t k = 0; k < hunks.at[h].a_len; k++)
            show_line(&v, SEED, a.at[at + k], '-', COLOUR_RED, to);
        for (size_t k = 0; k < hunks.at[h].b_len; k++)
            show_line(&v, VARIANT, b.at[bt + k], '+', COLOUR_GREEN, to);
        at += hunks.at[h].a_len, bt += hunks.at[h].b_len;
    }
    vec_release(&hunks), vec_release(&a), vec_release(&b);
    view_end(&v);
}

/* ---- figures ---- */
static PhaseStats sum_phases(const Reducer *r) {
    PhaseStats all = { .name = "all" };
    for (size_t i = 0; i < r->phases.len; i++) {
        const PhaseStats *p = &r->phases.at[i];
        all.tests += p->tests, all.said_yes += p->said_yes, all.cached += p->cached,
            all.refused += p->refused;
        all.rejected += p->rejected, all.accepted += p->accepted, all.killed += p->killed;
        all.wall_s += p->wall_s, all.cpu_s += p->cpu_s;
    }
    return all;
}

static double own_share(const PhaseStats *all) {
    double own = clock_own_cpu(), sum = own + all->cpu_s;
    return sum > 0 ? own / sum : 0;
}

void output_statistics(Reducer *r, FILE *to) {
    reducer_phase(r, reducer_stats(r)->name); /* books the running phase */
    PhaseStats all = sum_phases(r);
    fprintf(to, "%-16s %8s %8s %8s %8s %8s %9s %9s\n", "phase", "tests", "taken", "cached",
            "refused", "killed", "CPU s", "wall s");
    for (size_t i = 0; i <= r->phases.len; i++) {
        const PhaseStats *p = i < r->phases.len ? &r->phases.at[i] : &all;
        fprintf(to, "%-16s %8llu %8llu %8llu %8llu %8llu %9.1f %9.1f\n", p->name,
                (unsigned long long)p->tests, (unsigned long long)p->accepted,
                (unsigned long long)p->cached, (unsigned long long)p->refused,
                (unsigned long long)p->killed, p->cpu_s, p->wall_s);
    }
    if (property_sees_compiler(r->side[VARIANT].property))
        fprintf(to, "of the candidates tested a compiler refused %.1f%%; ",
                all.tests ? 100.0 * (double)all.rejected / (double)all.tests : 0.0);
    else
        fprintf(to,
                "which candidates a compiler refused a script does not say (%.1f%% were not "
                "interesting); ",
                all.tests ? 100.0 * (double)(all.tests - all.said_yes) / (double)all.tests : 0.0);
    fprintf(to, "culprit itself took %.1f%% of the CPU time\n", 100 * own_share(&all));
}

static json_t *phase_json(const PhaseStats *p) {
    json_t *o = json_object();
    json_put_text(o, "name", str_from(p->name));
    json_put_int(o, "tests", (int64_t)p->tests);
    json_put_int(o, "accepted", (int64_t)p->accepted);
    json_put_int(o, "cached", (int64_t)p->cached);
    json_put_int(o, "refused", (int64_t)p->refused);
    json_put_int(o, "rejected", (int64_t)p->rejected);
    json_put_int(o, "interesting", (int64_t)p->said_yes);
    json_put_int(o, "killed", (int64_t)p->killed);
    json_put_real(o, "cpu_s", p->cpu_s);
    json_put_real(o, "wall_s", p->wall_s);
    return o;
}

static Str token_range(const Tree *t, size_t from, size_t len) {
    return len ? str_sub(t->text, t->tokens.at[from].start, t->tokens.at[from + len - 1].end)
               : (Str){ "", 0 };
}

static json_t *edits_json(Reducer *r) {
    json_t *list = json_array();
    if (!r->pair) return list;
    View v;
    view_begin(&v, r);
    DiffHunks hunks = { 0 };
    tree_diff_tokens(&v.tree[SEED], &v.tree[VARIANT], &hunks);
    for (size_t h = 0; h < hunks.len; h++) {
        const DiffHunk *x = &hunks.at[h];
        json_t *o = json_object();
        json_put_text(o, "deleted", token_range(&v.tree[SEED], x->a, x->a_len));
        json_put_text(o, "inserted", token_range(&v.tree[VARIANT], x->b, x->b_len));
        json_put_int(o, "seed_token", (int64_t)x->a);
        json_put_int(o, "variant_token", (int64_t)x->b);
        json_array_append_new(list, o);
    }
    vec_release(&hunks);
    view_end(&v);
    return list;
}

json_t *output_json(Reducer *r, bool verified) {
    reducer_phase(r, reducer_stats(r)->name);
    PhaseStats all = sum_phases(r);
    json_t *root = json_object(), *phases = json_array();
    for (int s = 0; s < SIDES; s++) {
        if (!r->side[s].on) continue;
        json_t *o = json_object();
        Str text = doc_text(&r->side[s].doc);
        json_put_int(o, "tokens", (int64_t)r->side[s].doc.count);
        json_put_int(o, "bytes", (int64_t)text.len);
        json_put_text(o, "text", text);
        json_put(root, s == SEED ? "seed" : "variant", o);
    }
    json_t *difference = json_object();
    json_put_int(difference, "tokens", (int64_t)r->difference);
    json_put(difference, "edits", edits_json(r));
    json_put(root, "difference", difference);
    for (size_t i = 0; i < r->phases.len; i++)
        json_array_append_new(phases, phase_json(&r->phases.at[i]));
    json_put(root, "phases", phases);
    json_put(root, "all", phase_json(&all));
    json_put_real(root, "own_cpu_s", clock_own_cpu());
    json_put_real(root, "own_share", own_share(&all));
    json_put_bool(root, "flaky", r->flaky);
    json_put_bool(root, "verified", verified);
    json_put_bool(root, "interrupted", r->stop);
    return root;
}
