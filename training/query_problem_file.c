/*
 * query_problem_file.c: the oracle's problem of one query as a JSON file,
 *
 *   {"format": "dorm problem 1", "version": of dorm, "loss", "position_weights", "reference": for people,
 *    "oracle": a value of solver.oracle,
 *    "labels", "scores", "c": [num_docs], "a", "b": [num_docs] or "cost": [num_docs][num_docs], cost[j][p],
 *    "groups": {"top", "capacity", "oracle": a value of diversity.oracle, "time_limit": seconds,
 *               "members": lists of documents, which rise, "weights": lists of the same lengths},
 *    "calls": [{"t", "found_by", "value", "microseconds", "order": [num_docs]}, ...]}
 *
 * Documents are numbered from 0. "groups" may be left out, and in a call everything but t. Numbers have the fewest
 * digits that are read back as the same number.
 */
#include "base/json.h"
#include "training/query_problem.h"

#include <math.h>
#include <string.h>

static const char format[] = "dorm problem 1";
enum { MOST_NAME = 80 };

/* ---- Writing ---------------------------------------------------------------------------------- */

static void put_text(dorm__json *json, const char *key, const char *text)
{
  dorm__json_key(json, key);
  dorm__json_text(json, text);
}

static void put_number(dorm__json *json, const char *key, double number)
{
  dorm__json_key(json, key);
  dorm__json_number(json, number);
}

static void put_row(dorm__json *json, size_t count, const double *x)
{
  dorm__json_begin(json, '[', true);
  for (size_t i = 0; i < count; i++)
    dorm__json_number(json, x[i]);
  dorm__json_end(json);
}

static void put_numbers(dorm__json *json, const char *key, size_t count, const double *x)
{
  dorm__json_key(json, key);
  put_row(json, count, x);
}

static void put_docs(dorm__json *json, size_t count, const uint32_t *docs)
{
  dorm__json_begin(json, '[', true);
  for (size_t i = 0; i < count; i++)
    dorm__json_whole(json, docs[i]);
  dorm__json_end(json);
}

static void put_groups(dorm__json *json, const dorm_problem *problem)
{
  const dorm__oracle_groups *groups = &problem->groups.groups;
  dorm__json_key(json, "groups");
  dorm__json_begin(json, '{', false);
  put_number(json, "top", (double)groups->top);
  put_number(json, "capacity", groups->capacity);
  put_text(json, "oracle", dorm__group_method_name(problem->group_method));
  put_number(json, "time_limit", problem->limit);
  dorm__json_key(json, "members");
  dorm__json_begin(json, '[', false);
  for (size_t s = 0; s < groups->num_groups; s++)
    put_docs(json, groups->start[s + 1] - groups->start[s], groups->docs + groups->start[s]);
  dorm__json_end(json);
  dorm__json_key(json, "weights");
  dorm__json_begin(json, '[', false);
  for (size_t s = 0; s < groups->num_groups; s++)
    put_row(json, groups->start[s + 1] - groups->start[s], groups->weights + groups->start[s]);
  dorm__json_end(json);
  dorm__json_end(json);
}

static void put_calls(dorm__json *json, const dorm_problem *problem)
{
  dorm__json_key(json, "calls");
  dorm__json_begin(json, '[', false);
  for (size_t i = 0; i < problem->num_calls; i++) {
    const dorm__problem_call *call = &problem->calls[i];
    dorm__json_begin(json, '{', false);
    put_number(json, "t", call->t);
    if (call->order) {
      put_text(json, "found_by", call->found_by);
      put_number(json, "value", call->value);
      put_number(json, "microseconds", call->microseconds);
      dorm__json_key(json, "order");
      put_docs(json, problem->about.num_docs, call->order);
    }
    dorm__json_end(json);
  }
  dorm__json_end(json);
}

static void put_problem(dorm__json *json, const dorm_problem *problem)
{
  const dorm_problem_info *about = &problem->about;
  size_t count = about->num_docs;
  dorm__json_begin(json, '{', false);
  put_text(json, "format", format);
  put_text(json, "version", about->version);
  put_text(json, "loss", about->loss);
  put_text(json, "position_weights", about->position_weights);
  put_text(json, "reference", about->reference);
  put_text(json, "oracle", about->oracle);
  put_numbers(json, "labels", count, problem->labels);
  put_numbers(json, "scores", count, problem->scores);
  put_numbers(json, "c", count, problem->c);
  if (problem->cost) {
    dorm__json_key(json, "cost");
    dorm__json_begin(json, '[', false);
    for (size_t j = 0; j < count; j++)
      put_row(json, count, problem->cost + j * count);
    dorm__json_end(json);
  } else {
    put_numbers(json, "a", count, problem->a);
    put_numbers(json, "b", count, problem->b);
  }
  if (about->num_groups)
    put_groups(json, problem);
  put_calls(json, problem);
  dorm__json_end(json);
}

