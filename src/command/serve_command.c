/* culprit serve: the pages live from the store. */
#include "base/file.h"
#include "base/live.h"
#include "base/opts.h"
#include "command/commands.h"
#include "report/serve.h"

#include <signal.h>
#include <sys/random.h>

typedef struct ServeOptions {
    const char *store, *address, *token_file, *token;
    uint64_t port;
} ServeOptions;

#define AT(member) OPT_IN(ServeOptions, member)
static const Opt table[] = {
    { 0, "store", OPT_STR, AT(store), "STORE", "a file, or postgresql://.. [the user's own]",
      "@files" },
    { 0, "port", OPT_UINT, AT(port), "N", "port to listen on [8080; 0: any free one]", NULL },
    { 0, "listen", OPT_STR, AT(address), "ADDR",
      "listen on this address instead of loopback; asks for a token", NULL },
    { 0, "token-file", OPT_STR, AT(token_file), "FILE",
      "a file with the token [a new one, printed]", "@files" },
    { 0 },
};
#undef AT
static const OptSpec spec = {
    "serve",
    "[OPTION]..",
    "show the pages live in a browser",
    table,
    NULL,
    "Read-only: it starts nothing and writes nothing. Ends with SIGINT or SIGTERM.\n",
    0,
    0,
    NULL,
};

static const char *new_token(char out[33]) {
    unsigned char bytes[16];
    CHECK(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return out;
}

/* What can be used in a URL and in a cookie without quoting. */
static bool good_token(const char *word) {
    for (const char *c = word; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '-' || *c == '_'))
            return false;
    return strlen(word) >= 8;
}

static void say_where(const ServeOptions *o, const Server *server) {
    const char *host = o->address ? o->address : "127.0.0.1";
    bool v6 = strchr(host, ':') != NULL;
    printf("http://%s%s%s:%u/%s%s\n", v6 ? "[" : "", host, v6 ? "]" : "", serve_port(server),
           o->token ? "?token=" : "", o->token ? o->token : "");
}

/* From a file: everybody on the machine can read arguments. */
static bool read_token(Arena *arena, ServeOptions *o, Error *err) {
    Str text;
    if (!file_read(arena, o->token_file, &text, err)) return false;
    o->token = arena_cstr(arena, str_trim(text));
    return good_token(o->token) ||
           err_set(err, STATUS_BAD, "%s: a token is at least 8 letters, digits, '-' or '_'",
                   o->token_file);
}

/* Serves until a signal ends it. */
static bool serve(Arena *arena, ServeOptions *o, Error *err) {
    char fresh[33];
    if (o->port > 65535) return err_set(err, STATUS_BAD, "--port takes a number up to 65535");
    if (o->token_file && !read_token(arena, o, err)) return false;
    if (o->address && !o->token) o->token = new_token(fresh);
    /* blocked before the server's threads start, so that only the wait below sees them */
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    Server *server =
        serve_start(&(ServeSpec){ o->store, o->address, (uint16_t)o->port, o->token }, err);
    if (!server) return false;
    say_where(o, server);
    int which;
    /* otherwise nobody would know where it is */
    bool said = fflush(stdout) == 0 || err_write(err, "cannot write to standard output");
    if (said) sigwait(&ends, &which);
    serve_stop(server);
    clearerr(stdout);
    return said;
}

int serve_command(int argc, char **argv) {
    Error err = { 0 };
    Arena arena = { 0 };
    ServeOptions o = { .port = 8080 };
    Opts opts;
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    bool ok = end == OPTS_STOP || (end == OPTS_GO && serve(&arena, &o, &err));
    arena_release(&arena);
    opts_release(&opts);
    return ok ? STATUS_DONE : err_report(&err);
}
