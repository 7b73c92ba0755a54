/* Functions nobody here may call: they overflow, keep hidden state or start a shell.
 * Included by base.h, and so by everything; using one is a compile error. */
#ifndef CULPRIT_BASE_BANNED_H
#define CULPRIT_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets system popen
#pragma GCC poison strncpy strncat tmpnam mktemp atoi atol atof

#endif
