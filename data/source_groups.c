/* source_groups.c: finds the documents that come from the same source, as the setting diversity.groups says:
 *
 *   file:PATH        lines `docid group [weight]`, or JSON lines {"ids": ["A", "B", ...]}, one per group, whose
 *                    ids may be objects {"id": "A", ...}
 *   feature:ID       documents of the same value of that feature other than 0, if it is known
 *   docid:PATTERN    what the first brackets of the POSIX extended regular expression match in the document's id
 *   host             the host of a document's id that is a URL
 *   given            set by the program before (dorm_dataset_set_groups)
 *
 * A document without a group is alone. These groups are unrelated to query sizes (query_sizes.c). */
#include "base/hash.h"
#include "base/json.h"
#include "data/data.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

typedef struct group_reader {
  dorm_context *context;
  dorm_dataset *dataset;
  const dorm__line_reader *lines; /* of the file, or NULL */
  size_t num_known, num_unknown;
  dorm__index_map *docs;    /* id -> document */
  dorm__index_map *members; /* document and group -> entry */
  dorm__id_table groups;    /* names of the groups */
  dorm__doc_entry *entries;
  size_t num_entries, entries_capacity;
  uint32_t group; /* group of the current JSON line */
} group_reader;

#define FAIL(reader, ...) dorm__line_reader_fail((reader)->context, (reader)->lines, __VA_ARGS__)

static dorm_status out_of_memory(const group_reader *reader)
{
  return dorm__out_of_memory(reader->context, "groups");
}

static dorm_status find_group(group_reader *reader, const char *name, size_t size, uint32_t *group)
{
  *group = dorm__id_table_add(&reader->groups, name, size);
  return *group == DORM__NO_ID ? out_of_memory(reader) : DORM_OK;
}

static dorm_status add_member(group_reader *reader, size_t doc, uint32_t group, double weight)
{
  uint64_t key = (uint64_t)doc << 32 ^ group;
  size_t cursor = 0, i;
  while (dorm__index_map_find(reader->members, key, &cursor, &i))
    if (reader->entries[i].doc == doc && reader->entries[i].number == group)
      return DORM_OK;
  if (!DORM__GROW(reader->entries, reader->entries_capacity, reader->num_entries + 1) ||
      !dorm__index_map_add(reader->members, key, reader->num_entries))
    return out_of_memory(reader);
  reader->entries[reader->num_entries++] = (dorm__doc_entry){doc, group, weight};
  return DORM_OK;
}

/* ---- A file ------------------------------------------------------------------- */

static dorm_status index_docs(group_reader *reader)
{
  const dorm_dataset *dataset = reader->dataset;
  bool has_id = false;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    const char *id = dorm_dataset_doc_id(dataset, j);
    has_id = has_id || *id;
    if (*id && !dorm__index_map_add(reader->docs, dorm__index_map_key(reader->docs, id, strlen(id)), j))
      return out_of_memory(reader);
  }
  return has_id ? DORM_OK
                : dorm__fail(reader->context, DORM_BAD_DATA,
                             "%s: no document has an id (# docid = X), by which groups could be told", dataset->name);
}

/* Adds all documents with this id, in all queries, to the group. */
static dorm_status add_by_id(group_reader *reader, const char *id, size_t size, uint32_t group, double weight,
                             bool knows_all)
{
  size_t cursor = 0, doc;
  bool is_known = false;
  while (dorm__index_map_find(reader->docs, dorm__index_map_key(reader->docs, id, size), &cursor, &doc)) {
    const char *known = dorm_dataset_doc_id(reader->dataset, doc);
    if (strncmp(known, id, size) != 0 || known[size])
      continue;
    is_known = true;
    dorm_status status = add_member(reader, doc, group, weight);
    if (status != DORM_OK)
      return status;
  }
  reader->num_known += is_known;
  reader->num_unknown += !is_known;
  if (!is_known && knows_all)
    return FAIL(reader,
                "document '%.*s' is not in %s; give the groups in JSON lines if the file covers more "
                "than the data",
                size > 100 ? 100 : (int)size, id, reader->dataset->name);
  return DORM_OK;
}

