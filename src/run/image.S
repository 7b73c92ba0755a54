/* The starter's executable, inside culprit: nothing to install, nothing to look for. */
    .section .rodata
    .balign 16
    .globl starter_image, starter_image_end
    .hidden starter_image, starter_image_end
starter_image:
    .incbin STARTER
starter_image_end:
    .section .note.GNU-stack,"",@progbits
