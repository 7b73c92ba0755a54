/* The loader's executable, inside culprit: written out once by each culprit that needs it. */
    .section .rodata
    .balign 16
    .globl loader_image, loader_image_end
    .hidden loader_image, loader_image_end
loader_image:
    .incbin LOADER
loader_image_end:
    .section .note.GNU-stack,"",@progbits
