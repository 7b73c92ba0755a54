/* Reverting in part; see thin.h. */
#include "explain/search/thin.h"
#include "change/blend.h"
#include "explain/aux_inside.h"
#include "explain/explain_knobs.h"

/* A part of a change, or a whole change that has none. */
typedef struct ThinPart {
    size_t change;
    size_t index; /* in its blend */
} ThinPart;

typedef struct Thinner {
    const ThinTask *task;
    Oracle *oracle;
    size_t n;      /* changes */
    Blend *blends; /* for each change of the set */
    size_t *first; /* for each change: its first part */
    VEC(ThinPart) parts;
    uint8_t *use;      /* for each part: it is reverted, */
    uint8_t *kept;     /* and was in what is known to pass */
    uint8_t *reverted; /* for each change: some of it is */
    Arena arena;
} Thinner;

/* ---- parts ---- */

static size_t parts_of(const Thinner *t, size_t change) {
    return t->blends[change].parts.len ? t->blends[change].parts.len : 1;
}

static void open_thinner(Thinner *t, const ThinTask *task, const uint8_t *chosen) {
    size_t n = task->set->changes.len;
    *t = (Thinner){ .task = task, .oracle = task->aux->oracle, .n = n };
    t->blends = ARENA_ARRAY(&t->arena, Blend, n + 1);
    t->first = ARENA_ARRAY(&t->arena, size_t, n + 1);
    t->reverted = ARENA_ARRAY(&t->arena, uint8_t, n + 1);
    for (size_t c = 0; c < n; c++) {
        if (!chosen[c]) continue;
        blend_read(task->set, c, task->bare->function[c] != 0, &t->blends[c]);
        t->first[c] = t->parts.len;
        for (size_t i = 0; i < parts_of(t, c); i++) vec_push(&t->parts, ((ThinPart){ c, i }));
    }
    t->use = ARENA_ARRAY(&t->arena, uint8_t, t->parts.len + 1);
    t->kept = ARENA_ARRAY(&t->arena, uint8_t, t->parts.len + 1);
    for (size_t i = 0; i < t->parts.len; i++) {
        const uint8_t *parts = task->parts[t->parts.at[i].change];
        t->kept[i] = !parts || parts[t->parts.at[i].index];
    }
}

static void close_thinner(Thinner *t) {
    for (size_t c = 0; c < t->n; c++) blend_release(&t->blends[c]);
    vec_release(&t->parts);
    arena_release(&t->arena);
}

/* Whether a part need not be reverted for the others' sake. */
static bool is_spared(const Thinner *t, size_t part) {
    const ThinPart *p = &t->parts.at[part];
    const Blend *blend = &t->blends[p->change];
    return blend->parts.len && blend->parts.at[p->index].spared;
}

/* A change's text as the parts in use make it; it is as it is in bad where none are. */
static void apply_change(Thinner *t, size_t change) {
    const uint8_t *use = t->use + t->first[change];
    size_t len = parts_of(t, change), used = 0;
    for (size_t i = 0; i < len; i++) used += use[i];
    t->reverted[change] = used > 0;
    if (!t->blends[change].parts.len) return;
    Buf text = { 0 };
    if (used && used < len) {
        blend_text(&t->blends[change], use, &text);
        Str made = buf_view(&text);
        if (made.len && made.at[made.len - 1] != '\n') buf_char(&text, '\n');
    }
    Str made = buf_view(&text);
    bool blended = used && used < len;
    changeset_blend(t->task->set, change,
                    blended ? (Str){ made.len ? made.at : "", made.len } : (Str){ 0 });
    buf_release(&text);
}

static size_t apply(Thinner *t) {
    size_t left = 0;
    for (size_t i = 0; i < t->parts.len; i++) {
        left += t->use[i];
        if (!t->parts.at[i].index) apply_change(t, t->parts.at[i].change);
    }
    return left;
}

/* ---- what complains stays ---- */

static bool drop(Thinner *t, size_t part) {
    if (part == NO_PART || !t->use[part]) return false;
    t->use[part] = 0;
    return true;
}

