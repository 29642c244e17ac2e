/* id_ranges.c: sets of feature ids as text, "1-20, 33, 40-46". */
#include "base/id_ranges.h"

#include <string.h>

void dorm__id_ranges_clear(dorm__id_ranges *ranges)
{
  dorm__free(ranges->items);
  *ranges = (dorm__id_ranges){0};
}

/* Reads a whole number; *text moves past it and the blanks that follow. */
static bool read_id(const char **text, size_t *id)
{
  const char *s = *text + strspn(*text, " \t");
  *id = 0;
  if (*s < '0' || *s > '9')
    return false;
  for (; *s >= '0' && *s <= '9'; s++) {
    if (*id > (SIZE_MAX - 9) / 10)
      return false;
    *id = *id * 10 + (size_t)(*s - '0');
  }
  *text = s + strspn(s, " \t");
  return true;
}

dorm_status dorm__id_ranges_parse(dorm_context *context, const char *what, const char *text, dorm__id_ranges *ranges)
{
  dorm__id_ranges made = {0};
  *ranges = made;
  const char *s = text + strspn(text, " \t");
  while (*s) {
    dorm__id_range range;
    bool is_good = read_id(&s, &range.first);
    range.last = range.first;
    if (is_good && *s == '-') {
      s++;
      is_good = read_id(&s, &range.last) && range.last >= range.first;
    }
    is_good = is_good && (*s == '\0' || (*s == ',' && s[1 + strspn(s + 1, " \t")]));
    if (!is_good) {
      dorm__id_ranges_clear(&made);
      return dorm__fail(context, DORM_BAD_USAGE, "%s: '%s' is no list of feature ids such as 1-20, 33", what, text);
    }
    s += *s == ',';
    if (!dorm__grow((void **)&made.items, &made.capacity, made.count + 1, sizeof *made.items)) {
      dorm__id_ranges_clear(&made);
      return dorm__out_of_memory(context, "a list of feature ids");
    }
    made.items[made.count++] = range;
  }
  *ranges = made;
  return DORM_OK;
}

bool dorm__id_ranges_hold(const dorm__id_ranges *ranges, size_t id)
{
  for (size_t i = 0; i < ranges->count; i++)
    if (id >= ranges->items[i].first && id <= ranges->items[i].last)
      return true;
  return false;
}
