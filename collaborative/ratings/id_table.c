/* id_table.c: maps words, such as ids of users and items, to numbers. */
#include "base/hash.h"
#include "collaborative/ratings/ratings.h"

#include <string.h>

void dorm__id_table_clear(dorm__id_table *table)
{
  dorm__free(table->texts);
  dorm__free(table->offsets);
  dorm__index_map_free(table->map);
  *table = (dorm__id_table){0};
}

const char *dorm__id_table_text(const dorm__id_table *table, size_t id)
{
  return table->texts + table->offsets[id];
}

uint32_t dorm__id_table_find(const dorm__id_table *table, const char *word, size_t size)
{
  size_t cursor = 0;
  size_t id;
  while (table->map && dorm__index_map_find(table->map, dorm__index_map_key(table->map, word, size), &cursor, &id)) {
    const char *text = dorm__id_table_text(table, id);
    if (strncmp(text, word, size) == 0 && !text[size])
      return (uint32_t)id;
  }
  return DORM__NO_ID;
}

uint32_t dorm__id_table_add(dorm__id_table *table, const char *word, size_t size)
{
  uint32_t found = dorm__id_table_find(table, word, size);
  if (found != DORM__NO_ID)
    return found;
  if (table->count + 1 >= DORM__NO_ID || (!table->map && !(table->map = dorm__index_map_new())) ||
      !dorm__grow((void **)&table->texts, &table->texts_capacity, table->texts_size + size + 1, 1) ||
      !dorm__grow((void **)&table->offsets, &table->offsets_capacity, table->count + 1, sizeof *table->offsets) ||
      !dorm__index_map_add(table->map, dorm__index_map_key(table->map, word, size), table->count))
    return DORM__NO_ID;
  memcpy(table->texts + table->texts_size, word, size);
  table->texts[table->texts_size + size] = '\0';
  table->offsets[table->count] = table->texts_size;
  table->texts_size += size + 1;
  return (uint32_t)table->count++;
}

bool dorm__id_table_copy(const dorm__id_table *table, dorm__id_table *copy)
{
  *copy = (dorm__id_table){0};
  for (size_t i = 0; i < table->count; i++) {
    const char *text = dorm__id_table_text(table, i);
    if (dorm__id_table_add(copy, text, strlen(text)) == DORM__NO_ID) {
      dorm__id_table_clear(copy);
      return false;
    }
  }
  return true;
}