/* The part that stands at a place of the tree; NO_PART. */
static size_t part_at(const Thinner *t, Str path, size_t line, size_t column) {
    size_t within, change = changeset_at(t->task->set, t->reverted, path, line, &within);
    if (change == NO_CHANGE || !t->reverted[change]) return NO_PART;
    const Blend *blend = &t->blends[change];
    size_t first = t->first[change];
    if (!blend->parts.len) return first;
    size_t at = blend_part_at(blend, t->use + first, within, column);
    return at == NO_PART ? NO_PART : first + at;
}

/* "a.c:12:7: error": the column; 0: none. */
static size_t column_of(Str line, Str path) {
    size_t at = str_find(line, path, 0);
    uint64_t number;
    if (at == STR_NONE) return 0;
    at = str_find(line, STR(":"), at + path.len + 1);
    if (at == STR_NONE) return 0;
    size_t end = str_find(line, STR(":"), at + 1);
    if (end == STR_NONE || !str_to_u64(str_sub(line, at + 1, end), &number)) return 0;
    return (size_t)number;
}

/* Whether reverting the part brings a name or takes it away; of what is missing, takes it. */
static bool is_about(const Thinner *t, size_t part, Str name, bool missing) {
    const ThinPart *p = &t->parts.at[part];
    const Blend *blend = &t->blends[p->change];
    if (!blend->parts.len)
        return !missing && aux_relation(t->task->aux, p->change, name) == REL_BRINGS;
    BlendName does = blend_part_name(blend, p->index, name);
    return missing ? does == BLEND_TAKES : does != BLEND_NOTHING;
}

static bool drop_of_name(Thinner *t, Str name, bool missing, size_t change, int wide) {
    const size_t *function = t->task->bare->function;
    bool any = false;
    for (size_t i = 0; i < t->parts.len; i++) {
        size_t c = t->parts.at[i].change;
        bool near =
            wide == 2 || (change != NO_CHANGE &&
                          (wide ? function[c] && function[c] == function[change] : c == change));
        if (near && t->use[i] && is_about(t, i, name, missing)) any |= drop(t, i);
    }
    return any;
}

/* What has to do with the names of a message: in the change itself, else in its function, else
 * anywhere. */
static bool drop_named(Thinner *t, Str line, bool missing, size_t change) {
    StrVec names = { 0 };
    bool any = false;
    aux_names(line, &names);
    for (int wide = 0; wide < 3 && !any; wide++)
        for (size_t i = 0; i < names.len; i++)
            any |= drop_of_name(t, names.at[i], missing, change, wide);
    vec_release(&names);
    return any;
}

/* All that a change reverts. */
static bool drop_change(Thinner *t, size_t change) {
    bool any = false;
    if (change == NO_CHANGE || !t->reverted[change]) return false;
    for (size_t i = 0; i < parts_of(t, change); i++) any |= drop(t, t->first[change] + i);
    return any;
}

/* The reverted change that is nearest to a place, before it or behind; NO_CHANGE. */
static size_t nearest_change(const Thinner *t, Str path, size_t line) {
    for (size_t away = 0; away < THIN_NEAR; away++)
        for (int behind = 0; behind < 2; behind++) {
            if (!behind && away >= line) continue;
            size_t at = behind ? line + away : line - away;
            size_t change = changeset_at(t->task->set, t->reverted, path, at, NULL);
            if (change != NO_CHANGE && t->reverted[change]) return change;
        }
    return NO_CHANGE;
}

/* What a message is about: the part at its place; else what took a missing name away, the part at
 * the place of the note, what has to do with the names, and at last the line and the whole of a
 * change. sure: the place alone. */
static bool drop_for(Thinner *t, Str line, bool sure) {
    Str path, noted;
    uint64_t number, noted_number;
    bool placed = aux_message_place(line, &path, &number);
    size_t column = placed ? column_of(line, path) : 0;
    if (column && drop(t, part_at(t, path, number, column))) return true;
    if (sure) return false;
    size_t change =
        placed ? changeset_at(t->task->set, t->reverted, path, number, NULL) : NO_CHANGE;
    if (learner_complaint(line) == COMPLAINT_MISSING && drop_named(t, line, true, change))
        return true;
    bool see = aux_noted_place(line, &noted, &noted_number);
    if (see && drop(t, part_at(t, noted, noted_number, 0))) return true;
    if (drop_named(t, line, false, change)) return true;
    if (placed && drop(t, part_at(t, path, number, 0))) return true;
    return placed && drop_change(t, nearest_change(t, path, number));
}

