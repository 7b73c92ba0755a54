/* Any bytes as the layout that the coverage runtime writes, and after "\n%%\n" any bytes as the
 * mapping of one run, for the notes of a real program (CULPRIT_FUZZ_NOTES: their directory). */
#include "coverage/coverage_map.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = { 0 };
    Error err = { 0 };
    CovMap map = { 0 };
    const char *notes = getenv("CULPRIT_FUZZ_NOTES");
    Str rest = { (const char *)data, size }, layout = fuzz_part(&rest);
    CHECK(notes && covmap_load(&map, notes, &err));
    Bits bits = bits_new(map.n_stmts);
    bool known = covmap_set_layout(&map, layout, &err);
    /* An empty layout after a good one: what is a mapping then? */
    const char *path = fuzz_file(&arena, "mapping", rest);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    /* Mappings are pages long: a seed need not be. */
    if (known && map.linked[0].mapping < 1 << 20) CHECK(ftruncate(fd, (off_t)(4096 + 2 * map.linked[0].mapping)) == 0);
    if (known && covmap_read_mapping(&map, fd, path, &bits, &err)) {
        int64_t *counts = mem_alloc(sizeof *counts * (map.n_stmts + 1));
        CHECK(bits_count(&bits) <= map.n_stmts);
        covmap_counts(&map, counts);
        mem_free(counts);
    }
    close(fd);
    bits_free(&bits);
    covmap_free(&map);
    arena_release(&arena);
    return 0;
}
