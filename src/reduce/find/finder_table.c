/* The table of finders; see finders.h. What removes most comes first, what only makes text shorter
 * last. Early are those that paid in programs of hundreds of tokens. */
#include "reduce/find/finders.h"

const Finder finders[] = {
    { "ir trims", find_ir_trims, true },
    { "ir declares", find_ir_declares, true },
    { "ir branches", find_ir_branches, true },
    { "ir blocks", find_ir_blocks, true },
    { "ir zeros", find_ir_zeros, true },
    { "ir operands", find_ir_operands, true },
    { "ir poisons", find_ir_poisons, true },
    { "ir joins", find_ir_joins, true },
    { "ir parameters", find_ir_parameters, true },
    { "ir results", find_ir_results, true },
    { "values", find_values, true },
    { "variables", find_variables, true },
    { "firsts", find_firsts, true },
    { "namespaces", find_namespaces, true },
    { "directives", find_directives, false },
    { "concepts", find_concepts, true },
    { "templates", find_templates, true },
    { "defaults", find_defaults, true },
    { "classes", find_classes, true },
    { "aliases", find_aliases, true },
    { "takeovers", find_takeovers, true },
    { "bodies", find_bodies, false },
    { "hollows", find_hollows, true },
    { "procedures", find_procedures, true },
    { "names", find_names, false },
    { "oldstyles", find_oldstyles, true },
    { "parameters", find_parameters, true },
    { "arguments", find_arguments, false },
    { "typedefs", find_typedefs, true },
    { "records", find_records, true },
    { "members", find_members, true },
    { "arrays", find_arrays, true },
    { "pointers", find_pointers, false },
    { "inner values", find_inner_values, false },
    { "copies", find_copies, false },
    { "peels", find_peels, false },
    { "declarators", find_declarators, false },
    { "results", find_results, true },
    { "vectors", find_vectors, false },
    { "alike", find_alike, false },
    { "types", find_types, false },
    { "enumerators", find_enumerators, false },
    { "headers", find_headers, false },
    { "inlines", find_inlines, true },
    { "shows", find_shows, true },
    { "formats", find_formats, false },
    { "designators", find_designators, false },
    { "starts", find_starts, false },
    { "moves", find_moves, true },
    { "merges", find_merges, false },
    { "locals", find_locals, false },
    { "bodiless", find_bodiless, false },
    { "loops", find_loops, false },
    { "texts", find_texts, false },
    { "literals", find_literals, false },
    { NULL, NULL, false },
};

const Finder last_finders[] = { { "windows", find_windows, false }, { NULL, NULL, false } };

const Finder *finder_named(const char *name) {
    for (const Finder *f = finders; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    for (const Finder *f = last_finders; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}