/* Messages about what was reverted stand for themselves; of the others only the first counts. The
 * parser says more than a compiler whose messages are known from before. */
static bool drop_complaints(Thinner *t) {
    Buf said = { 0 };
    const char *unit;
    bool any = false, parsed = oracle_refusal(t->oracle, t->reverted, &said, &unit);
    Str log = parsed ? buf_view(&said) : oracle_log(t->oracle, t->reverted), rest = log, line;
    while (str_split(&rest, '\n', &line))
        if (aux_is_message(line)) any |= drop_for(t, line, true);
    for (rest = log; !any && str_split(&rest, '\n', &line);)
        if (aux_is_message(line)) any |= drop_for(t, line, false);
    buf_release(&said);
    return any;
}

/* ---- asking ---- */

/* Whether what is left passes once all that complains has been left as it is. */
static bool settle(Thinner *t) {
    double parsed = oracle_fit_cpu(t->oracle),
           most = THIN_PARSE_TIMES * oracle_build_cpu(t->oracle);
    if (most < THIN_PARSE_LEAST_S) most = THIN_PARSE_LEAST_S;
    for (int built = 0; built <= CLOSED_REPAIRS && !oracle_stopped(t->oracle, NULL);) {
        if (!apply(t)) return false;
        bool refused = oracle_refuses(t->oracle, t->reverted);
        Outcome outcome = refused ? OUTCOME_NO_BUILD : oracle_ask(t->oracle, t->reverted);
        if (outcome != OUTCOME_NO_BUILD) return outcome == OUTCOME_PASSES;
        built += !refused;
        if (oracle_fit_cpu(t->oracle) - parsed > most) return false;
        if (!drop_complaints(t)) return false;
    }
    return false;
}

/* Keeps the parts in use where they pass, else goes back to those that were kept. */
static bool try_parts(Thinner *t) {
    bool passes = settle(t);
    if (passes)
        memcpy(t->kept, t->use, t->parts.len);
    else
        memcpy(t->use, t->kept, t->parts.len);
    apply(t);
    return passes;
}

/* What is kept becomes what reverting the changes means. */
static void keep(const Thinner *t, uint8_t *set) {
    for (size_t c = 0; c < t->n; c++) {
        if (!set[c]) continue;
        set[c] = t->reverted[c];
        size_t len = parts_of(t, c);
        t->task->parts[c] = arena_copy(t->task->arena, t->kept + t->first[c], len);
    }
}

ThinTask thin_start(AuxFinder *aux, const Needs *bare, ChangeSet *set, Arena *arena) {
    size_t n = oracle_set(aux->oracle)->changes.len;
    for (size_t c = 0; set && c < n; c++)
        if (set->changes.at[c].blend.at) changeset_blend(set, c, (Str){ 0 });
    return (ThinTask){ aux, bare, set, arena, ARENA_ARRAY(arena, uint8_t *, n + 1) };
}

bool thin_ask(const ThinTask *task, uint8_t *chosen) {
    Thinner t;
    needs_close(task->bare, chosen);
    open_thinner(&t, task, chosen);
    for (size_t i = 0; i < t.parts.len; i++) t.use[i] = !is_spared(&t, i);
    bool passes = try_parts(&t);
    if (passes) keep(&t, chosen);
    close_thinner(&t);
    return passes;
}

/* ---- fewer ---- */

/* The most suspected change that the set has and out lacks; n: none. */
static size_t next_suspected(const double *weight, const uint8_t *set, const uint8_t *out,
                             size_t n) {
    size_t best = n;
    for (size_t c = 0; c < n; c++)
        if (set[c] && !out[c] && (best == n || weight[c] > weight[best])) best = c;
    return best;
}

static size_t count(const uint8_t *subset, size_t n) {
    size_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += subset[i];
    return sum;
}

