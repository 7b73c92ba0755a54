struct record {
    short kind;
    int size;
    int value;
};
