/*
 * cost.c: a general position cost C[j][p](y) read from a table (the paper, section 3.3, eq. 19). The cost of a document
 * at a position depends on its label or on one of its features. With an attribute that is 1 for government sites, "the
 * first position should hold a government site" is:
 *
 *   # attribute   position 0, position 1 and all after it
 *   1             0  0
 *   *             1  0
 *
 * A line holds a value of the attribute, or * for all values without a line, and then the costs from position 0 on. The
 * last cost holds for every later position, too. Every line has as many costs as the first. # begins a comment.
 *
 *   Delta = sum_j cost[j][rank[j]] - the least cost of any ranking
 */
#include "base/module.h"
#include "data/data.h"
#include "losses/gains.h"

#include <math.h>
#include <string.h>

static const dorm_loss_parameter parameters[] = {
    {"file", "", "", 0, 0, 0, "the table: attribute value or *, then costs from the first position on"},
    {"attribute", "0", NULL, 0, 1e9, 1, "id of the feature that the table asks for; 0: the label"},
};

typedef struct cost_table {
  size_t attribute;
  size_t num_rows;
  size_t rows_capacity;
  double *values; /* [num_rows], NaN for the row of all other values */
  size_t row_size;
  size_t num_costs;
  size_t costs_capacity;
  double *costs; /* [num_rows][row_size] */
} cost_table;

static void destroy(void *state)
{
  DORM__FREED cost_table *table = state;
  if (!table)
    return;
  dorm__free(table->values);
  dorm__free(table->costs);
}

static const char *skip_blanks(const char *text, const char *end)
{
  while (text < end && (*text == ' ' || *text == '\t'))
    text++;
  return text;
}

static dorm_status read_row(dorm_context *context, const dorm__line_reader *reader, const char *line, const char *end,
                            cost_table *table)
{
  double value = NAN;
  const char *next = *line == '*' ? line + 1 : dorm__parse_double(line, end, &value);
  if (!next || (next < end && *next != ' ' && *next != '\t'))
    return dorm__line_reader_fail(context, reader, "a line begins with the value of an attribute, or *");
  for (size_t i = 0; i < table->num_rows; i++)
    if (table->values[i] == value || (isnan(value) && isnan(table->values[i])))
      return dorm__line_reader_fail(context, reader, "this value already has a line");
  if (!dorm__grow((void **)&table->values, &table->rows_capacity, table->num_rows + 1, sizeof *table->values))
    return dorm__out_of_memory(context, "a cost table");
  table->values[table->num_rows] = value;
  size_t count = 0;
  for (next = skip_blanks(next, end); next < end; next = skip_blanks(next, end)) {
    double cost = 0;
    next = dorm__parse_double(next, end, &cost);
    if (!next || !isfinite(cost) || (next < end && *next != ' ' && *next != '\t'))
      return dorm__line_reader_fail(context, reader, "cost %zu is not a finite number", count + 1);
    if (!dorm__grow((void **)&table->costs, &table->costs_capacity, table->num_costs + 1, sizeof *table->costs))
      return dorm__out_of_memory(context, "a cost table");
    table->costs[table->num_costs++] = cost;
    count++;
  }
  if (!count || (table->num_rows && count != table->row_size))
    return dorm__line_reader_fail(context, reader, "%zu costs, but %s%zu", count,
                                  table->num_rows ? "the first line has " : "there must be at least ",
                                  table->num_rows ? table->row_size : 1);
  table->row_size = count;
  table->num_rows++;
  return DORM_OK;
}

static dorm_status read_table(dorm_context *context, const char *path, cost_table *table)
{
  dorm__line_reader *reader = NULL;
  const char *line = NULL;
  const char *end = NULL;
  dorm_status status = dorm__line_reader_open(context, path, &reader);
  if (status != DORM_OK)
    return status;
  while ((status = dorm__line_reader_next(context, reader, &line, &end)) == DORM_OK && line) {
    const char *comment = memchr(line, '#', (size_t)(end - line));
    if (comment)
      end = comment;
    line = skip_blanks(line, end);
    if (line < end)
      status = read_row(context, reader, line, end, table);
    if (status != DORM_OK)
      break;
  }
  dorm__line_reader_close(reader);
  if (status == DORM_OK && !table->num_rows)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: the table is empty", path);
  return status;
}

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  if (!*values[0].text)
    return host->fail(host, "needs its table, as in cost:file=costs.txt,attribute=5");
  cost_table *made = dorm__alloc_zero(1, sizeof *made);
  DORM__OWNED(dorm_context) *context = dorm_context_new(); /* for the message of the reader */
  if (!made || !context) {
    destroy(made);
    return host->fail(host, "out of memory");
  }
  made->attribute = (size_t)values[1].number;
  dorm_status status = read_table(context, values[0].text, made);
  if (status != DORM_OK) {
    destroy(made);
    return dorm__host_pass(host, context, status);
  }
  *state = made;
  return 0;
}

/* Returns the table's row for a value, or num_rows if there is none. A feature is a float in the data and a decimal
 * number in the table, so both are compared as floats. */
static size_t find_row(const cost_table *table, double value)
{
  size_t others = table->num_rows;
  for (size_t i = 0; i < table->num_rows; i++) {
    if (isnan(table->values[i]))
      others = i;
    else if ((float)table->values[i] == (float)value)
      return i;
  }
  return others;
}

static int fill_costs(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost)
{
  const cost_table *table = state;
  size_t num_docs = query->num_docs, last = table->row_size - 1;
  DORM__FREED double *values = dorm__alloc(num_docs, sizeof *values);
  if (!values)
    return host->fail(host, "out of memory");
  if (table->attribute)
    host->feature(host, table->attribute, values);
  else
    memcpy(values, query->labels, num_docs * sizeof *values);
  for (size_t j = 0; j < num_docs; j++) {
    size_t row = find_row(table, values[j]);
    if (row == table->num_rows)
      return host->fail(host, "the table has no line for the attribute value %g, and none for *", values[j]);
    for (size_t p = 0; p < num_docs; p++)
      cost[j * num_docs + p] = table->costs[row * table->row_size + (p < last ? p : last)];
  }
  return 0;
}

const dorm_loss_module dorm__loss_cost =
    DORM__LOSS("cost", "costs of documents at positions, from a table by label or by a feature", parameters, create,
               destroy, .fill_costs = fill_costs);