/* Reverts only the wanted changes, with 0, 1, 3, 7 of the others, until that passes. */
static void keep_few(Thinner *t, const double *weight, const uint8_t *wanted) {
    size_t more = count(wanted, t->n) ? 0 : 1, size = count(t->reverted, t->n);
    uint8_t *few = ARENA_ARRAY(&t->arena, uint8_t, t->n + 1);
    uint8_t *set = arena_copy(&t->arena, t->reverted, t->n);
    for (bool passes = false; !passes && more <= THIN_FEW && !oracle_stopped(t->oracle, NULL);) {
        memcpy(few, wanted, t->n);
        for (size_t k = 0, c; k < more && (c = next_suspected(weight, set, few, t->n)) < t->n; k++)
            few[c] = 1;
        needs_close(t->task->bare, few);
        if (count(few, t->n) >= size) return;
        for (size_t i = 0; i < t->parts.len; i++)
            t->use[i] = t->kept[i] && few[t->parts.at[i].change] && !is_spared(t, i);
        passes = try_parts(t);
        more = 2 * more + 1;
    }
}

/* The least suspected changes that were not asked about alone yet, so many of them; returns how
 * many there are. */
static size_t least_suspected(const Thinner *t, const double *weight, const uint8_t *asked,
                              size_t most, uint8_t *out) {
    size_t len = 0;
    memset(out, 0, t->n);
    for (size_t least = 0; len < most && least < t->n; len += least < t->n) {
        least = t->n;
        for (size_t c = 0; c < t->n; c++)
            if (t->reverted[c] && !asked[c] && !out[c] &&
                (least == t->n || weight[c] < weight[least]))
                least = c;
        if (least < t->n) out[least] = 1;
    }
    return len;
}

/* Takes out changes, the least suspected first, with what complains then; ever more at once as long
 * as they can go, and with few builds beside those that went before: an answer is there already. */
static void leave_out(Thinner *t, const double *weight, const uint8_t *wanted) {
    uint8_t *asked = arena_copy(&t->arena, wanted, t->n);
    uint8_t *gone = ARENA_ARRAY(&t->arena, uint8_t, t->n + 1);
    size_t batch = 1, len;
    size_t before = oracle_counts(t->oracle)->builds;
    size_t until = before + THIN_BUILDS + (size_t)(THIN_SHARE * (double)before);
    for (int wasted = 0; wasted < THIN_WASTED && oracle_counts(t->oracle)->builds < until &&
                         !oracle_stopped(t->oracle, NULL);) {
        len = least_suspected(t, weight, asked, batch, gone);
        if (!len) return;
        for (size_t c = 0; len == 1 && c < t->n; c++) asked[c] |= gone[c];
        needs_drag_unseen(t->task->bare, t->reverted, gone);
        for (size_t i = 0; i < t->parts.len; i++)
            t->use[i] = t->kept[i] && !gone[t->parts.at[i].change];
        bool passes = try_parts(t);
        wasted = passes ? 0 : wasted + 1;
        batch = passes ? 2 * batch : batch > 4 ? batch / 4 : 1;
    }
}

typedef void (*ThinWay)(Thinner *t, const double *weight, const uint8_t *wanted);

static size_t make_thin(const ThinTask *task, const double *weight, const uint8_t *wanted,
                        uint8_t *set, ThinWay way) {
    Thinner t;
    size_t n = task->set->changes.len, size = count(set, n);
    open_thinner(&t, task, set);
    memcpy(t.use, t.kept, t.parts.len);
    apply(&t);
    way(&t, weight, wanted ? wanted : ARENA_ARRAY(&t.arena, uint8_t, n + 1));
    keep(&t, set);
    close_thinner(&t);
    return size - count(set, n);
}

size_t thin_few(const ThinTask *task, const double *weight, const uint8_t *wanted, uint8_t *set) {
    return make_thin(task, weight, wanted, set, keep_few);
}

size_t thin_out(const ThinTask *task, const double *weight, const uint8_t *wanted, uint8_t *set) {
    return make_thin(task, weight, wanted, set, leave_out);
}