static dorm_status take_json_id(void *user, const char *id)
{
  group_reader *reader = user;
  return add_by_id(reader, id, strlen(id), reader->group, 1, false);
}

static dorm_status read_columns(group_reader *reader, const char *line, const char *end)
{
  enum { DOCUMENT, GROUP, WEIGHT, NUM_WORDS };
  dorm__word words[NUM_WORDS];
  double weight = 1;
  uint32_t group;
  size_t count = dorm__split_words(line, end, NUM_WORDS, words);
  if (count < 2 || count > NUM_WORDS)
    return FAIL(reader, "not of the form: docid group [weight]");
  const char *text = words[WEIGHT].begin;
  if (count == NUM_WORDS &&
      (dorm__parse_double(text, text + words[WEIGHT].size, &weight) != text + words[WEIGHT].size || !isfinite(weight) ||
       weight < 0))
    return FAIL(reader, "the weight '%.*s' is not a finite number of 0 or more",
                words[WEIGHT].size > 40 ? 40 : (int)words[WEIGHT].size, text);
  dorm_status status = find_group(reader, words[GROUP].begin, words[GROUP].size, &group);
  if (status != DORM_OK || weight == 0)
    return status;
  return add_by_id(reader, words[DOCUMENT].begin, words[DOCUMENT].size, group, weight, true);
}

static bool is_share(const dorm_dataset *dataset)
{
  return dataset->shards && dataset->shards->count < dataset->shards->total;
}

static dorm_status read_line(void *user, const dorm__line_reader *lines, const char *line, const char *end)
{
  group_reader *reader = user;
  reader->lines = lines;
  while (line < end && isspace((unsigned char)*line))
    line++;
  if (line == end || *line == '#')
    return DORM_OK;
  if (*line != '{')
    return is_share(reader->dataset)
               ? FAIL(reader, "a process that has only a share of the data cannot tell which documents are "
                              "unknown; give the groups in JSON lines, which may name any")
               : read_columns(reader, line, end);
  char name[32];
  int size = snprintf(name, sizeof name, "line %zu", dorm__line_reader_number(reader->lines));
  char why[DORM__JSON_WHY] = "";
  dorm_status status = DORM__ALL(find_group(reader, name, (size_t)size, &reader->group),
                                 dorm__json_ids(line, end, take_json_id, reader, why));
  return *why ? FAIL(reader, "%s", why) : status;
}

static dorm_status read_file(group_reader *reader, const char *path)
{
  dorm_status status = DORM__ALL(index_docs(reader), dorm__each_line(reader->context, path, read_line, reader));
  if (status == DORM_OK && !reader->num_known)
    status = dorm__fail(reader->context, DORM_BAD_DATA, "%s: none of its %zu documents is in %s", path,
                        reader->num_unknown, reader->dataset->name);
  if (status == DORM_OK && reader->num_unknown)
    dorm__note(reader->context, "%s: %zu of its documents are in %s, %zu are not", path, reader->num_known,
               reader->dataset->name, reader->num_unknown);
  return status;
}

/* ---- Without a file -------------------------------------------------------------- */

static dorm_status by_feature(group_reader *reader, double id)
{
  const dorm_dataset *dataset = reader->dataset;
  size_t index = 0;
  while (index < dataset->num_features && (double)dataset->feature_ids[index] != id)
    index++;
  if (index == dataset->num_features)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s: has no feature %.10g, which diversity.groups names",
                      dataset->name, id);
  for (size_t j = 0; j < dataset->num_docs; j++) {
    char name[DORM__NUMBER_SIZE];
    uint32_t group;
    float value = dorm_dataset_value(dataset, j, index);
    if (value == 0 || isnan(value))
      continue;
    dorm__format_float(name, value);
    dorm_status status = DORM__ALL(find_group(reader, name, strlen(name), &group), add_member(reader, j, group, 1));
    if (status != DORM_OK)
      return status;
  }
  return DORM_OK;
}

