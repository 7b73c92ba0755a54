/* Operands and memory of requests; see hunt_options.h. */
#include "command/campaign/hunt_options.h"

#include "base/file.h"

void hunt_operands(HuntRequest *r, const StrVec *operands) {
    for (size_t i = 0; i < operands->len; i++) {
        bool seed = str_ends(operands->at[i], ".c") || file_is_dir(operands->at[i].at);
        vec_push(seed ? &r->seeds : &r->compilers, operands->at[i]);
    }
}

void hunt_request_release(HuntRequest *r) {
    vec_release(&r->compilers);
    vec_release(&r->references);
    vec_release(&r->seeds);
    vec_release(&r->includes);
}
