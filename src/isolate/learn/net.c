/* See net.h. Adam: Kingma and Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1.
 */
#include "isolate/learn/net.h"
#include "isolate/isolate_knobs.h"

#include <math.h>

void net_init(Net *net, unsigned in, unsigned hidden, unsigned out, double deviation, Rng *rng) {
    *net = (Net){ .in = in, .hidden = hidden, .out = out };
    net->n = hidden * in + hidden + out * hidden + out;
    net->p = mem_alloc(net->n * sizeof(double));
    net->grad = mem_alloc(net->n * sizeof(double));
    net->m = mem_alloc(net->n * sizeof(double));
    net->v = mem_alloc(net->n * sizeof(double));
    net->h = mem_alloc(hidden * sizeof(double));
    for (unsigned i = 0; i < hidden * in; i++) net->p[i] = deviation * rng_normal(rng);
    for (unsigned i = 0; i < out * hidden; i++)
        net->p[hidden * in + hidden + i] = deviation * rng_normal(rng);
}

void net_release(Net *net) {
    mem_free(net->p);
    mem_free(net->grad);
    mem_free(net->m);
    mem_free(net->v);
    mem_free(net->h);
    *net = (Net){ 0 };
}

void net_forward(Net *net, const double *x, double *y) {
    const double *w1 = net->p, *b1 = w1 + net->hidden * net->in, *w2 = b1 + net->hidden,
                 *b2 = w2 + net->out * net->hidden;
    for (unsigned j = 0; j < net->hidden; j++) {
        double sum = b1[j];
        for (unsigned i = 0; i < net->in; i++) sum += w1[j * net->in + i] * x[i];
        net->h[j] = sum;
    }
    for (unsigned k = 0; k < net->out; k++) {
        double sum = b2[k];
        for (unsigned j = 0; j < net->hidden; j++)
            if (net->h[j] > 0) sum += w2[k * net->hidden + j] * net->h[j];
        y[k] = sum;
    }
}

void net_backward(Net *net, const double *x, const double *dy) {
    const double *w2 = net->p + net->hidden * net->in + net->hidden;
    double *g1 = net->grad, *gb1 = g1 + net->hidden * net->in, *g2 = gb1 + net->hidden,
           *gb2 = g2 + net->out * net->hidden;
    for (unsigned k = 0; k < net->out; k++) gb2[k] += dy[k];
    for (unsigned j = 0; j < net->hidden; j++) {
        if (net->h[j] <= 0) continue;
        double dh = 0;
        for (unsigned k = 0; k < net->out; k++) {
            g2[k * net->hidden + j] += dy[k] * net->h[j];
            dh += dy[k] * w2[k * net->hidden + j];
        }
        gb1[j] += dh;
        for (unsigned i = 0; i < net->in; i++) g1[j * net->in + i] += dh * x[i];
    }
}

void net_step(Net *net, double rate) {
    net->steps++;
    double c1 = 1 - pow(ADAM_BETA1, net->steps), c2 = 1 - pow(ADAM_BETA2, net->steps);
    for (unsigned i = 0; i < net->n; i++) {
        double g = net->grad[i];
        net->m[i] = ADAM_BETA1 * net->m[i] + (1 - ADAM_BETA1) * g;
        net->v[i] = ADAM_BETA2 * net->v[i] + (1 - ADAM_BETA2) * g * g;
        net->p[i] -= rate * (net->m[i] / c1) / (sqrt(net->v[i] / c2) + ADAM_EPSILON);
        net->grad[i] = 0;
    }
}

void softmax(const double *x, unsigned n, double *p) {
    double high = x[0], sum = 0;
    for (unsigned i = 1; i < n; i++)
        if (x[i] > high) high = x[i];
    for (unsigned i = 0; i < n; i++) sum += p[i] = exp(x[i] - high);
    for (unsigned i = 0; i < n; i++) p[i] /= sum;
}
