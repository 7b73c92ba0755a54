/* Names of a program's functions by address, from its ELF symbol table. */
#ifndef CULPRIT_COVERAGE_SYMBOLS_H
#define CULPRIT_COVERAGE_SYMBOLS_H

#include "base/base.h"

typedef struct Symbol {
    uint64_t from, to; /* addresses as in the file */
    const char *name;  /* as in the file: mangled */
} Symbol;
typedef struct Symbols {
    VEC(Symbol) functions; /* sorted by address */
    uint64_t bss;          /* the page .bss starts in: tells how far the program was moved */
} Symbols;

/* False: not an ELF file for this machine, or stripped. */
bool symbols_read(Arena *arena, const char *path, Symbols *out, Error *err);
/* The function at an address of a run whose .bss started at bss; NULL: none. */
const char *symbols_find(const Symbols *symbols, uint64_t address, uint64_t bss);

#endif
