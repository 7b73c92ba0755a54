/* The runtime of the effective-type checks, an object file, embedded in culprit. */
    .section .rodata
    .balign 16
    .globl types_image, types_image_end
    .hidden types_image, types_image_end
types_image:
    .incbin TYPES
types_image_end:
    .section .note.GNU-stack,"",@progbits