/* Finds "Host" in "http://Host:80/path". Without a scheme, the host ends at the first '/'. */
static void find_host(const char *id, size_t *begin, size_t *end)
{
  const char *scheme = strstr(id, "://");
  const char *host = scheme ? scheme + 3 : id;
  const char *at = host + strcspn(host, "/@");
  host = *at == '@' ? at + 1 : host;
  *begin = (size_t)(host - id);
  *end = *begin + strcspn(host, "/:?#");
}

/* Groups by the first brackets of the pattern, or by host if it is NULL. */
static dorm_status by_pattern(group_reader *reader, const regex_t *pattern)
{
  const dorm_dataset *dataset = reader->dataset;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    const char *id = dorm_dataset_doc_id(dataset, j);
    regmatch_t match[2];
    size_t begin = 0, end = 0;
    uint32_t group;
    char name[256]; /* host names are not longer */
    if (!pattern)
      find_host(id, &begin, &end);
    else if (regexec(pattern, id, 2, match, 0) == 0 && match[1].rm_so >= 0) {
      begin = (size_t)match[1].rm_so;
      end = (size_t)match[1].rm_eo;
    }
    if (begin == end)
      continue;
    for (size_t i = 0; !pattern && i < end - begin && i < sizeof name; i++) /* host names ignore case */
      name[i] = (char)tolower((unsigned char)id[begin + i]);
    size_t size = !pattern && end - begin > sizeof name ? sizeof name : end - begin;
    dorm_status status =
        DORM__ALL(find_group(reader, pattern ? id + begin : name, size, &group), add_member(reader, j, group, 1));
    if (status != DORM_OK)
      return status;
  }
  return DORM_OK;
}

/* Estimates the number of parts of an expression with its repetitions written out. The C library writes them out, and
 * its time grows with the cube of the parts. Returns SIZE_MAX for too many, and for back references, whose time has no
 * bound. */
static size_t parts_of(const char *expression)
{
  enum { MOST = 500, DEEPEST = 32 };
  size_t sum[DEEPEST] = {0}; /* of the open brackets */
  size_t depth = 0;
  size_t last = 0; /* parts that a repetition would repeat */
  for (const char *s = expression; *s; s++) {
    size_t factor = 1;
    if (*s == '\\' && isdigit((unsigned char)s[1]))
      return SIZE_MAX;
    if (*s == '+') {
      factor = 2; /* x+ is x x* */
    } else if (*s == '{') {
      for (; *s && *s != '}'; s++) {
        size_t number = strtoul(s + strcspn(s, "0123456789}"), NULL, 10);
        factor = number > factor ? number : factor;
      }
      s -= !*s;
    } else if (*s == '(') {
      if (++depth == DEEPEST)
        return SIZE_MAX;
      sum[depth] = 0;
    } else if (*s == ')' && depth) {
      last = sum[depth--] + 1;
      sum[depth] += last;
    } else if (*s != '*' && *s != '?') {
      if (*s == '[' && s[1]) {
        s += 2 + strcspn(s + 2, "]");
        s -= !*s;
      }
      s += *s == '\\' && s[1];
      last = 1;
      sum[depth]++;
    }
    if (factor > MOST || last * factor > MOST || sum[depth] > MOST)
      return SIZE_MAX;
    sum[depth] += last * (factor - 1);
    last *= factor;
  }
  return sum[0];
}

static dorm_status by_doc_id(group_reader *reader, const char *expression)
{
  regex_t pattern;
  if (parts_of(expression) == SIZE_MAX)
    return dorm__fail(reader->context, DORM_BAD_USAGE,
                      "diversity.groups: '%.100s' refers back, or its repetitions are more than 500 parts", expression);
  int code = regcomp(&pattern, expression, REG_EXTENDED);
  if (code != 0) {
    char why[120];
    regerror(code, &pattern, why, sizeof why);
    return dorm__fail(reader->context, DORM_BAD_USAGE, "diversity.groups: '%s': %s", expression, why);
  }
  dorm_status status =
      pattern.re_nsub ? by_pattern(reader, &pattern)
                      : dorm__fail(reader->context, DORM_BAD_USAGE,
                                   "diversity.groups: '%s' needs brackets around what names the group", expression);
  regfree(&pattern);
  return status;
}

/* ---- All of them ------------------------------------------------------------------ */

