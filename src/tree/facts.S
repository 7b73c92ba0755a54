/* The grammar.json of each built-in language, embedded; found along the include path. */
#define FACTS(id, path)                                                                            \
    .globl culprit_facts_##id;                                                                     \
    culprit_facts_##id: .incbin path;                                                              \
    .globl culprit_facts_##id##_end;                                                               \
    culprit_facts_##id##_end: .byte 0;
    .section .rodata
FACTS(c, "tree-sitter-c/src/grammar.json")
FACTS(cpp, "tree-sitter-cpp/src/grammar.json")
FACTS(go, "tree-sitter-go/src/grammar.json")
FACTS(javascript, "tree-sitter-javascript/src/grammar.json")
FACTS(json, "tree-sitter-json/src/grammar.json")
FACTS(llvm, "tree-sitter-llvm/src/grammar.json")
FACTS(python, "tree-sitter-python/src/grammar.json")
FACTS(rust, "tree-sitter-rust/src/grammar.json")
    .section .note.GNU-stack,"",@progbits
