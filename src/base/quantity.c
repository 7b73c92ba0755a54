/* Quantities as people write them, and the clocks. */
#include "base/quantity.h"

#include <sys/resource.h>
#include <time.h>

static const struct {
    const char *name;
    double seconds;
} units[] = { { "ms", 0.001 }, { "s", 1 },     { "min", 60 }, { "m", 60 },
              { "h", 3600 },   { "d", 86400 }, { "sec", 1 } };

static size_t number_length(Str s) {
    size_t n = 0;
    while (n < s.len && ((s.at[n] >= '0' && s.at[n] <= '9') || s.at[n] == '.')) n++;
    return n;
}

static bool unit_seconds(Str name, double *seconds) {
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (str_is(name, units[i].name)) return *seconds = units[i].seconds, true;
    return false;
}

bool quantity_duration(Str text, double *seconds) {
    double sum = 0;
    if (!text.len) return false;
    while (text.len) {
        size_t digits = number_length(text), end = digits;
        double value, unit = 1;
        if (!str_to_real(str_sub(text, 0, digits), &value)) return false;
        while (end < text.len && (text.at[end] < '0' || text.at[end] > '9')) end++;
        Str name = str_trim(str_sub(text, digits, end));
        if (name.len && !unit_seconds(name, &unit)) return false;
        sum += value * unit;
        text = str_sub(text, end, text.len);
    }
    *seconds = sum;
    return true;
}

/* "", "B", "K", "KB", "KiB", ..: 1024 to the power of the letter's place. */
static bool unit_bytes(Str name, double *bytes) {
    static const char letters[] = "KMGT";
    *bytes = 1;
    if (!name.len || str_is(name, "B")) return true;
    char first = (char)(name.at[0] >= 'a' ? name.at[0] - 32 : name.at[0]);
    const char *hit = first ? strchr(letters, first) : NULL;
    Str tail = str_sub(name, 1, name.len);
    if (!hit || (tail.len && !str_is(tail, "B") && !str_is(tail, "iB"))) return false;
    for (const char *c = letters; c <= hit; c++) *bytes *= 1024;
    return true;
}

bool quantity_size(Str text, uint64_t *bytes) {
    size_t digits = number_length(text);
    double value, unit;
    if (!str_to_real(str_sub(text, 0, digits), &value)) return false;
    if (!unit_bytes(str_sub(text, digits, text.len), &unit)) return false;
    if (value * unit >= 18446744073709551615.0) return false;
    *bytes = (uint64_t)(value * unit);
    return true;
}

const char *quantity_show_duration(double s, char out[32]) {
    unsigned long whole = s > 0 ? (unsigned long)s : 0;
    if (s < 1)
        snprintf(out, 32, "%.0f ms", s * 1000);
    else if (s < 60)
        snprintf(out, 32, "%.1f s", s);
    else if (s < 3600)
        snprintf(out, 32, "%lum %02lus", whole / 60, whole % 60);
    else
        snprintf(out, 32, "%luh %02lum", whole / 3600, whole / 60 % 60);
    return out;
}

const char *quantity_show_size(uint64_t bytes, char out[32]) {
    static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    double value = (double)bytes;
    size_t i = 0;
    while (value >= 1024 && i + 1 < COUNT_OF(names)) value /= 1024, i++;
    snprintf(out, 32, i ? "%.1f %s" : "%.0f %s", value, names[i]);
    return out;
}

const char *quantity_show_count(uint64_t n, const char *noun, char out[48]) {
    snprintf(out, 48, "%llu %.24s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
    return out;
}

double clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double usage_seconds(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

double clock_own_cpu(void) {
    return usage_seconds(RUSAGE_SELF);
}
