/* Names of the model's kinds, for dumps and messages. */
#include "cfront/cfront.h"

const char *cop_text(COp op) {
    static const char *const text[CO_COUNT] = {
        "",   "++", "--", "++", "--",       "&",        "*",
        "+",  "-",  "~",  "!",  "__real__", "__imag__", "__extension__",
        "*",  "/",  "%",  "+",  "-",        "<<",       ">>",
        "<",  ">",  "<=", ">=", "==",       "!=",       "&",
        "^",  "|",  "&&", "||", ",",        "=",        "*=",
        "/=", "%=", "+=", "-=", "<<=",      ">>=",      "&=",
        "^=", "|=",
    };
    return text[op];
}

const char *cexpr_kind_name(CExprKind kind) {
    static const char *const names[] = {
        "int",    "char",  "float",   "string", "ref",   "member",     "index",
        "call",   "unary", "binary",  "assign", "cond",  "cast",       "paren",
        "sizeof", "list",  "literal", "block",  "label", "designated", "other",
    };
    return names[kind];
}

const char *cstmt_kind_name(CStmtKind kind) {
    static const char *const names[] = {
        "block", "decl",     "expr",   "null",    "if",         "while", "do",
        "for",   "switch",   "case",   "default", "label",      "goto",  "goto*",
        "break", "continue", "return", "asm",     "attributed", "other",
    };
    return names[kind];
}

const char *cslot_name(CSlot slot) {
    static const char *const names[] = {
        "item",  "value", "then", "else",     "loop", "switch",
        "label", "case",  "init", "function", "expr", "attribute",
    };
    return names[slot];
}
