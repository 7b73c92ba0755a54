/* Prints the tags, attributes and text that expat finds in a file, one line each. For an expat that
 * hands out UTF-16
 * (-DXML_UNICODE): what is not ASCII is written as a number. */
#include "expat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(const XML_Char *text, int length) {
    for (int i = 0; length < 0 ? text[i] : i < length; i++) {
        if (text[i] < 128)
            printf("%c", text[i]);
        else
            printf("&#%d;", text[i]);
    }
}

static void start(void *user, const XML_Char *name, const XML_Char **attributes) {
    (void)user;
    printf("<");
    print(name, -1);
    for (; *attributes; attributes += 2) {
        printf(" ");
        print(attributes[0], -1);
        printf("=");
        print(attributes[1], -1);
    }
    printf(">\n");
}

static void end(void *user, const XML_Char *name) {
    (void)user;
    printf("</");
    print(name, -1);
    printf(">\n");
}

static void text(void *user, const XML_Char *bytes, int length) {
    (void)user;
    print(bytes, length);
    printf("\n");
}

int main(int argc, char **argv) {
    static char bytes[1 << 16];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : 0;
    if (!file) return 2;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    XML_Parser parser = XML_ParserCreate(0);
    XML_SetHashSalt(parser, 1);
    XML_SetElementHandler(parser, start, end);
    XML_SetCharacterDataHandler(parser, text);
    if (XML_Parse(parser, bytes, (int)size, 1) != XML_STATUS_OK)
        printf("error %d\n", XML_GetErrorCode(parser));
    XML_ParserFree(parser);
    return 0;
}
