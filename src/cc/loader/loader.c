/* culprit-loader PROGRAM.o: runs an x86-64 object file as if it had been linked into a program,
 * without the linker, which takes longer than everything else about a small program.
 *
 * The sections are laid out below 2 GB (code that is not position-independent needs that), in three
 * parts with the rights a linker's segments have. Functions of the C library are reached through
 * stubs, as through a PLT. Whatever is not certain to be the same as in a linked program
 * (thread-local storage, variables of the C library, a program that defines names of the library
 * itself, priorities of constructors, unwinding) is not run at all: the loader writes one line to
 * descriptor VERDICT and exits with GIVE_UP, and the caller links the program. The descriptor is
 * closed before the program's first instruction runs, so that the program cannot write to it. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GIVE_UP = 98, PAGE = 4096, STUB = 16, VERDICT = 3 };
enum Part { TEXT, CONSTANT, DATA, PARTS };

static const char *file;
static size_t file_size;
static const Elf64_Ehdr *head;
static const Elf64_Shdr *sections;
static const char *section_names;
static size_t section_names_size;
static char **placed; /* where each section is; NULL: not loaded */
static const Elf64_Sym *symbols;
static const char *symbol_names;
static size_t symbol_names_size;
static size_t n_symbols;
static uint64_t *addresses;  /* of each symbol; 0: not known yet */
static unsigned char *asked; /* of each symbol: how its address was requested; 0: not yet */
static char *stubs;          /* STUB bytes for each symbol */
static uint64_t *slots; /* the address of each symbol, for its stub and as a global offset table */
static char *parts[PARTS];
static size_t sizes[PARTS];

static _Noreturn void give_up(const char *why, const char *what) {
    char text[256];
    int n = snprintf(text, sizeof text, "culprit-loader: %s %s\n", why, what);
    if (write(VERDICT, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1) < 0) {
    }
    _exit(GIVE_UP);
}

/* ---- reading ---- */
static const void *inside(uint64_t offset, uint64_t size) {
    if (offset > file_size || size > file_size - offset) give_up("object file", "is cut off");
    return file + offset;
}

/* A string table, checked: its last string ends inside it. */
static const char *names_in(const Elf64_Shdr *s, size_t *size) {
    const char *names = inside(s->sh_offset, s->sh_size);
    if (!s->sh_size || names[s->sh_size - 1]) give_up("names", "without end");
    *size = s->sh_size;
    return names;
}

static void read_object(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof *head) give_up("cannot read", path);
    file_size = (size_t)st.st_size;
    file = mmap(NULL, file_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file == MAP_FAILED) give_up("cannot map", path);
    close(fd);
    head = inside(0, sizeof *head);
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_type != ET_REL ||
        head->e_machine != EM_X86_64 || head->e_shentsize != sizeof *sections)
        give_up("no object file:", path);
    sections = inside(head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    if (head->e_shstrndx >= head->e_shnum) give_up("no section names:", path);
    section_names = names_in(&sections[head->e_shstrndx], &section_names_size);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= head->e_shnum) continue;
        n_symbols = s->sh_size / sizeof *symbols;
        symbols = inside(s->sh_offset, s->sh_size);
        symbol_names = names_in(&sections[s->sh_link], &symbol_names_size);
    }
    if (!n_symbols) give_up("no symbols:", path);
}

/* ---- layout ---- */
static const char *name_of(const Elf64_Shdr *s) {
    if (s->sh_name >= section_names_size) give_up("a section", "without name");
    return section_names + s->sh_name;
}

static enum Part part_of(const Elf64_Shdr *s) {
    if (s->sh_flags & SHF_EXECINSTR) return TEXT;
    return s->sh_flags & SHF_WRITE ? DATA : CONSTANT;
}

static size_t take(enum Part part, size_t size, size_t align) {
    if (align > PAGE) give_up("alignment", "beyond a page");
    if (align > 1) sizes[part] = (sizes[part] + align - 1) / align * align;
    size_t at = sizes[part];
    sizes[part] += size;
    return at;
}

static void refuse_section(const Elf64_Shdr *s) {
    const char *name = name_of(s);
    if (s->sh_flags & SHF_TLS) give_up("thread-local", name);
    if (!strncmp(name, ".init_array.", 12) || !strncmp(name, ".fini_array.", 12) ||
        !strncmp(name, ".ctors", 6) || !strncmp(name, ".dtors", 6) ||
        !strncmp(name, ".preinit", 8) || !strcmp(name, ".init") || !strcmp(name, ".fini"))
        give_up("section", name);
}