dorm_status dorm_problem_write(dorm_context *context, const dorm_problem *problem, const char *path)
{
  dorm__output *output;
  if (DORM__LACKS(context, DORM__GIVEN(problem), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  dorm__json json = dorm__json_on(output);
  put_problem(&json, problem);
  status = dorm__json_finish(context, &json);
  if (status == DORM_OK)
    return dorm__output_commit(context, output);
  dorm__output_abandon(output);
  return status;
}

/* ---- Reading ---------------------------------------------------------------------------------- */

typedef struct problem_reader {
  dorm_context *context;
  const char *path;
} problem_reader;

/* "FILE: NAME is VALUE, not WANTED" */
static dorm_status bad(const problem_reader *reader, const char *name, const dorm__json_value *value,
                       const char *wanted)
{
  char shown[DORM__JSON_SHOWN];
  return dorm__fail(reader->context, DORM_BAD_DATA, "%.300s: %s is %s, not %s", reader->path, name,
                    dorm__json_show(value, shown), wanted);
}

/* A text of one line, which can be printed. */
static dorm_status read_text(const problem_reader *reader, const dorm__json_value *object, const char *key,
                             const char **text)
{
  const dorm__json_value *value = dorm__json_member(object, key);
  const char *found = dorm__json_text_of(value);
  bool is_good = found;
  for (size_t i = 0; is_good && found[i]; i++)
    is_good = (unsigned char)found[i] >= ' ' && found[i] != 127 &&
              ((unsigned char)found[i] != 0xc2 || (unsigned char)found[i + 1] >= 0xa0); /* U+0080 to U+009F in UTF-8 */
  if (!is_good)
    return bad(reader, key, value, "a text of one line");
  *text = dorm__copy_text(found);
  return *text ? DORM_OK : dorm__out_of_memory(reader->context, "a problem");
}

/* A number of at least `least`. */
static dorm_status read_number(const problem_reader *reader, const dorm__json_value *object, const char *key,
                               double least, double *number)
{
  const dorm__json_value *value = dorm__json_member(object, key);
  char wanted[MOST_NAME], shown[DORM__NUMBER_SIZE];
  if (dorm__json_number_of(value, number) && *number >= least)
    return DORM_OK;
  snprintf(wanted, sizeof wanted, "a number%s%s", isfinite(least) ? " of at least " : "",
           isfinite(least) ? dorm__format_double(shown, least) : "");
  return bad(reader, key, value, wanted);
}

/* A list of `count` numbers. */
static dorm_status read_list(const problem_reader *reader, const dorm__json_value *list, const char *name, size_t count,
                             double *x)
{
  char entry[MOST_NAME + 30];
  if (!dorm__json_is_list(list))
    return bad(reader, name, list, "a list of numbers");
  if (dorm__json_count(list) != count)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%.300s: %s has %zu entries, not %zu", reader->path, name,
                      dorm__json_count(list), count);
  for (size_t i = 0; i < count; i++)
    if (!dorm__json_number_of(dorm__json_at(list, i), &x[i])) {
      snprintf(entry, sizeof entry, "entry %zu of %s", i + 1, name);
      return bad(reader, entry, dorm__json_at(list, i), "a number");
    }
  return DORM_OK;
}

/* A list of `count` numbers of its own. */
static dorm_status read_numbers(const problem_reader *reader, const dorm__json_value *object, const char *key,
                                size_t count, double **x)
{
  *x = dorm__alloc(count, sizeof **x);
  return *x ? read_list(reader, dorm__json_member(object, key), key, count, *x)
            : dorm__out_of_memory(reader->context, "a problem");
}

/* "FILE: entry I of NAME is VALUE, not another document" */
static dorm_status bad_doc(const problem_reader *reader, const dorm__json_value *list, const char *name, size_t index)
{
  char entry[MOST_NAME + 30];
  snprintf(entry, sizeof entry, "entry %zu of %s", index + 1, name);
  return bad(reader, entry, dorm__json_at(list, index), "the number of another document");
}

/* A list of `count` documents, as numbers in x. */
static dorm_status read_docs(const problem_reader *reader, const dorm__json_value *list, const char *name, size_t count,
                             size_t num_docs, double *x)
{
  dorm_status status = read_list(reader, list, name, count, x);
  for (size_t i = 0; status == DORM_OK && i < count; i++)
    if (!(x[i] >= 0 && x[i] < (double)num_docs && x[i] == floor(x[i])))
      status = bad_doc(reader, list, name, i);
  return status;
}

/* A ranking; scratch [num_docs]. */
static dorm_status read_order(const problem_reader *reader, const dorm__json_value *list, size_t num_docs,
                              double *scratch, uint32_t *order)
{
  dorm_status status = read_docs(reader, list, "order", num_docs, num_docs, scratch);
  memset(order, 0, num_docs * sizeof *order);
  for (size_t p = 0; status == DORM_OK && p < num_docs; p++)
    if (order[(size_t)scratch[p]]++)
      status = bad_doc(reader, list, "order", p);
  for (size_t p = 0; status == DORM_OK && p < num_docs; p++)
    order[p] = (uint32_t)scratch[p];
  return status;
}

static dorm_status read_call(const problem_reader *reader, const dorm__json_value *value, size_t num_docs,
                             double *scratch, dorm__problem_call *call)
{
  const char *text = NULL;
  const dorm__json_value *order = dorm__json_member(value, "order");
  dorm_status status = read_number(reader, value, "t", -INFINITY, &call->t);
  if (status != DORM_OK || !order)
    return status;
  call->order = dorm__alloc(num_docs, sizeof *call->order);
  if (!call->order)
    return dorm__out_of_memory(reader->context, "a problem");
  status = read_order(reader, order, num_docs, scratch, call->order);
  if (status == DORM_OK)
    status = read_text(reader, value, "found_by", &text);
  call->found_by = (char *)text;
  if (status == DORM_OK)
    status = read_number(reader, value, "value", -INFINITY, &call->value);
  if (status == DORM_OK)
    status = read_number(reader, value, "microseconds", 0, &call->microseconds);
  return status;
}

static dorm_status read_calls(const problem_reader *reader, const dorm__json_value *root, dorm_problem *made)
{
  const dorm__json_value *calls = dorm__json_member(root, "calls");
  size_t count = dorm__json_count(calls);
  if (count == 0)
    return bad(reader, "calls", calls, "a list of calls");
  if (count > DORM__PROBLEM_CALLS)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%.300s: calls has %zu entries, and %d are allowed", reader->path,
                      count, DORM__PROBLEM_CALLS);
  double *scratch = dorm__alloc(made->about.num_docs, sizeof *scratch);
  dorm_status status = scratch ? DORM_OK : dorm__out_of_memory(reader->context, "a problem");
  for (size_t i = 0; status == DORM_OK && i < count; i++) /* a call counts at once, so that it is freed */
    status = read_call(reader, dorm__json_at(calls, i), made->about.num_docs, scratch, &made->calls[made->num_calls++]);
  dorm__free(scratch);
  return status;
}

