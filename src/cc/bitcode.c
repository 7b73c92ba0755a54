/* See bitcode.h. */
#include "cc/bitcode.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <stddef.h>

static void ignore(LLVMDiagnosticInfoRef info, void *user) {
    (void)info;
    (void)user;
}

LLVMModuleRef bitcode_parse(LLVMContextRef context, LLVMMemoryBufferRef buffer) {
    LLVMModuleRef module = NULL;
    LLVMContextSetDiagnosticHandler(context, ignore, NULL);
    LLVMBool broken = LLVMParseBitcodeInContext2(context, buffer, &module);
    LLVMDisposeMemoryBuffer(buffer);
    return broken ? NULL : module;
}
