/* A selector is a disjunction of words, words with ! before them, and braces; && and || come
 * between braces or words. Unknown is carried through as in three-valued logic. */
#include "hunt/selector.h"

#include <fnmatch.h>

/* What GCC's testsuite may require of a target (lib/target-supports.exp). */
static const char has[] =
    " int32plus int32 int128 lp64 ptr32plus size32plus size20plus long_neq_int alloca label_values "
    "indirect_jumps trampolines stdint_types inttypes_types c99_runtime wchar tls tls_runtime "
    "tls_native fpic exceptions nonlocal_goto untyped_assembly store_merge sync_char_short "
    "sync_int_long sync_long_long sync_long_long_runtime sync_int_128 inf scheduling freorder "
    "bswap "
    "sse2 sse sse_runtime sse2_runtime double64plus double64 large_double large_long_double "
    "long_double_64bit mmap "
    "shared return_address global_constructor divmod divmod_simode non_strict_align hard_float "
    "fileio tgmath_h popcount popcountl popcountll clz ctz builtin_eh_return unwrapped "
    "string_merging run_expensive_tests vect_cmdline_needed pie nonpic pie_enabled "
    "float32 float64 float32x float64x float128 __float128 __float80 float32_runtime "
    "float64_runtime float32x_runtime float64x_runtime float128_runtime base_quadfloat_support "
    "libc_has_complex_functions keeps_null_pointer_checks_no gas gld named_sections "
    "fstack_protector supports_stack_clash_protection section_anchors_no x86 ia32_no "
    "comdat_group init_priority ascii natural_alignment_32 natural_alignment_64 "
    "word_mode_no_slow_unalign bitint bitint575 ptr_eq_long vect_no_align_no c non_bionic gnu_ld "
    "trapping const_volatile_readonly_section signal cfi linux gettimeofday sysconf hosted "
    "strub thread_fence ";
static const char lacks[] =
    " ilp32 ia32 x32 int16 strict_align short_enums default_packed packed_no bswap16_no avr arm "
    "arm32 aarch64 powerpc tls_emulated section_anchors keeps_null_pointer_checks simulator "
    "double32 size16 ptr16 int_eq_float_no hwaddress_exec llp64 vect_no_align be big_endian "
    "branch_cost large_initializer_no newlib no_alignment_constraints_no hppa nvptx amdgcn ";

/* Of these, what another architecture may answer differently. */
static const char varies[] =
    " sse2 sse sse_runtime sse2_runtime x86 ia32_no __float80 float128 __float128 "
    "float128_runtime float64x float64x_runtime base_quadfloat_support large_long_double "
    "long_double_64bit non_strict_align section_anchors_no section_anchors "
    "word_mode_no_slow_unalign divmod divmod_simode popcount popcountl popcountll bswap "
    "store_merge sync_int_128 strub bitint bitint575 strict_align arm arm32 aarch64 powerpc be "
    "big_endian branch_cost ";

static bool in_list(const char *list, Str word) {
    size_t at = 0;
    Str all = str_from(list);
    while (word.len && (at = str_find(all, word, at)) != STR_NONE) {
        if (list[at - 1] == ' ' && list[at + word.len] == ' ') return true;
        at++;
    }
    return false;
}

static bool machine_matches(Str pattern, const char *target) {
    char text[128], full[128];
    size_t arch = target ? strcspn(target, "-") : 0;
    snprintf(full, sizeof full, "%.*s-pc-linux-gnu", (int)(target ? arch : 6),
             target ? target : "x86_64");
    if (pattern.len >= sizeof text) return false;
    memcpy(text, pattern.at, pattern.len);
    text[pattern.len] = 0;
    return fnmatch(text, full, 0) == 0;
}

Selected selector_word(Str word, const char *target) {
    if (str_find(word, STR("-"), 0) != STR_NONE || str_find(word, STR("*"), 0) != STR_NONE)
        return machine_matches(word, target) ? SELECTED_YES : SELECTED_NO;
    if (target && in_list(varies, word)) return SELECTED_UNKNOWN;
    if (in_list(has, word) || str_starts(word, "vect_") || str_is(word, "vect"))
        return SELECTED_YES; /* only checks of dumps depend on vectors */
    return in_list(lacks, word) ? SELECTED_NO : SELECTED_UNKNOWN;
}

static Selected not_of(Selected a) {
    return a == SELECTED_UNKNOWN ? a : a == SELECTED_YES ? SELECTED_NO : SELECTED_YES;
}
static Selected either(Selected a, Selected b) {
    if (a == SELECTED_YES || b == SELECTED_YES) return SELECTED_YES;
    return a == SELECTED_NO && b == SELECTED_NO ? SELECTED_NO : SELECTED_UNKNOWN;
}
static Selected both(Selected a, Selected b) {
    return not_of(either(not_of(a), not_of(b)));
}

/* The next word or { group } of *rest, without its braces or quotes. */
static bool next_item(Str *rest, Str *item, bool *group) {
    *rest = str_trim(*rest);
    if (!rest->len) return false;
    size_t depth = 0, i = 0;
    *group = rest->at[0] == '{';
    for (; i < rest->len; i++) {
        char c = rest->at[i];
        depth += c == '{';
        if (c == '}' && depth) depth--;
        if (*group ? depth == 0 : c == ' ' || c == '\t' || c == '{') break;
        if (!*group && c == '!') { /* `!lp64` is two items */
            i += i == 0;
            break;
        }
    }
    *item = *group ? str_sub(*rest, 1, i) : str_sub(*rest, 0, i);
    *rest = str_sub(*rest, *group && i < rest->len ? i + 1 : i, rest->len);
    if (!*group && item->len > 1 && item->at[0] == '"')
        *item = str_sub(*item, 1, item->len - (item->at[item->len - 1] == '"'));
    return true;
}

static Selected matches(Str expression, const char *target, unsigned depth) {
    Str rest = expression, item;
    bool group, negated = false, conjunction = false, any = false;
    Selected sum = SELECTED_NO;
    if (depth > 20) return SELECTED_UNKNOWN;
    while (next_item(&rest, &item, &group)) {
        if (!group && str_is(item, "!")) {
            negated = !negated;
            continue;
        }
        if (!group && (str_is(item, "&&") || str_is(item, "||"))) {
            conjunction = item.at[0] == '&';
            continue;
        }
        Selected one = group ? matches(item, target, depth + 1) : selector_word(item, target);
        if (negated) one = not_of(one);
        sum = !any ? one : conjunction ? both(sum, one) : either(sum, one);
        any = true;
        negated = conjunction = false;
    }
    return any ? sum : SELECTED_YES;
}

Selected selector_matches(Str expression, const char *target) {
    return matches(expression, target, 0);
}