static dorm_status read_tables(const problem_reader *reader, const dorm__json_value *root, dorm_problem *made)
{
  const dorm__json_value *cost = dorm__json_member(root, "cost");
  size_t count = dorm__json_count(dorm__json_member(root, "scores"));
  char name[MOST_NAME];
  if (count == 0)
    return bad(reader, "scores", dorm__json_member(root, "scores"), "a list of numbers");
  made->about.num_docs = count;
  dorm_status status = read_numbers(reader, root, "scores", count, &made->scores);
  if (status == DORM_OK)
    status = read_numbers(reader, root, "labels", count, &made->labels);
  if (status == DORM_OK)
    status = read_numbers(reader, root, "c", count, &made->c);
  if (status == DORM_OK && !cost)
    status = read_numbers(reader, root, "a", count, &made->a);
  if (status == DORM_OK && !cost)
    status = read_numbers(reader, root, "b", count, &made->b);
  if (status != DORM_OK || !cost)
    return status;
  if (dorm__json_count(cost) != count)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%.300s: cost has %zu rows, not %zu", reader->path,
                      dorm__json_count(cost), count);
  for (size_t j = 0; j < count; j++) /* before the memory for all of them */
    if (dorm__json_count(dorm__json_at(cost, j)) != count)
      return dorm__fail(reader->context, DORM_BAD_DATA, "%.300s: row %zu of cost has %zu numbers, not %zu",
                        reader->path, j + 1, dorm__json_count(dorm__json_at(cost, j)), count);
  made->cost = dorm__alloc(count * count, sizeof *made->cost);
  status = made->cost ? DORM_OK : dorm__out_of_memory(reader->context, "a problem");
  for (size_t j = 0; status == DORM_OK && j < count; j++) {
    snprintf(name, sizeof name, "row %zu of cost", j + 1);
    status = read_list(reader, dorm__json_at(cost, j), name, count, made->cost + j * count);
  }
  return status;
}

