/* Replays SQL against the SQLite it is linked with and prints what comes back through stdio.
 *
 *     driver FILE.sql
 *
 * A line "--#new" opens a fresh database in memory; a line "--#NAME" starts a block and prints its
 * name. The text up to the next such line is run statement by statement: one line a row, values
 * separated by spaces, NULL as {}, blobs as hex, an error as "error: message" (the rest of the block is
 * skipped then). */
#include "sqlite3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_value(sqlite3_stmt *stmt, int column) {
    int type = sqlite3_column_type(stmt, column);
    if (column) printf(" ");
    if (type == SQLITE_NULL) {
        printf("{}");
    } else if (type == SQLITE_BLOB) {
        const unsigned char *bytes = sqlite3_column_blob(stmt, column);
        int n = sqlite3_column_bytes(stmt, column);
        printf("x'");
        for (int i = 0; i < n; i++) printf("%02x", bytes[i]);
        printf("'");
    } else {
        printf("%s", (const char *)sqlite3_column_text(stmt, column));
    }
}

static int run_statement(sqlite3 *db, sqlite3_stmt *stmt) {
    int columns = sqlite3_column_count(stmt), code;
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) print_value(stmt, i);
        printf("\n");
    }
    if (code != SQLITE_DONE) printf("error: %s\n", sqlite3_errmsg(db));
    sqlite3_finalize(stmt);
    return code == SQLITE_DONE;
}

static void run_block(sqlite3 *db, const char *sql) {
    while (*sql) {
        sqlite3_stmt *stmt = 0;
        const char *rest = sql;
        if (sqlite3_prepare_v2(db, sql, -1, &stmt, &rest) != SQLITE_OK) {
            printf("error: %s\n", sqlite3_errmsg(db));
            return;
        }
        sql = rest;
        if (stmt && !run_statement(db, stmt)) return;
    }
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    text[fread(text, 1, (size_t)size, file)] = 0;
    fclose(file);
    return text;
}

static sqlite3 *open_new(sqlite3 *old) {
    sqlite3 *db = 0;
    sqlite3_close_v2(old);
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) exit(2);
    return db;
}

int main(int argc, char **argv) {
    char *text = argc == 2 ? read_file(argv[1]) : 0;
    if (!text) return 2;
    sqlite3 *db = open_new(0);
    while (text && *text) {
        char *next = strncmp(text, "--#", 3) == 0 ? text - 1 : strstr(text, "\n--#");
        if (next >= text) {
            *next = 0;
            run_block(db, text);
        } else if (!next) {
            run_block(db, text);
            break;
        }
        char *name = next + 4, *end = strchr(name, '\n');
        if (end) *end = 0;
        if (strcmp(name, "new") == 0) db = open_new(db);
        else printf("== %s\n", name);
        text = end ? end + 1 : 0;
    }
    sqlite3_close_v2(db);
    return 0;
}
