/* The attribute noundef of everything that returns; see returns.h. */
#include "cc/returns.h"

#include "cc/bitcode.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>

const char *const returns_flags[] = { "-emit-llvm", "-Xclang", "-disable-llvm-passes", NULL };

static void release_calls(LLVMValueRef function, unsigned noundef) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i))
                LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeReturnIndex, noundef);
}

bool returns_release(Str bitcode, Buf *out) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode.at, bitcode.len, "program");
    LLVMModuleRef module = bitcode_parse(context, buffer);
    bool ok = module != NULL;
    if (ok) {
        unsigned noundef = LLVMGetEnumAttributeKindForName("noundef", strlen("noundef"));
        for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
            LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeReturnIndex, noundef);
            release_calls(f, noundef);
        }
        LLVMMemoryBufferRef bits = LLVMWriteBitcodeToMemoryBuffer(module);
        buf_str(out, (Str){ LLVMGetBufferStart(bits), LLVMGetBufferSize(bits) });
        LLVMDisposeMemoryBuffer(bits);
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    return ok;
}
