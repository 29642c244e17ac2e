/*
 * trec_names.c: measures as trec_eval names them: a name, for some followed by `_` or `.` and a number, as in P_10.
 * Those whose name is dorm's own (map, ndcg, Rprec, bpref, gm_map, set_P, num_rel) are found without this file.
 */
#include "measures/trec_names.h"

#include <ctype.h>
#include <string.h>

typedef struct trec_name {
  const char *name;
  const char *start; /* of dorm's text; the number follows */
  bool has_number;
  const char *conventions[2];
} trec_name;

static const trec_name names[] = {
    {"ndcg_cut", "ndcg@", true, {"gain=linear", "ties=docid"}},
    {"map_cut", "map@", true, {"ties=docid", NULL}},
    {"P", "p@", true, {"ties=docid", NULL}},
    {"recall", "recall@", true, {"ties=docid", NULL}},
    {"success", "success@", true, {"ties=docid", NULL}},
    {"iprec_at_recall", "iprec@", true, {"ties=docid", NULL}},
    {"recip_rank", "mrr", false, {"ties=docid", NULL}},
    {"set_F", "set_f:importance=", true, {NULL, NULL}},
};

/* The number that follows the name of a row in `text`; NULL where the text is not of that row. */
static const char *number_of(const trec_name *row, const char *text, size_t size)
{
  size_t name_size = strlen(row->name);
  if (size < name_size || strncmp(text, row->name, name_size) != 0)
    return NULL;
  const char *rest = text + name_size;
  size_t left = size - name_size;
  if (!row->has_number)
    return left == 0 ? rest : NULL;
  if (left < 2 || (*rest != '_' && *rest != '.'))
    return NULL;
  for (size_t i = 1; i < left; i++)
    if (!isdigit((unsigned char)rest[i]) && rest[i] != '.')
      return NULL;
  return rest + 1;
}

/* Appends `count` bytes of a text to `made`, whose size is *end. */
static void append(char *made, size_t *end, const char *text, size_t count)
{
  memcpy(made + *end, text, count);
  *end += count;
  made[*end] = '\0';
}

/* Whether the pairs "key=value,..." give a value to the key of "key=value". */
static bool gives(const char *pairs, const char *convention)
{
  size_t key_size = strcspn(convention, "=") + 1;
  for (const char *pair = pairs; *pair; pair += strcspn(pair, ",")) {
    pair += strspn(pair, ", ");
    if (strncmp(pair, convention, key_size) == 0)
      return true;
  }
  return false;
}

static char *translate(const trec_name *row, const char *number, size_t number_size, const char *pairs)
{
  enum { ROOM = 64 }; /* for the start and the conventions of any row */
  char *made = dorm__alloc(ROOM + number_size + strlen(pairs), 1);
  size_t end = 0;
  if (!made)
    return NULL;
  append(made, &end, row->start, strlen(row->start));
  append(made, &end, number, number_size);
  for (size_t i = 0; i < 2 && row->conventions[i]; i++)
    if (!gives(pairs, row->conventions[i])) {
      append(made, &end, strchr(made, ':') ? "," : ":", 1);
      append(made, &end, row->conventions[i], strlen(row->conventions[i]));
    }
  if (*pairs) {
    append(made, &end, strchr(made, ':') ? "," : ":", 1);
    append(made, &end, pairs, strlen(pairs));
  }
  return made;
}

char *dorm__trec_measure_text(const char *text)
{
  size_t size = strcspn(text, ":");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *number = number_of(&names[i], text, size);
    if (number)
      return translate(&names[i], number, (size_t)(text + size - number), text[size] ? text + size + 1 : "");
  }
  return dorm__copy_text(text);
}
