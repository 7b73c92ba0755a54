/* The site over HTTP, through libmicrohttpd: a few threads, each with its own epoll loop.
 *
 * Protection against pages of other sites in the same browser: on loopback only requests whose Host
 * is loopback are answered (a foreign name that resolves to 127.0.0.1 is not ours), no other origin
 * may frame or read a page, and the policy allows nothing but the page's own style and script. */
#include "report/serve.h"

#include "report/site.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>

enum { THREADS = 4, CONNECTIONS = 1000, IDLE_S = 15 };
enum { ROOM = 6 * 1024 };         /* per connection, for headers both ways: slow clients keep it */
enum { CLIENT_CONNECTIONS = 64 }; /* per client address, where others can reach us */

struct Server {
    struct MHD_Daemon *daemon;
    ServeSpec spec;      /* strings are owned */
    bool loopback;       /* bound to 127.0.0.0/8 or ::1 */
    pthread_key_t store; /* the thread's connection */
    Buf policy;          /* value of Content-Security-Policy */
};

/* ---- answers ---- */

/* The body goes with the answer: a slow reader keeps one copy of its page, not two. */
static struct MHD_Response *take_body(Buf *body) {
    if (!body->at) return MHD_create_response_from_buffer(0, (char *)"", MHD_RESPMEM_PERSISTENT);
    char *fitting = realloc(body->at, body->len + 1);
    if (fitting) body->at = fitting;
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body->len, body->at, MHD_RESPMEM_MUST_FREE);
    if (response) *body = (Buf){ 0 };
    return response;
}

