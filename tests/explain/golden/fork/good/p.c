#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int weight(int n) {
    return n * 2;
}

/* The work is done in a child; the test sees the parent alone. */
static int work(void) {
    int all = 0;
    for (int i = 0; i < 4; i++)
        all += weight(i);
    if (all > 12)
        abort();
    return 0;
}

int main(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        exit(work());
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 1;
    return WEXITSTATUS(status);
}
