/* Hardening 7: what a reader of foreign bytes makes of them is a small multiple of them. Files that
 * claim as much as they can; the fuzz targets check the same for any bytes (fuzz_bounded). */
#include "test.h"

#include "coverage/gcov_notes.h"

enum { MULTIPLE = 64, ANYWAY = 64 << 10 };

static void word(Buf *out, uint32_t value) {
    buf_add(out, &value, sizeof value);
}

/* As GCC 12 writes it: the length in bytes, padded. */
static void text(Buf *out, const char *value) {
    size_t n = strlen(value) + 1;
    word(out, (uint32_t)n);
    buf_add(out, value, n);
}

/* Functions that have no arcs, each of which claims as many blocks as the file could hold. */
static void claiming_notes(Buf *out, unsigned functions, uint32_t blocks) {
    word(out, GCOV_MAGIC_NOTES);
    word(out, 'B' << 24 | '2' << 16 | '2' << 8 | '*');
    word(out, 1);
    word(out, 0);
    text(out, "/cwd");
    word(out, 1);
    for (unsigned i = 0; i < functions; i++) {
        Buf head = { 0 };
        for (int k = 0; k < 3; k++) word(&head, i + 1);
        text(&head, "f");
        word(&head, 0);
        text(&head, "a.c");
        for (int k = 0; k < 4; k++) word(&head, 1);
        word(out, GCOV_TAG_FUNCTION);
        word(out, (uint32_t)head.len);
        buf_add(out, head.at, head.len);
        buf_release(&head);
        word(out, GCOV_TAG_BLOCKS);
        word(out, 4);
        word(out, blocks);
    }
}

static void blocks_of_notes(void **state) {
    (void)state;
    static const uint32_t claims[] = { 2, 1000, 16000, 100000, UINT32_MAX };
    for (size_t i = 0; i < COUNT_OF(claims); i++) {
        Buf file = { 0 };
        Arena arena = { 0 };
        GcovNotes notes;
        Error err = { 0 };
        claiming_notes(&file, 1000, claims[i]);
        bool read = gcov_notes_read(&arena, buf_view(&file), "a.gcno", &notes, &err);
        assert_int_equal(read, claims[i] == 2);
        if (arena.used > file.len * MULTIPLE + ANYWAY)
            fail_msg("%u blocks a function: %zu bytes of %zu", claims[i], arena.used, file.len);
        arena_release(&arena);
        buf_release(&file);
    }
}

TEST_MAIN(cmocka_unit_test(blocks_of_notes))
