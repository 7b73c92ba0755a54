/* LLVM's bitcode, which comes from files that may be broken. */
#ifndef CULPRIT_CC_BITCODE_H
#define CULPRIT_CC_BITCODE_H

#include "base/base.h"

#include <llvm-c/Types.h>

/* The module in the buffer, which is disposed of; NULL: it is broken. A context without a handler
 * ends the process over such a buffer, so this one gets a handler. */
LLVMModuleRef bitcode_parse(LLVMContextRef context, LLVMMemoryBufferRef buffer);

/* Appends the bitcode, changed; false: it is broken. */
typedef void BitcodeChange(LLVMModuleRef module, void *user);
bool bitcode_change(Str bitcode, BitcodeChange *change, void *user, Buf *out);

#endif
