/* See bitcode.h. */
#include "cc/bitcode.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
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

bool bitcode_change(Str bitcode, BitcodeChange *change, void *user, Buf *out) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode.at, bitcode.len, "program");
    LLVMModuleRef module = bitcode_parse(context, buffer);
    bool ok = module != NULL;
    if (ok) {
        change(module, user);
        LLVMMemoryBufferRef bits = LLVMWriteBitcodeToMemoryBuffer(module);
        buf_str(out, (Str){ LLVMGetBufferStart(bits), LLVMGetBufferSize(bits) });
        LLVMDisposeMemoryBuffer(bits);
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    return ok;
}
