/* The runtime of the checks of effective types, an object file, inside culprit. */
    .section .rodata
    .balign 16
    .globl types_image, types_image_end
    .hidden types_image, types_image_end
types_image:
    .incbin TYPES
types_image_end:
    .section .note.GNU-stack,"",@progbits
