/* The table of finders; see finders.h. What removes most comes first, what only makes text shorter
 * last. Early are those that paid in programs of hundreds of tokens. */
#include "reduce/find/finders.h"

const Finder finders[] = {
    { "ir trims", find_ir_trims, true, false },
    { "ir declares", find_ir_declares, true, false },
    { "ir branches", find_ir_branches, true, false },
    { "ir blocks", find_ir_blocks, true, false },
    { "ir zeros", find_ir_zeros, true, false },
    { "ir operands", find_ir_operands, true, false },
    { "ir poisons", find_ir_poisons, true, false },
    { "ir joins", find_ir_joins, true, false },
    { "ir parameters", find_ir_parameters, true, false },
    { "ir results", find_ir_results, true, false },
    { "values", find_values, true, false },
    { "variables", find_variables, true, false },
    { "firsts", find_firsts, true, false },
    { "namespaces", find_namespaces, true, false },
    { "directives", find_directives, false, false },
    { "concepts", find_concepts, true, false },
    { "templates", find_templates, true, false },
    { "defaults", find_defaults, true, false },
    { "classes", find_classes, true, false },
    { "aliases", find_aliases, true, false },
    { "takeovers", find_takeovers, true, false },
    { "bodies", find_bodies, false, false },
    { "hollows", find_hollows, true, false },
    { "procedures", find_procedures, true, false },
    { "names", find_names, false, false },
    { "oldstyles", find_oldstyles, true, false },
    { "parameters", find_parameters, true, false },
    { "arguments", find_arguments, false, false },
    { "typedefs", find_typedefs, true, false },
    { "records", find_records, true, false },
    { "members", find_members, true, false },
    { "arrays", find_arrays, true, false },
    { "pointers", find_pointers, false, false },
    { "hoists", find_hoists, false, false },
    { "inner values", find_inner_values, false, false },
    { "copies", find_copies, false, false },
    { "peels", find_peels, false, false },
    { "declarators", find_declarators, false, false },
    { "results", find_results, true, false },
    { "vectors", find_vectors, false, false },
    { "alike", find_alike, false, false },
    { "types", find_types, false, false },
    { "enumerators", find_enumerators, false, false },
    { "headers", find_headers, false, false },
    { "inlines", find_inlines, true, false },
    { "shows", find_shows, true, false },
    { "formats", find_formats, false, false },
    { "designators", find_designators, false, false },
    { "starts", find_starts, false, false },
    { "moves", find_moves, true, false },
    { "merges", find_merges, false, false },
    { "locals", find_locals, false, false },
    { "bodiless", find_bodiless, false, false },
    { "loops", find_loops, false, false },
    { "parallels", find_parallels, false, true },
    { "texts", find_texts, false, false },
    { "literals", find_literals, false, false },
    { NULL, NULL, false, false },
};

const Finder last_finders[] = { { "windows", find_windows, false, true },
                                { NULL, NULL, false, false } };

const Finder *finder_named(const char *name) {
    for (const Finder *f = finders; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    for (const Finder *f = last_finders; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

bool finder_is_blind(FindSets find) {
    for (const Finder *f = finders; f->name; f++)
        if (f->find == find) return f->blind;
    for (const Finder *f = last_finders; f->name; f++)
        if (f->find == find) return f->blind;
    return false;
}
