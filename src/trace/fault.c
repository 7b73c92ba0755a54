/* Where a fatal signal struck (machine.h): among the steps since the last record, the one that
 * touches the address, or divides by zero. */
#include "trace/fold.h"
#include "trace/layout.h"
#include "trace/machine.h"

static bool touches(const Machine *m, Step s) {
    const Inst *inst = trace_inst(m->t, s);
    uint64_t fault = m->t->fault, at = 0, size = 0;
    if (inst->op == OP_LOAD && inst->checked)
        at = trace_operand_value(m->t, s, 0), size = inst->type.size;
    else if (inst->op == OP_STORE && inst->checked)
        at = trace_operand_value(m->t, s, 1), size = code_operand(&m->t->code, inst, 0)->type.size;
    else if (inst->op == OP_CALL && inst->call == CALL_MEMORY) {
        size = trace_operand_value(m->t, s, 2);
        uint64_t from = trace_operand_value(m->t, s, 1);
        at = trace_operand_value(m->t, s, 0);
        if (fault - from < size) return true;
    }
    /* A non-canonical address is reported as 0. */
    return size && (fault - at < size || (fault == 0 && at >> 47 != 0));
}

static bool divides_by_zero(const Machine *m, Step s) {
    const Inst *inst = trace_inst(m->t, s);
    if (inst->op < OP_UDIV || inst->op > OP_SREM) return false;
    uint64_t b = trace_operand_value(m->t, s, 1);
    return b == 0 || bits_signed(b, inst->type.bits) == -1;
}

/* The step at which a fatal signal struck: among those that ran since the last record. */
void machine_find_fault(Machine *m) {
    Trace *t = m->t;
    t->info.end = TRACE_END_SIGNAL;
    t->info.code = m->signal;
    for (size_t s = m->settled; s < t->value.len; s++) {
        bool here = m->signal == 8 ? divides_by_zero(m, (Step)s) : touches(m, (Step)s);
        if (!here) continue;
        t->failing = (Step)s;
        t->value.len = t->def.len = s + 1;
        while (t->segments.len && vec_last(&t->segments).first > t->failing) t->segments.len--;
        return;
    }
    t->failing_guessed = true;
    if (t->value.len) t->failing = (Step)(t->value.len - 1);
}
