/* The table of finders; see finders.h. What removes most comes first, what only makes text shorter
 * last. */
#include "reduce/find/finders.h"

const Finder finders[] = {
    { "namespaces", find_namespaces },
    { "directives", find_directives },
    { "concepts", find_concepts },
    { "templates", find_templates },
    { "defaults", find_defaults },
    { "classes", find_classes },
    { "aliases", find_aliases },
    { "takeovers", find_takeovers },
    { "bodies", find_bodies },
    { "names", find_names },
    { "parameters", find_parameters },
    { "arguments", find_arguments },
    { "typedefs", find_typedefs },
    { "records", find_records },
    { "members", find_members },
    { "arrays", find_arrays },
    { "pointers", find_pointers },
    { "copies", find_copies },
    { "peels", find_peels },
    { "results", find_results },
    { "alike", find_alike },
    { "types", find_types },
    { "enumerators", find_enumerators },
    { "headers", find_headers },
    { "inlines", find_inlines },
    { "shows", find_shows },
    { "designators", find_designators },
    { "starts", find_starts },
    { "moves", find_moves },
    { "merges", find_merges },
    { "locals", find_locals },
    { "bodiless", find_bodiless },
    { "literals", find_literals },
    { NULL, NULL },
};

const Finder last_finders[] = { { "windows", find_windows }, { NULL, NULL } };

const Finder *finder_named(const char *name) {
    for (const Finder *f = finders; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    for (const Finder *f = last_finders; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}
