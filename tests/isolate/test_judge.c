/* What passes and what does not, on a real compiler: macros stand for the optimisations that break
 * a program. */
#include "test.h"

#include "isolate/witness_judge.h"

static const char *const none[] = { NULL };
static const char *const given[] = { "-DA", "-DB", NULL }; /* the failing options */
static const char *const fewer[] = { "-DA", NULL };        /* those of them that are left */

/* A program that should return 0, and does not with the failing options. */
static void subject_init(Subject *s) {
    *s = (Subject){
        .pass = none, .fail = given, .beside = none, .compile_s = HANG_FIRST, .run_s = 1
    };
    s->failure = (Verdict){ .kind = VERDICT_WRONG };
    s->want = (Symptom){ .kind = VERDICT_WRONG };
    Error err;
    if (!compiler_open(&s->arena, "gcc-12", &s->cc, &err)) fail_msg("%s", err.text);
}

/* Judged with the fewer options, and then strictly, as one that is about to be accepted. */
static void judge_both(Subject *s, const char *text, Str hashed, Judgement *first,
                       Judgement *strict) {
    JudgeJob job;
    judge_init(&job, s, str_from(text));
    job.fail = fewer;
    judge_run(&job);
    *first = *strict = job.outcome;
    if (job.outcome == JUDGED_PASSES) {
        judge_again(&job);
        job.whole = true;
        job.hashed = hashed;
        judge_run(&job);
        *strict = job.outcome;
    }
    judge_end(&job);
}

static void a_pass_passes_with_all_options(void **state) {
    (void)state;
    Subject s;
    Judgement first, strict;
    subject_init(&s);
    judge_both(&s, "int main(void) { return 0; }\n", (Str){ 0 }, &first, &strict);
    assert_int_equal(first, JUDGED_PASSES);
    assert_int_equal(strict, JUDGED_PASSES);

    static const char by_one[] = "int main(void) {\n#ifdef A\n return 1;\n#endif\n return 0; }\n";
    judge_both(&s, by_one, (Str){ 0 }, &first, &strict);
    assert_int_equal(first, JUDGED_FAILS);

    static const char by_all[] = "int main(void) {\n#ifdef B\n return 1;\n#endif\n return 0; }\n";
    judge_both(&s, by_all, (Str){ 0 }, &first, &strict);
    assert_int_equal(first, JUDGED_PASSES);
    assert_int_equal(strict, JUDGED_FAILS);
    subject_free(&s);
}

static void nothing_is_hidden_by_any_options(void **state) {
    (void)state;
    Subject s;
    Judgement first, strict;
    subject_init(&s);
    static const char plain[] = "int main(void) { return 0; }\n";
    static const char *const hidden[] = {
        "int puts(const char *);\nint main(void) {\n#ifdef A\n puts(\"a\");\n#endif\n return 0; "
        "}\n",
        "int puts(const char *);\nint main(void) {\n#ifdef B\n puts(\"b\");\n#endif\n return 0; "
        "}\n",
        "int puts(const char *);\nint main(void) { puts(\"c\"); return 0; }\n",
    };
    for (size_t i = 0; i < COUNT_OF(hidden); i++) {
        judge_both(&s, plain, str_from(hidden[i]), &first, &strict);
        assert_int_equal(first, JUDGED_PASSES);
        assert_int_equal(strict, i == 2 ? JUDGED_PASSES : JUDGED_FAILS);
    }
    subject_free(&s);
}

TEST_MAIN(cmocka_unit_test(a_pass_passes_with_all_options),
          cmocka_unit_test(nothing_is_hidden_by_any_options))