static dorm_status find_members(group_reader *reader, const dorm__group_options *options)
{
  switch (options->source) {
  case DORM__GROUPS_FROM_FILE:
    return read_file(reader, options->path);
  case DORM__GROUPS_BY_FEATURE:
    return by_feature(reader, options->feature);
  case DORM__GROUPS_BY_DOC_ID:
    return by_doc_id(reader, options->pattern);
  case DORM__GROUPS_BY_HOST:
  case DORM__GROUPS_NONE:
  case DORM__GROUPS_GIVEN:
    break;
  }
  return by_pattern(reader, NULL);
}

dorm_status dorm__groups_read(dorm_context *context, dorm_dataset *dataset, const dorm__group_options *options)
{
  if (options->source == DORM__GROUPS_NONE)
    return DORM_OK;
  if (options->source == DORM__GROUPS_GIVEN)
    return dataset->groups
               ? DORM_OK
               : dorm__fail(context, DORM_BAD_USAGE, "%s: diversity.groups = given, but there are none", dataset->name);
  group_reader reader = {
      .context = context, .dataset = dataset, .docs = dorm__index_map_new(), .members = dorm__index_map_new()};
  dorm__doc_lists *lists = NULL;
  dorm_status status =
      DORM__ALL(reader.docs && reader.members ? find_members(&reader, options) : out_of_memory(&reader),
                dorm__doc_lists_from(context, dataset->num_docs, dataset->num_queries, reader.num_entries,
                                     reader.entries, &lists));
  if (status == DORM_OK) {
    dorm__doc_lists_free(dataset->groups);
    dataset->groups = lists;
    lists->num_names = reader.groups.count;
    lists->names = reader.groups.texts;
    lists->name_at = reader.groups.offsets;
    reader.groups.texts = NULL;
    reader.groups.offsets = NULL;
  }
  dorm__index_map_free(reader.docs);
  dorm__index_map_free(reader.members);
  dorm__id_table_clear(&reader.groups);
  dorm__free(reader.entries);
  return status;
}

dorm_status dorm_dataset_set_groups(dorm_context *context, dorm_dataset *dataset, const size_t *start,
                                    const uint32_t *groups, const double *weights)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(start)))
    return DORM_BAD_USAGE;
  dorm__doc_lists *lists = NULL;
  for (size_t j = 0; j < dataset->num_docs; j++)
    if (start[j + 1] < start[j] || start[0] != 0)
      return dorm__fail(context, DORM_BAD_USAGE, "start: decreases after document %zu, or does not begin with 0", j);
  size_t count = start[dataset->num_docs];
  if (DORM__LACKS(context, DORM__GIVEN_IF(count, groups)))
    return DORM_BAD_USAGE;
  for (size_t e = 0; weights && e < count; e++)
    if (!isfinite(weights[e]) || weights[e] <= 0)
      return dorm__fail(context, DORM_BAD_DATA, "weights: entry %zu is %g", e, weights[e]);
  dorm_status status = dorm__doc_lists_new(context, dataset->num_docs, dataset->num_queries, count, &lists);
  if (status != DORM_OK)
    return status;
  memcpy(lists->start, start, (dataset->num_docs + 1) * sizeof *start);
  for (size_t e = 0; e < count; e++) {
    lists->numbers[e] = groups[e];
    lists->weights[e] = weights ? weights[e] : 1;
  }
  dorm__doc_lists_free(dataset->groups);
  dataset->groups = lists;
  return DORM_OK;
}

size_t dorm_dataset_group(const dorm_dataset *dataset, size_t doc)
{
  const dorm__doc_lists *groups = dataset ? dataset->groups : NULL;
  if (!groups || doc >= dataset->num_docs || groups->start[doc] == groups->start[doc + 1])
    return SIZE_MAX;
  return groups->numbers[groups->start[doc]];
}

const char *dorm_dataset_group_name(const dorm_dataset *dataset, size_t group)
{
  const dorm__doc_lists *groups = dataset ? dataset->groups : NULL;
  return groups && group < groups->num_names ? groups->names + groups->name_at[group] : NULL;
}
