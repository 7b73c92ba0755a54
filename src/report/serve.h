/* The site over HTTP, read-only.
 *
 * Answers GET and HEAD for the names site.h knows and nothing else: a URL is compared with fixed
 * forms and never becomes a path, nothing is started and nothing written. Each thread of the server
 * reads through a connection of its own. */
#ifndef CULPRIT_REPORT_SERVE_H
#define CULPRIT_REPORT_SERVE_H

#include "base/base.h"

typedef struct ServeSpec {
    const char *store;   /* path, or NULL: the default */
    const char *address; /* numeric; NULL: loopback */
    uint16_t port;       /* 0: any free one */
    const char *token;   /* what a request must carry; NULL: nothing */
} ServeSpec;

typedef struct Server Server;
/* Starts answering; NULL and err when the store cannot be read or the address is not available. */
Server *serve_start(const ServeSpec *spec, Error *err);
uint16_t serve_port(const Server *server);
void serve_stop(Server *server);

#endif
