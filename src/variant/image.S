/* The value profiler's object file, inside culprit: nothing to install, nothing to look for. */
    .section .rodata
    .balign 16
    .globl hunt_profiler_image, hunt_profiler_image_end
    .hidden hunt_profiler_image, hunt_profiler_image_end
hunt_profiler_image:
    .incbin PROFILER
hunt_profiler_image_end:
    .section .note.GNU-stack,"",@progbits
