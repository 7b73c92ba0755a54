/* What every unit test includes: cmocka, speaking TAP. A test file ends with
 *     TEST_MAIN(cmocka_unit_test(one), cmocka_unit_test(two)) */
#ifndef CULPRIT_TEST_H
#define CULPRIT_TEST_H

#include "base/base.h"
#include <setjmp.h>

#include <cmocka.h> /* wants setjmp.h before it */

#define TEST_MAIN(...)                                                                             \
    int main(void) {                                                                               \
        const struct CMUnitTest tests[] = { __VA_ARGS__ };                                         \
        cmocka_set_message_output(CM_OUTPUT_TAP);                                                  \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

#define assert_str(s, expected) assert_true(str_is((s), (expected)))

#endif
