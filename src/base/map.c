/* The hash map: open addressing with linear probing, at most two thirds full, keys never removed.
 */
#include "base/base.h"

static MapSlot *slot_for(MapSlot *slots, size_t cap, Str key, uint64_t hash) {
    for (size_t i = hash & (cap - 1);; i = (i + 1) & (cap - 1)) {
        MapSlot *slot = &slots[i];
        if (!slot->key.at || (slot->hash == hash && str_eq(slot->key, key))) return slot;
    }
}

static void grow(Map *map) {
    size_t cap = map->cap ? map->cap * 2 : 16;
    MapSlot *slots = mem_alloc(cap * sizeof *slots);
    for (size_t i = 0; i < map->cap; i++)
        if (map->slots[i].key.at)
            *slot_for(slots, cap, map->slots[i].key, map->slots[i].hash) = map->slots[i];
    mem_free(map->slots);
    map->slots = slots;
    map->cap = cap;
}

uint64_t *map_at(Map *map, Str key) {
    if (map->len * 3 >= map->cap * 2) grow(map);
    uint64_t hash = str_hash(key);
    MapSlot *slot = slot_for(map->slots, map->cap, key, hash);
    if (!slot->key.at) {
        *slot = (MapSlot){ .key = arena_str(&map->keys, key), .hash = hash };
        map->len++;
    }
    return &slot->value;
}

bool map_put(Map *map, Str key, uint64_t value) {
    size_t before = map->len;
    *map_at(map, key) = value;
    return map->len != before;
}

bool map_get(const Map *map, Str key, uint64_t *value) {
    if (!map->len) return false;
    const MapSlot *slot = slot_for(map->slots, map->cap, key, str_hash(key));
    if (!slot->key.at) return false;
    if (value) *value = slot->value;
    return true;
}

void *map_get_ptr(const Map *map, Str key) {
    uint64_t value = 0;
    return map_get(map, key, &value) ? (void *)(uintptr_t)value : NULL;
}

void map_put_ptr(Map *map, Str key, void *value) {
    map_put(map, key, (uint64_t)(uintptr_t)value);
}

void map_release(Map *map) {
    mem_free(map->slots);
    arena_release(&map->keys);
    *map = (Map){ 0 };
}
