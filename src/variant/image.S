/* The value profiler's object file, inside culprit: nothing to install, nothing to look for; and its
 * source, for other machines. */
    .section .rodata
    .balign 16
    .globl hunt_profiler_image, hunt_profiler_image_end
    .hidden hunt_profiler_image, hunt_profiler_image_end
hunt_profiler_image:
    .incbin PROFILER
hunt_profiler_image_end:
    .globl hunt_profiler_source, hunt_profiler_source_end
    .hidden hunt_profiler_source, hunt_profiler_source_end
hunt_profiler_source:
    .incbin PROFILER_SOURCE
hunt_profiler_source_end:
    .section .note.GNU-stack,"",@progbits
