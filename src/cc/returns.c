/* The attribute noundef of everything that returns; see returns.h. */
#include "cc/returns.h"

#include "cc/bitcode.h"

#include <llvm-c/Core.h>

const char *const returns_flags[] = { "-emit-llvm", "-Xclang", "-disable-llvm-passes", NULL };

static void release_calls(LLVMValueRef function, unsigned noundef) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i))
                LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeReturnIndex, noundef);
}

static void release(LLVMModuleRef module, void *user) {
    (void)user;
    unsigned noundef = LLVMGetEnumAttributeKindForName("noundef", strlen("noundef"));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeReturnIndex, noundef);
        release_calls(f, noundef);
    }
}

bool returns_release(Str bitcode, Buf *out) {
    return bitcode_change(bitcode, release, NULL, out);
}
