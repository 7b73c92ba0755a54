/* A small stack machine with a switch, interpreting a loop. */
#include <stdio.h>
enum { PUSH, ADD, SUB, MUL, DUP, SWAP, JNZ, LOAD, STORE, PRINT, HALT };
static const int code[] = { PUSH, 5000, STORE, 0, PUSH, 0, STORE, 1, LOAD, 1, LOAD, 0, DUP, MUL, ADD, STORE, 1,
                            LOAD, 0, PUSH, 1, SUB, DUP, STORE, 0, JNZ, 8, LOAD, 1, PRINT, HALT };
int main(void) {
    long stack[64], memory[8] = { 0 };
    int sp = 0, pc = 0;
    for (;;) {
        switch (code[pc++]) {
        case PUSH: stack[sp++] = code[pc++]; break;
        case ADD: sp--, stack[sp - 1] += stack[sp]; break;
        case SUB: sp--, stack[sp - 1] -= stack[sp]; break;
        case MUL: sp--, stack[sp - 1] *= stack[sp]; break;
        case DUP: stack[sp] = stack[sp - 1], sp++; break;
        case SWAP: { long t = stack[sp - 1]; stack[sp - 1] = stack[sp - 2]; stack[sp - 2] = t; break; }
        case JNZ: pc = stack[--sp] ? code[pc] : pc + 1; break;
        case LOAD: stack[sp++] = memory[code[pc++]]; break;
        case STORE: memory[code[pc++]] = stack[--sp]; break;
        case PRINT: printf("%ld\n", stack[--sp]); break;
        case HALT: return 0;
        }
    }
}