static enum MHD_Result answer(Server *server, struct MHD_Connection *connection, unsigned status,
                              Buf *body, const char *type, const char *extra, const char *value) {
    struct MHD_Response *response = take_body(body);
    if (!response) return MHD_NO;
    const char *const headers[][2] = {
        { "Content-Type", type },
        { "Content-Security-Policy", server->policy.at },
        { "X-Content-Type-Options", "nosniff" },
        { "Referrer-Policy", "no-referrer" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
        { "Cross-Origin-Opener-Policy", "same-origin" },
        { "Cache-Control", "no-store" },
    };
    for (size_t i = 0; i < COUNT_OF(headers); i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    if (extra) MHD_add_response_header(response, extra, value);
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(Server *server, struct MHD_Connection *connection, unsigned status,
                              const char *words) {
    Buf body = { 0 };
    Page page = { &body, true, NULL, false, 0 };
    page_begin(&page, str_from(words));
    buf_fmt(&body, "<h1>%s</h1>\n", words);
    if (status == MHD_HTTP_UNAUTHORIZED)
        buf_text(&body,
                 "<p>culprit serve has printed it.</p><form class=\"filter\" method=\"get\" "
                 "action=\"index.html\">"
                 "<label>token<input name=\"token\" type=\"password\" autocomplete=\"off\"></label>"
                 "<button class=\"go\">Open</button></form>\n");
    else
        buf_text(&body, "<p><a href=\"index.html\">Overview</a></p>\n");
    page_end(&page);
    bool method = status == MHD_HTTP_METHOD_NOT_ALLOWED;
    enum MHD_Result result = answer(server, connection, status, &body, "text/html; charset=utf-8",
                                    method ? "Allow" : NULL, "GET, HEAD");
    buf_release(&body);
    return result;
}

/* ---- who is asking ---- */

/* Takes as long for a wrong secret as for the right one. */
static bool same_secret(const char *a, const char *b) {
    size_t n = strlen(b);
    unsigned differ = strlen(a) != n;
    for (size_t i = 0; i < n && a[i]; i++) differ |= (unsigned)(a[i] ^ b[i]);
    return !differ;
}

static const char *given_token(struct MHD_Connection *connection) {
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");
}

static bool has_token(const Server *server, struct MHD_Connection *connection) {
    const char *cookie = MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, "culprit");
    const char *header = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    if (cookie && same_secret(cookie, server->spec.token)) return true;
    return header && strncmp(header, "Bearer ", 7) == 0 &&
           same_secret(header + 7, server->spec.token);
}

/* A token in the URL is put into a cookie, and the browser sent to the page without it. */
static enum MHD_Result welcome(Server *server, struct MHD_Connection *connection) {
    Buf cookie = { 0 };
    buf_fmt(&cookie, "culprit=%s; HttpOnly; SameSite=Strict; Path=/", server->spec.token);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, (char *)"", MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(response, "Set-Cookie", cookie.at);
    MHD_add_response_header(response, "Location", "index.html");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_SEE_OTHER, response);
    MHD_destroy_response(response);
    buf_release(&cookie);
    return result;
}

static bool is_port(const char *text) {
    return *text == ':' && strspn(text + 1, "0123456789") == strlen(text + 1);
}

static bool host_is_ours(const Server *server, struct MHD_Connection *connection) {
    if (!server->loopback) return true;
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    if (!host) return true; /* HTTP/1.0: no browser */
    const char *given = server->spec.address;
    char own[64]; /* as a Host header names it */
    snprintf(own, sizeof own, given && strchr(given, ':') ? "[%s]" : "%s", given ? given : "");
    const char *const ours[] = { "localhost", "127.0.0.1", "[::1]", own };
    for (size_t i = 0; i < COUNT_OF(ours); i++) {
        size_t n = strlen(ours[i]); /* the whole name, with at most a port after it */
        if (n && strncasecmp(host, ours[i], n) == 0 && (!host[n] || is_port(host + n))) return true;
    }
    return false;
}

/* ---- pages ---- */

/* The thread's own connection to the store; NULL when it cannot be opened. */
static Store *my_store(Server *server, Error *err) {
    Store *store = pthread_getspecific(server->store);
    if (!store) {
        store = store_open(server->spec.store, STORE_READ, err);
        pthread_setspecific(server->store, store);
    }
    return store;
}

static void close_store(void *store) {
    store_close(store);
}

static const char *argument(struct MHD_Connection *connection, const char *name) {
    const char *value = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    return value && *value ? value : NULL;
}

static void read_filter(struct MHD_Connection *connection, CaseFilter *filter) {
    static const char *const orders[] = { "id", "count", "size", "updated", "compiler" };
    const char *sort = argument(connection, "sort"), *direction = argument(connection, "dir");
    uint64_t number;
    filter->compiler = argument(connection, "compiler");
    filter->verdict = argument(connection, "verdict");
    filter->text = argument(connection, "text");
    for (size_t i = 0; sort && i < COUNT_OF(orders); i++)
        if (strcmp(sort, orders[i]) == 0) filter->order = (CaseOrder)i;
    if (direction) filter->descending = strcmp(direction, "asc") != 0;
    if (str_to_u64(str_from(argument(connection, "page")), &number) && number > 1 &&
        number < 1000000000)
        filter->offset = (size_t)(number - 1) * filter->limit;
}

static int64_t number_argument(struct MHD_Connection *connection, const char *name) {
    const char *value = argument(connection, name);
    int64_t n;
    return value && str_to_i64(str_from(value), &n) && n > 0 ? n : 0;
}

/* A short address: redirects permanently to the page's full name. */
static enum MHD_Result lead_to(Server *server, struct MHD_Connection *connection,
                               const SiteRequest *request) {
    char name[64], where[72];
    Buf none = { 0 };
    site_name(request, name);
    snprintf(where, sizeof where, "/%s", name);
    return answer(server, connection, MHD_HTTP_MOVED_PERMANENTLY, &none, "text/html; charset=utf-8",
                  "Location", where);
}

static enum MHD_Result respond(Server *server, struct MHD_Connection *connection, const char *url) {
    SiteRequest request;
    Error err = { 0 };
    if (!host_is_ours(server, connection))
        return refuse(server, connection, MHD_HTTP_MISDIRECTED_REQUEST,
                      "This server does not answer for that host");
    if (server->spec.token && !has_token(server, connection)) {
        const char *token = given_token(connection);
        if (token && same_secret(token, server->spec.token)) return welcome(server, connection);
        return refuse(server, connection, MHD_HTTP_UNAUTHORIZED, "A token is needed");
    }
    if (url[0] != '/' || !site_parse(str_from(url + 1), &request))
        return refuse(server, connection, MHD_HTTP_NOT_FOUND, "There is no such page");
    if (request.moved) return lead_to(server, connection, &request);
    read_filter(connection, &request.filter);
    if (request.kind == SITE_COMPARE) {
        request.id = number_argument(connection, "a");
        request.other = number_argument(connection, "b");
    }
    Store *store = my_store(server, &err);
    Buf body = { 0 };
    bool ok = store && site_render(store, &request, true, &body, &err);
    enum MHD_Result result;
    if (ok)
        result =
            answer(server, connection, MHD_HTTP_OK, &body, site_type(request.kind), NULL, NULL);
    else if (err.status == STATUS_NO)
        result =
            refuse(server, connection, MHD_HTTP_NOT_FOUND, "There is no such case or campaign");
    else {
        fprintf(stderr, "culprit: %s\n", err.text);
        result = refuse(server, connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                        "The store cannot be read now");
    }
    buf_release(&body);
    return result;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state) {
    static int seen;
    (void)version, (void)upload;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return refuse(cls, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                      "This site is for reading only");
    if (*state != &seen)
        return *state = &seen, MHD_YES; /* the headers; the end of the request follows */
    if (*upload_size) return *upload_size = 0, MHD_YES; /* an unexpected body */
    return respond(cls, connection, url);
}

/* ---- starting ---- */

static bool is_loopback(const struct sockaddr *address) {
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)address;
        return ntohl(in->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *in6 = (const void *)address;
    return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
}

static struct MHD_Daemon *start(Server *server, const struct addrinfo *where) {
    unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | (where->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0);
    return MHD_start_daemon(flags, server->spec.port, NULL, NULL, handle, server,
                            MHD_OPTION_SOCK_ADDR, where->ai_addr, MHD_OPTION_THREAD_POOL_SIZE,
                            (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                            MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                            (unsigned)(server->loopback ? CONNECTIONS : CLIENT_CONNECTIONS),
                            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)ROOM, MHD_OPTION_END);
}

static void server_free(Server *server) {
    mem_free((char *)server->spec.store);
    mem_free((char *)server->spec.address);
    mem_free((char *)server->spec.token);
    buf_release(&server->policy);
    mem_free(server);
}

static char *copy(const char *text) {
    return text ? mem_strdup(text) : NULL;
}

Server *serve_start(const ServeSpec *spec, Error *err) {
    Store *store = store_open(spec->store, STORE_READ, err);
    if (!store) return NULL;
    store_close(store);
    struct addrinfo *where,
        hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
    char port[8];
    const char *address = spec->address ? spec->address : "127.0.0.1";
    snprintf(port, sizeof port, "%u", spec->port);
    if (getaddrinfo(address, port, &hints, &where) != 0) {
        err_set(err, STATUS_BAD, "'%s' is not a numeric address to listen on", address);
        return NULL;
    }
    Server *server = mem_alloc(sizeof *server);
    server->spec =
        (ServeSpec){ copy(spec->store), copy(spec->address), spec->port, copy(spec->token) };
    server->loopback = is_loopback(where->ai_addr);
    page_policy(&server->policy, true);
    CHECK(pthread_key_create(&server->store, close_store) == 0);
    server->daemon = start(server, where);
    freeaddrinfo(where);
    if (server->daemon) return server;
    err_set(err, STATUS_BAD, "cannot listen on %s port %u: %s", address, spec->port,
            strerror(errno));
    pthread_key_delete(server->store);
    server_free(server);
    return NULL;
}

uint16_t serve_port(const Server *server) {
    return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

void serve_stop(Server *server) {
    MHD_stop_daemon(
        server->daemon); /* ends the threads, and so closes their connections to the store */
    pthread_key_delete(server->store);
    server_free(server);
}