/* One group: its documents, which rise, and their weights, above 0. scratch [num_docs]. */
static dorm_status read_group(const problem_reader *reader, const dorm__json_value *members,
                              const dorm__json_value *weights, size_t number, double *scratch, dorm_problem *made)
{
  dorm__query_groups *groups = &made->groups;
  size_t first = groups->start[number], count = dorm__json_count(members);
  char name[MOST_NAME], weights_name[MOST_NAME];
  snprintf(name, sizeof name, "group %zu", number + 1);
  snprintf(weights_name, sizeof weights_name, "weights of group %zu", number + 1);
  if (count == 0 || count > made->about.num_docs)
    return bad(reader, name, members, "a list of documents");
  dorm_status status = read_docs(reader, members, name, count, made->about.num_docs, scratch);
  for (size_t i = 0; status == DORM_OK && i < count; i++) {
    if (i && scratch[i] <= scratch[i - 1])
      return bad_doc(reader, members, name, i);
    groups->docs[first + i] = (uint32_t)scratch[i];
  }
  if (status == DORM_OK)
    status = read_list(reader, weights, weights_name, count, groups->weights + first);
  for (size_t i = 0; status == DORM_OK && i < count; i++)
    if (!(groups->weights[first + i] > 0))
      return bad(reader, weights_name, weights, "above 0");
  groups->start[number + 1] = (uint32_t)(first + count);
  return status;
}

static dorm_status read_members(const problem_reader *reader, const dorm__json_value *members,
                                const dorm__json_value *weights, dorm_problem *made)
{
  dorm__query_groups *groups = &made->groups;
  size_t count = dorm__json_count(members), total = 0;
  for (size_t s = 0; s < count; s++)
    total += dorm__json_count(dorm__json_at(members, s));
  if (count == 0 || total > UINT32_MAX)
    return bad(reader, "members", members, "a list of groups");
  groups->start = dorm__alloc_zero(count + 1, sizeof *groups->start);
  groups->docs = dorm__alloc(total, sizeof *groups->docs);
  groups->weights = dorm__alloc(total, sizeof *groups->weights);
  double *scratch = dorm__alloc(made->about.num_docs, sizeof *scratch);
  bool is_there = groups->start && groups->docs && groups->weights && scratch;
  dorm_status status = is_there ? DORM_OK : dorm__out_of_memory(reader->context, "groups");
  for (size_t s = 0; status == DORM_OK && s < count; s++)
    status = read_group(reader, dorm__json_at(members, s), dorm__json_at(weights, s), s, scratch, made);
  dorm__free(scratch);
  groups->groups.num_groups = made->about.num_groups = count;
  groups->groups.start = groups->start;
  groups->groups.docs = groups->docs;
  groups->groups.weights = groups->weights;
  return status;
}

/* The number of a text among names; DORM_BAD_DATA where it is none of them. */
static dorm_status read_word(const problem_reader *reader, const dorm__json_value *object, const char *what,
                             size_t count, const char *const *names, size_t *number)
{
  const dorm__json_value *value = dorm__json_member(object, "oracle");
  const char *text = dorm__json_text_of(value);
  if (!text)
    return bad(reader, what, value, "a text");
  for (*number = 0; *number < count; ++*number)
    if (strcmp(names[*number], text) == 0)
      return DORM_OK;
  dorm_status status = dorm__fail_unknown(reader->context, what, text, names, count);
  return dorm__fail_within(reader->context, status == DORM_BAD_USAGE ? DORM_BAD_DATA : status, "%.300s", reader->path);
}

