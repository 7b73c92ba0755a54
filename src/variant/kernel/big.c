/* 512-bit integers; see big.h. */
#include "variant/kernel/big.h"

bool big_negative(Big a) {
    return a.at[BIG_LIMBS - 1] >> 63;
}

bool big_is_zero(Big a) {
    return big_length(a) == 0;
}

bool big_same(Big a, Big b) {
    return big_order(a, b) == 0;
}

int big_order(Big a, Big b) {
    for (unsigned i = BIG_LIMBS; i-- > 0;)
        if (a.at[i] != b.at[i]) return a.at[i] < b.at[i] ? -1 : 1;
    return 0;
}

unsigned big_length(Big a) {
    for (unsigned i = BIG_LIMBS; i-- > 0;)
        if (a.at[i]) return 64 * i + 64 - (unsigned)__builtin_clzll(a.at[i]);
    return 0;
}

Big big_small(uint64_t value) {
    return (Big){ { value } };
}

Big big_not(Big a) {
    for (unsigned i = 0; i < BIG_LIMBS; i++) a.at[i] = ~a.at[i];
    return a;
}

Big big_negate(Big a) {
    return big_add(big_not(a), big_small(1));
}

Big big_add(Big a, Big b) {
    uint64_t carry = 0;
    for (unsigned i = 0; i < BIG_LIMBS; i++) {
        unsigned __int128 sum = (unsigned __int128)a.at[i] + b.at[i] + carry;
        a.at[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    return a;
}

Big big_shift_left(Big a, unsigned count) {
    unsigned limbs = count / 64, bits = count % 64;
    Big out = { { 0 } };
    for (unsigned i = BIG_LIMBS; i-- > limbs;) {
        out.at[i] = a.at[i - limbs] << bits;
        if (bits && i > limbs) out.at[i] |= a.at[i - limbs - 1] >> (64 - bits);
    }
    return out;
}

Big big_shift_right(Big a, unsigned count, bool sign) {
    unsigned limbs = count / 64, bits = count % 64;
    uint64_t fill = sign && big_negative(a) ? UINT64_MAX : 0;
    Big out;
    for (unsigned i = 0; i < BIG_LIMBS; i++) {
        uint64_t low = i + limbs < BIG_LIMBS ? a.at[i + limbs] : fill;
        uint64_t high = i + limbs + 1 < BIG_LIMBS ? a.at[i + limbs + 1] : fill;
        out.at[i] = bits ? low >> bits | high << (64 - bits) : low;
    }
    return out;
}

Big big_multiply(Big a, Big b, bool *over) {
    uint64_t all[2 * BIG_LIMBS] = { 0 };
    for (unsigned i = 0; i < BIG_LIMBS; i++) {
        uint64_t carry = 0;
        for (unsigned k = 0; k < BIG_LIMBS; k++) {
            unsigned __int128 sum = (unsigned __int128)a.at[i] * b.at[k] + all[i + k] + carry;
            all[i + k] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        all[i + BIG_LIMBS] = carry;
    }
    Big out;
    memcpy(out.at, all, sizeof out.at);
    *over = false;
    for (unsigned i = BIG_LIMBS; i < 2 * BIG_LIMBS; i++) *over = *over || all[i];
    return out;
}

/* Bit by bit, from the dividend's highest one. */
void big_divide(Big a, Big b, Big *quotient, Big *rest) {
    *quotient = *rest = (Big){ { 0 } };
    for (unsigned i = big_length(a); i-- > 0;) {
        *rest = big_shift_left(*rest, 1);
        rest->at[0] |= a.at[i / 64] >> (i % 64) & 1;
        if (big_order(*rest, b) < 0) continue;
        *rest = big_add(*rest, big_negate(b));
        quotient->at[i / 64] |= (uint64_t)1 << (i % 64);
    }
}

Big big_cut(Big a, unsigned bits, bool is_signed) {
    unsigned away = BIG_BITS - bits;
    return big_shift_right(big_shift_left(a, away), away, is_signed);
}
