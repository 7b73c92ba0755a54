struct record {
    short kind;
    short size;
    int value;
};
