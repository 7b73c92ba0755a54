/* culprit serve: the pages live from the store. */
#include "base/live.h"
#include "base/opts.h"
#include "command/commands.h"
#include "report/serve.h"

#include <signal.h>
#include <sys/random.h>

static const char *store_file, *address, *token;
static uint64_t port = 8080;

static const Opt table[] = {
    { 0, "store", OPT_STR, &store_file, "FILE", "the store (default: the user's own)", "@files" },
    { 0, "port", OPT_UINT, &port, "N", "where to listen (default 8080; 0: any free port)", NULL },
    { 0, "listen", OPT_STR, &address, "ADDR",
      "on this address instead of loopback; asks for a token", NULL },
    { 0, "token", OPT_STR, &token, "WORD", "the token (default: a new one, printed)", NULL },
    { 0 },
};
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

/* What stands in a URL and in a cookie without quoting. */
static bool good_token(const char *word) {
    for (const char *c = word; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '-' || *c == '_'))
            return false;
    return strlen(word) >= 8;
}

static void say_where(const Server *server) {
    const char *host = address ? address : "127.0.0.1";
    bool v6 = strchr(host, ':') != NULL;
    printf("http://%s%s%s:%u/%s%s\n", v6 ? "[" : "", host, v6 ? "]" : "", serve_port(server),
           token ? "?token=" : "", token ? token : "");
    fflush(stdout);
}

int serve_command(int argc, char **argv) {
    Error err = { 0 };
    char fresh[33];
    OptsEnd end = opts_parse(&spec, argc, argv, NULL, &err);
    if (end == OPTS_STOP) return STATUS_DONE;
    if (end == OPTS_BAD) return err_report(&err);
    if (port > 65535)
        err_set(&err, STATUS_BAD, "--port takes a number up to 65535");
    else if (token && !good_token(token))
        err_set(&err, STATUS_BAD, "--token takes at least 8 letters, digits, '-' or '_'");
    if (err.status) return err_report(&err);
    if (address && !token) token = new_token(fresh);
    /* blocked before the server's threads start, so that only the wait below sees them */
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    Server *server = serve_start(&(ServeSpec){ store_file, address, (uint16_t)port, token }, &err);
    if (!server) return err_report(&err);
    say_where(server);
    int which;
    sigwait(&ends, &which);
    serve_stop(server);
    return STATUS_DONE;
}