static void lay_out(void) {
    size_t *at = calloc(head->e_shnum, sizeof *at), *common = calloc(n_symbols, sizeof *common);
    placed = calloc(head->e_shnum, sizeof *placed);
    addresses = calloc(n_symbols, sizeof *addresses);
    asked = calloc(n_symbols, 1);
    if (!at || !common || !placed || !addresses || !asked) give_up("no memory", "");
    for (unsigned i = 0; i < head->e_shnum; i++)
        if (!strcmp(name_of(&sections[i]), ".note.GNU-stack") &&
            sections[i].sh_flags & SHF_EXECINSTR)
            give_up("code on", "the stack"); /* trampolines of nested functions */
        else if (sections[i].sh_flags & SHF_ALLOC) {
            refuse_section(&sections[i]);
            at[i] = take(part_of(&sections[i]), sections[i].sh_size, sections[i].sh_addralign);
        }
    for (size_t k = 0; k < n_symbols; k++)
        if (symbols[k].st_shndx == SHN_COMMON)
            common[k] = take(DATA, symbols[k].st_size, symbols[k].st_value);
    size_t stubs_at = take(TEXT, n_symbols * STUB, STUB),
           slots_at = take(CONSTANT, n_symbols * 8, 8);
    size_t total = 0;
    for (int p = 0; p < PARTS; p++) total += (sizes[p] + 2 * PAGE - 1) / PAGE * PAGE;
    char *base =
        mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (base == MAP_FAILED) give_up("no memory below", "2 GB");
    for (int p = 0; p < PARTS; p++) {
        parts[p] = base;
        base += (sizes[p] + 2 * PAGE - 1) / PAGE * PAGE;
    }
    stubs = parts[TEXT] + stubs_at;
    slots = (uint64_t *)(void *)(parts[CONSTANT] + slots_at);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (!(s->sh_flags & SHF_ALLOC)) continue;
        placed[i] = parts[part_of(s)] + at[i];
        if (s->sh_type != SHT_NOBITS)
            memcpy(placed[i], inside(s->sh_offset, s->sh_size), s->sh_size);
    }
    for (size_t k = 0; k < n_symbols; k++)
        if (symbols[k].st_shndx == SHN_COMMON) addresses[k] = (uint64_t)(parts[DATA] + common[k]);
    free(at);
    free(common);
}

/* ---- symbols ---- */
static const char *symbol_name(size_t k) {
    if (symbols[k].st_name >= symbol_names_size) give_up("a symbol", "without name");
    return symbol_names + symbols[k].st_name;
}

static void *find_in_libraries(const char *name) {
    static const char *const more[] = { "libm.so.6", "libgcc_s.so.1" };
    static unsigned opened;
    if (!strcmp(name, "atexit")) return (void *)(uintptr_t)atexit; /* not in the shared library */
    void *found = dlsym(RTLD_DEFAULT, name);
    while (!found && opened < sizeof more / sizeof *more) {
        if (!dlopen(more[opened++], RTLD_NOW | RTLD_GLOBAL)) continue;
        found = dlsym(RTLD_DEFAULT, name);
    }
    return found;
}

static void define_symbols(void) {
    for (size_t k = 0; k < n_symbols; k++) {
        const Elf64_Sym *s = &symbols[k];
        unsigned type = ELF64_ST_TYPE(s->st_info);
        if (type == STT_TLS || type == STT_GNU_IFUNC) give_up("symbol", symbol_name(k));
        if (s->st_shndx == SHN_ABS)
            addresses[k] = s->st_value;
        else if (s->st_shndx < head->e_shnum && placed[s->st_shndx])
            addresses[k] = (uint64_t)placed[s->st_shndx] + s->st_value;
        bool global = ELF64_ST_BIND(s->st_info) != STB_LOCAL && s->st_shndx != SHN_UNDEF;
        if (global && dlsym(RTLD_DEFAULT, symbol_name(k)))
            give_up("the library defines it too:", symbol_name(k));
    }
}

static bool is_variable(void *address) {
    Dl_info info;
    const Elf64_Sym *sym = NULL;
    if (!dladdr1(address, &info, (void **)&sym, RTLD_DL_SYMENT) || !sym) return false;
    return ELF64_ST_TYPE(sym->st_info) == STT_OBJECT;
}

/* The address of symbol k; from the library where the program does not define it. */
static uint64_t address_of(size_t k, bool *foreign) {
    *foreign = symbols[k].st_shndx == SHN_UNDEF && k > 0;
    if (addresses[k] || !*foreign) return addresses[k];
    const char *name = symbol_name(k);
    if (!strncmp(name, "_Unwind", 7) || !strncmp(name, "__gcc_personality", 17) ||
        !strncmp(name, "pthread_", 8) || !strncmp(name, "__register", 10) ||
        !strncmp(name, "_GLOBAL_", 8))
        give_up("it needs", name);
    void *found = find_in_libraries(name);
    if (!found && ELF64_ST_BIND(symbols[k].st_info) != STB_WEAK) give_up("nobody has", name);
    return addresses[k] = (uint64_t)found;
}

static uint64_t slot_of(size_t k, uint64_t address) {
    slots[k] = address;
    return (uint64_t)&slots[k];
}

