/* A small neural net: one hidden layer of ReLU, a linear output, trained by Adam. All parameters in
 * one array: weights of the hidden layer row by row, its biases, weights of the output, its biases.
 */
#ifndef CULPRIT_ISOLATE_LEARN_NET_H
#define CULPRIT_ISOLATE_LEARN_NET_H

#include "base/base.h"
#include "base/rng.h"

typedef struct Net {
    unsigned in, hidden, out;
    unsigned n;     /* parameters */
    double *p;      /* parameters */
    double *grad;   /* of the loss, summed by net_backward */
    double *m, *v;  /* Adam's moments */
    double *h;      /* hidden layer after the last net_forward, before ReLU */
    unsigned steps; /* of Adam so far */
} Net;

/* Weights normal(0, deviation), biases 0. */
void net_init(Net *net, unsigned in, unsigned hidden, unsigned out, double deviation, Rng *rng);
void net_release(Net *net);
void net_forward(Net *net, const double *x, double *y);
/* Adds the gradient of a loss whose derivative by the output is dy, at x: net_forward(x) must be
 * the last call. */
void net_backward(Net *net, const double *x, const double *dy);
/* One step of Adam against grad (descends), then grad is 0 again. */
void net_step(Net *net, double rate);
void softmax(const double *x, unsigned n, double *p);

#endif
