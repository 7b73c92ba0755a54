#include "explain/explain.h"
void after_run(ExplainWork *work) {
    AuxFinder aux;
    aux_init(&aux, work->oracle);
    search_dynamic(&aux, work->candidates, true, work->answer);
    aux_release(&aux);
}
void add_run(ExplainWork *work) {
    search_dd(work->oracle, work->candidates, work->answer);
}