/* jmp *slot(%rip) */
static uint64_t stub_of(size_t k, uint64_t address) {
    char *stub = stubs + k * STUB;
    int32_t to = (int32_t)(slot_of(k, address) - (uint64_t)(stub + 6));
    memcpy(stub, "\xff\x25", 2);
    memcpy(stub + 2, &to, sizeof to);
    return (uint64_t)stub;
}

/* A library function has one address: its stub's where code can only reach that, its own everywhere
 * else. If both were used, the program could tell. */
enum { BY_STUB = 1, BY_ITSELF = 2 };
static uint64_t one_address(size_t k, uint64_t address, unsigned char how) {
    if (asked[k] && asked[k] != how) give_up("two addresses of", symbol_name(k));
    asked[k] = how;
    return address;
}

/* ---- relocation ---- */
static void put(char *at, uint64_t value, unsigned bytes, bool is_signed) {
    int64_t high = (int64_t)value >> (bytes * 8 - 1);
    bool fits = bytes == 8 || (is_signed ? high == 0 || high == -1 : value >> (bytes * 8) == 0);
    if (!fits) give_up("an address", "does not fit");
    memcpy(at, &value, bytes);
}

static void relocate(char *section, size_t size, const Elf64_Rela *r) {
    size_t k = ELF64_R_SYM(r->r_info);
    if (k >= n_symbols || r->r_offset > size || size - r->r_offset < 4)
        give_up("bad", "relocation");
    bool foreign;
    uint64_t s = address_of(k, &foreign), a = (uint64_t)r->r_addend;
    char *at = section + r->r_offset;
    uint64_t p = (uint64_t)at;
    bool far = foreign && s;
    switch (ELF64_R_TYPE(r->r_info)) {
    case R_X86_64_NONE: return;
    case R_X86_64_64:
        if (size - r->r_offset < 8) give_up("bad", "relocation");
        put(at, (far ? one_address(k, s, BY_ITSELF) : s) + a, 8, false);
        return;
    case R_X86_64_PLT32: put(at, (far ? stub_of(k, s) : s) + a - p, 4, true); return;
    case R_X86_64_PC32:
    case R_X86_64_32:
    case R_X86_64_32S:
        if (far && is_variable((void *)s)) give_up("a variable of the library:", symbol_name(k));
        if (far) s = one_address(k, stub_of(k, s), BY_STUB);
        if (ELF64_R_TYPE(r->r_info) == R_X86_64_PC32) s -= p;
        put(at, s + a, 4, ELF64_R_TYPE(r->r_info) != R_X86_64_32);
        return;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        if (far) one_address(k, s, BY_ITSELF);
        put(at, slot_of(k, s) + a - p, 4, true);
        return;
    default: give_up("a relocation", "of another kind");
    }
}

static void relocate_all(void) {
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type == SHT_REL) give_up("relocations", "without addends");
        if (s->sh_type != SHT_RELA || s->sh_info >= head->e_shnum || !placed[s->sh_info]) continue;
        const Elf64_Rela *all = inside(s->sh_offset, s->sh_size);
        for (size_t k = 0; k < s->sh_size / sizeof *all; k++)
            relocate(placed[s->sh_info], sections[s->sh_info].sh_size, &all[k]);
    }
}

/* ---- running ---- */
typedef void Hook(int, char **, char **);

static void run_hooks(const char *name, bool backwards, int argc, char **argv) {
    for (unsigned i = 0; i < head->e_shnum; i++) {
        if (!placed[i] || strcmp(name_of(&sections[i]), name)) continue;
        Hook **hooks = (Hook **)(void *)placed[i];
        size_t n = sections[i].sh_size / sizeof *hooks;
        for (size_t k = 0; k < n; k++) hooks[backwards ? n - 1 - k : k](argc, argv, environ);
    }
}

static void run_ends(void) {
    run_hooks(".fini_array", true, 0, NULL);
}

static uint64_t find_main(void) {
    for (size_t k = 0; k < n_symbols; k++)
        if (addresses[k] && ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC &&
            !strcmp(symbol_name(k), "main"))
            return addresses[k];
    give_up("no", "main");
}

int main(int argc, char **argv) {
    static char name[] = "./program";
    if (argc != 2) give_up("usage:", "culprit-loader PROGRAM.o");
    read_object(argv[1]);
    lay_out();
    define_symbols();
    relocate_all();
    union {
        uint64_t address;
        int (*call)(int, char **, char **);
    } entry = { .address = find_main() };
    if (mprotect(parts[TEXT], (sizes[TEXT] + PAGE - 1) / PAGE * PAGE, PROT_READ | PROT_EXEC) ||
        mprotect(parts[CONSTANT], (sizes[CONSTANT] + PAGE - 1) / PAGE * PAGE, PROT_READ))
        give_up("no rights for", "its code");
    close(VERDICT);
    argv[0] = name;
    argv[1] = NULL;
    atexit(run_ends);
    run_hooks(".init_array", false, 1, argv);
    exit(entry.call(1, argv, environ));
}