static dorm_status read_groups(const problem_reader *reader, const dorm__json_value *object, dorm_problem *made)
{
  const char *names[DORM__NUM_GROUP_METHODS];
  size_t method = 0;
  double top = 0;
  for (int i = 0; i < DORM__NUM_GROUP_METHODS; i++)
    names[i] = dorm__group_method_name((dorm__group_method)i);
  dorm_status status = read_word(reader, object, "oracle of groups", DORM__NUM_GROUP_METHODS, names, &method);
  if (status == DORM_OK)
    status = read_number(reader, object, "top", 1, &top);
  if (status == DORM_OK && (top != floor(top) || top > DORM__LARGEST_COUNT))
    status = bad(reader, "top", dorm__json_member(object, "top"), "a whole number");
  if (status == DORM_OK)
    status = read_number(reader, object, "capacity", 0, &made->groups.groups.capacity);
  if (status == DORM_OK && !(made->groups.groups.capacity > 0))
    status = bad(reader, "capacity", dorm__json_member(object, "capacity"), "above 0");
  if (status == DORM_OK)
    status = read_number(reader, object, "time_limit", 0, &made->limit);
  if (status != DORM_OK)
    return status;
  made->group_method = (dorm__group_method)method;
  made->groups.groups.top = (size_t)top;
  return read_members(reader, dorm__json_member(object, "members"), dorm__json_member(object, "weights"), made);
}

static dorm_status read_problem(const problem_reader *reader, const dorm__json_value *root, dorm_problem *made)
{
  const struct {
    const char *key;
    const char **text;
  } texts[] = {{"version", &made->about.version},
               {"loss", &made->about.loss},
               {"position_weights", &made->about.position_weights},
               {"reference", &made->about.reference},
               {"oracle", &made->about.oracle}};
  const char *names[DORM__NUM_PLAIN_ORACLE_METHODS];
  const char *found = dorm__json_text_of(dorm__json_member(root, "format"));
  size_t method = 0;
  if (!found || strcmp(found, format) != 0)
    return bad(reader, "format", dorm__json_member(root, "format"), "\"dorm problem 1\"");
  for (int i = 0; i < DORM__NUM_PLAIN_ORACLE_METHODS; i++)
    names[i] = dorm__oracle_method_name((dorm__oracle_method)i);
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < sizeof texts / sizeof *texts; i++)
    status = read_text(reader, root, texts[i].key, texts[i].text);
  if (status == DORM_OK)
    status = read_word(reader, root, "oracle", DORM__NUM_PLAIN_ORACLE_METHODS, names, &method);
  made->method = (dorm__oracle_method)method;
  if (status == DORM_OK)
    status = read_tables(reader, root, made);
  if (status == DORM_OK && dorm__json_member(root, "groups"))
    status = read_groups(reader, dorm__json_member(root, "groups"), made);
  return status == DORM_OK ? read_calls(reader, root, made) : status;
}

/* Fails where a table does not fall, by making a plan of it. */
static dorm_status check_tables(const problem_reader *reader, dorm_problem *made)
{
  dorm__oracle_plan *plan;
  size_t top, num_groups = made->about.num_groups;
  made->about.num_groups = 0; /* their programmes take time, which reading is not to take */
  dorm_status status = dorm__problem_plan(reader->context, made, DORM__ORACLE_AUTO, DORM__GROUPS_AUTO, &plan, &top);
  made->about.num_groups = num_groups;
  dorm__oracle_plan_free(plan);
  return status == DORM_BAD_USAGE ? dorm__fail_within(reader->context, DORM_BAD_DATA, "%.300s", reader->path) : status;
}

dorm_status dorm_problem_read(dorm_context *context, const char *path, dorm_problem **problem)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__RESULT(problem)))
    return DORM_BAD_USAGE;
  problem_reader reader = {context, path};
  dorm__json_value *root;
  *problem = NULL;
  dorm_status status = dorm__json_read(context, path, &root);
  if (status != DORM_OK)
    return status;
  dorm_problem *made = dorm__alloc_zero(1, sizeof *made);
  status = made ? read_problem(&reader, root, made) : dorm__out_of_memory(context, "a problem");
  if (status == DORM_OK)
    status = check_tables(&reader, made);
  dorm__json_free(root);
  if (status == DORM_OK)
    *problem = made;
  else
    dorm_problem_free(made);
  return status;
}
