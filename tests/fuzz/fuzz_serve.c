/* Any bytes as what a client sends to `culprit serve`: an answer, or the connection is closed; the
 * server keeps running. Only loopback, one connection at a time. */
#include "fuzz.h"
#include "report/serve.h"
#include "report/site.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

static Server *server;

static void start(void) {
    Arena arena = { 0 };
    Error err = { 0 };
    const char *path = file_join(&arena, fuzz_dir(), "serve.db");
    Store *store = store_open(path, STORE_WRITE, &err);
    Case c = { .compiler = STR("gcc-12"),
               .verdict = STR("crash"),
               .variant = STR("int a;\n"),
               .signature = STR("in f, at g.c:1") };
    int64_t id;
    CHECK(store && store_case_put(store, &c, &id, NULL, &err));
    store_close(store);
    ServeSpec spec = { .store = path };
    server = serve_start(&spec, &err);
    CHECK(server);
    arena_release(&arena);
}

/* Reads until the server closes or is silent for a while. */
static void take_answer(int fd) {
    char part[4096];
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    while (poll(&wait, 1, 20) > 0 && read(fd, part, sizeof part) > 0) continue;
}

static void send_bytes(Str bytes) {
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(serve_port(server)),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0) {
        ssize_t ignored = send(fd, bytes.at ? bytes.at : "", bytes.len, MSG_NOSIGNAL);
        (void)ignored;
        shutdown(fd, SHUT_WR);
        take_answer(fd);
    }
    close(fd);
}

/* The first line's name, and the query, without the network between. */
static void parse_name(Str bytes) {
    SiteRequest request = { 0 };
    Str line = bytes, word, name;
    size_t end = str_find(bytes, STR("\n"), 0);
    if (end != STR_NONE) line.len = end;
    if (str_split(&line, ' ', &word) && str_split(&line, ' ', &name) && name.len)
        site_parse(str_sub(name, 1, name.len), &request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!server) start();
    Str bytes = { (const char *)data, size };
    parse_name(bytes);
    send_bytes(bytes);
    return 0;
}
