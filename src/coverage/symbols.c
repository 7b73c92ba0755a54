/* See symbols.h. Every offset is checked: the file may be anything. */
#include "coverage/symbols.h"
#include "base/file.h"

#include <elf.h>

static bool inside(Str file, uint64_t offset, uint64_t size) {
    return offset <= file.len && size <= file.len - offset;
}

static int by_address(const void *a, const void *b) {
    const Symbol *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static void read_table(Arena *arena, Str file, const Elf64_Shdr *table, const Elf64_Shdr *names,
                       Symbols *out) {
    if (!inside(file, table->sh_offset, table->sh_size) ||
        !inside(file, names->sh_offset, names->sh_size))
        return;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym sym;
        memcpy(&sym, file.at + table->sh_offset + at, sizeof sym);
        if (sym.st_name >= names->sh_size) continue;
        const char *name = file.at + names->sh_offset + sym.st_name;
        size_t len = strnlen(name, names->sh_size - sym.st_name);
        if (len == strlen("__bss_start") && memcmp(name, "__bss_start", len) == 0)
            out->bss = sym.st_value & ~(uint64_t)4095;
        if (ELF64_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_value && sym.st_size)
            vec_push(&out->functions, (Symbol){ sym.st_value, sym.st_value + sym.st_size,
                                                arena_cstr(arena, (Str){ name, len }) });
    }
}

bool symbols_read(Arena *arena, const char *path, Symbols *out, Error *err) {
    Arena scratch = { 0 };
    Str file;
    *out = (Symbols){ 0 };
    if (!file_read(&scratch, path, &file, err)) return false;
    Elf64_Ehdr head;
    bool elf = file.len >= sizeof head && memcmp(file.at, ELFMAG, SELFMAG) == 0 &&
               file.at[EI_CLASS] == ELFCLASS64;
    if (elf) memcpy(&head, file.at, sizeof head);
    for (unsigned i = 0; elf && i < head.e_shnum; i++) {
        Elf64_Shdr table, names;
        uint64_t at = head.e_shoff + (uint64_t)i * sizeof table;
        if (!inside(file, at, sizeof table)) break;
        memcpy(&table, file.at + at, sizeof table);
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= head.e_shnum) continue;
        at = head.e_shoff + (uint64_t)table.sh_link * sizeof names;
        if (!inside(file, at, sizeof names)) break;
        memcpy(&names, file.at + at, sizeof names);
        read_table(arena, file, &table, &names, out);
    }
    arena_release(&scratch);
    if (!out->functions.len) return err_set(err, STATUS_BAD, "%s: no symbols in it", path);
    qsort(out->functions.at, out->functions.len, sizeof(Symbol), by_address);
    return true;
}

const char *symbols_find(const Symbols *s, uint64_t address, uint64_t bss) {
    address -= bss - s->bss;
    size_t low = 0, high = s->functions.len;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (s->functions.at[mid].from <= address)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t i = low; i-- > 0 && low - i < 8;) /* aliases and nested ranges */
        if (address < s->functions.at[i].to) return s->functions.at[i].name;
    return NULL;
}
