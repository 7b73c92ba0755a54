/* JSON through jansson (Debian: libjansson-dev), with the two things it leaves to its users: text
 * that is not valid UTF-8, and writing to a stream with one status. */
#ifndef CULPRIT_BASE_JSON_H
#define CULPRIT_BASE_JSON_H

#include "base/base.h"
#include <jansson.h>

/* A JSON string from any bytes: invalid UTF-8 and NUL become U+FFFD. Never NULL. */
json_t *json_text(Str s);
/* Sets object[key] and takes over value. */
void json_put(json_t *object, const char *key, json_t *value);
void json_put_text(json_t *object, const char *key, Str s);
void json_put_int(json_t *object, const char *key, int64_t value);
void json_put_real(json_t *object, const char *key, double value);
void json_put_bool(json_t *object, const char *key, bool value);
/* Reads: the member, or the fallback when it is missing or of another kind. */
Str json_get_text(const json_t *object, const char *key); /* empty when missing */
int64_t json_get_int(const json_t *object, const char *key, int64_t fallback);
double json_get_real(const json_t *object, const char *key, double fallback);
bool json_get_bool(const json_t *object, const char *key, bool fallback);

/* Parses text; name is what the error message calls it. NULL and err on failure. */
json_t *json_parse(Str text, const char *name, Error *err);
/* Appends value, sorted keys, indented when pretty. */
void json_dump_buf(const json_t *value, bool pretty, Buf *out);
/* value on stdout with a newline: what --json prints. */
void json_print(const json_t *value);

#endif
