/*
 * expression.c: the kernels, their parameters and blocks, as text: read. Sums
 * and products of positive semi-definite kernels, and non-negative constants,
 * are positive semi-definite again (Schur's product theorem for the products),
 * so any expression over the built-in kernels is one.
 */
#include "kernels/expression.h"
#include "data/data.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"
#include "kernels/user_term.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MOST_VALUES = 100, MOST_RANGES = 1000, MOST_DEPTH = 50 };
static const uint64_t largest_id = DORM__LARGEST_ID;

static const dorm__kernel_parameter_form constant_row = {"a constant", 0, 1e12, false, false, 1};

/* ---- Parsing ------------------------------------------------------------------ */

/* "kernel.kernel: at character 5 of 'rbf(': <what>" */
dorm_status dorm__expression_fail(const dorm__expression *parser, const char *at, const char *what, const char *word)
{
  return dorm__fail(parser->context, DORM_BAD_USAGE, "kernel.kernel: at character %zu of '%.300s': %s%.100s",
                    (size_t)(at - parser->text) + 1, parser->text, what, word);
}

void dorm__expression_skip(dorm__expression *parser)
{
  parser->at += strspn(parser->at, " \t");
}

bool dorm__expression_take(dorm__expression *parser, char c)
{
  dorm__expression_skip(parser);
  if (*parser->at != c)
    return false;
  parser->at++;
  dorm__expression_skip(parser);
  return true;
}

dorm_status dorm__expression_expect(dorm__expression *parser, char c)
{
  char what[] = "'?' expected";
  what[1] = c;
  return dorm__expression_take(parser, c) ? DORM_OK : dorm__expression_fail(parser, parser->at, what, "");
}

dorm_status dorm__expression_node(dorm__expression *parser, dorm__kernel_kind kind, size_t *number)
{
  dorm__kernel *kernel = parser->kernel;
  if (kernel->num_nodes == DORM__KERNEL_MOST_NODES)
    return dorm__expression_fail(parser, parser->at, "the expression is too long", "");
  *number = kernel->num_nodes++;
  kernel->nodes[*number] = (dorm__kernel_node){.kind = kind};
  return DORM_OK;
}

static dorm_status check_value(const dorm__expression *parser, const char *at, const dorm__kernel_parameter_form *row,
                               double value)
{
  bool good = value <= row->max && (row->above_min ? value > row->min : value >= row->min);
  if (good && (!row->is_integer || value == floor(value)))
    return DORM_OK;
  return dorm__fail(parser->context, DORM_BAD_USAGE,
                    "kernel.kernel: at character %zu of '%.300s': %s must be %s%s %g and at most %g",
                    (size_t)(at - parser->text) + 1, parser->text, row->name, row->is_integer ? "a whole number, " : "",
                    row->above_min ? "above" : "at least", row->min, row->max);
}

/* numbers = number { "|" number }; "auto" where the default is. */
static dorm_status parse_values(dorm__expression *parser, const dorm__kernel_parameter_form *row,
                                dorm__kernel_parameter *parameter)
{
  double values[MOST_VALUES];
  size_t count = 0;
  do {
    const char *at = parser->at;
    if (count == MOST_VALUES)
      return dorm__expression_fail(parser, at, "more values than one list can hold", "");
    if (isnan(row->default_value) && strncmp(at, "auto", strlen("auto")) == 0) {
      values[count++] = NAN;
      parser->at += strlen("auto");
      continue;
    }
    const char *rest = dorm__parse_double(at, at + strlen(at), &values[count]);
    if (!rest)
      return dorm__expression_fail(parser, at, "a number expected", "");
    dorm_status status = check_value(parser, at, row, values[count]);
    if (status != DORM_OK)
      return status;
    count++;
    parser->at = rest;
  } while (dorm__expression_take(parser, '|'));
  dorm__free(parameter->values);
  parameter->count = 0;
  parameter->values = dorm__alloc(count, sizeof *parameter->values);
  if (!parameter->values)
    return dorm__out_of_memory(parser->context, "a kernel");
  memcpy(parameter->values, values, count * sizeof *values);
  parameter->count = count;
  return DORM_OK;
}

static dorm_status set_defaults(const dorm__expression *parser, const dorm__kernel_form *row, dorm__kernel_node *node)
{
  node->num_parameters = row->num_parameters;
  for (size_t i = 0; i < row->num_parameters; i++) {
    node->parameters[i].values = dorm__alloc(1, sizeof(double));
    if (!node->parameters[i].values)
      return dorm__out_of_memory(parser->context, "a kernel");
    node->parameters[i].values[0] = row->parameters[i].default_value;
    node->parameters[i].count = 1;
  }
  return DORM_OK;
}

size_t dorm__expression_word(const char *at)
{
  size_t length = 0;
  while (isalpha((unsigned char)at[length]) || at[length] == '_' ||
         (length && (isdigit((unsigned char)at[length]) || at[length] == '-')))
    length++;
  return length;
}

/* key=numbers {"," key=numbers} */
static dorm_status parse_parameters(dorm__expression *parser, const dorm__kernel_form *row, dorm__kernel_node *node)
{
  do {
    const char *at = parser->at;
    size_t length = dorm__expression_word(at);
    size_t i = 0;
    while (i < row->num_parameters &&
           (strlen(row->parameters[i].name) != length || strncmp(row->parameters[i].name, at, length) != 0))
      i++;
    if (i == row->num_parameters)
      return dorm__expression_fail(parser, at, "a parameter of the kernel expected; unknown to ", row->name);
    parser->at += length;
    dorm_status status = dorm__expression_expect(parser, '=');
    if (status == DORM_OK)
      status = parse_values(parser, &row->parameters[i], &node->parameters[i]);
    if (status != DORM_OK)
      return status;
  } while (dorm__expression_take(parser, ','));
  return DORM_OK;
}

static dorm_status parse_id(dorm__expression *parser, size_t *id)
{
  const char *at = parser->at;
  uint64_t number = 0;
  while (isdigit((unsigned char)*parser->at) && number <= largest_id)
    number = number * 10 + (uint64_t)(*parser->at++ - '0');
  if (parser->at == at || number == 0 || number > largest_id)
    return dorm__expression_fail(parser, at, "a feature id expected", "");
  *id = (size_t)number;
  dorm__expression_skip(parser);
  return DORM_OK;
}

/* ids ")" */
dorm_status dorm__expression_block(dorm__expression *parser, dorm__kernel_node *node)
{
  size_t capacity = 0;
  do {
    size_t range[2];
    const char *at = parser->at;
    dorm_status status = parse_id(parser, &range[0]);
    range[1] = range[0];
    if (status == DORM_OK && dorm__expression_take(parser, '-'))
      status = parse_id(parser, &range[1]);
    if (status != DORM_OK)
      return status;
    if (range[1] < range[0])
      return dorm__expression_fail(parser, at, "a range of features runs backwards", "");
    if (node->num_ranges == MOST_RANGES)
      return dorm__expression_fail(parser, at, "too many ranges", "");
    if (!dorm__grow((void **)&node->ranges, &capacity, node->num_ranges + 1, sizeof *node->ranges))
      return dorm__out_of_memory(parser->context, "a kernel");
    memcpy(node->ranges[node->num_ranges++], range, sizeof range);
  } while (dorm__expression_take(parser, ','));
  return dorm__expression_expect(parser, ')');
}

/* path "(" id ")", behind "gram:" */
static dorm_status parse_gram(dorm__expression *parser, dorm__kernel_node *node)
{
  const char *at = parser->at;
  size_t length = strcspn(at, "(");
  while (length && (at[length - 1] == ' ' || at[length - 1] == '\t'))
    length--;
  if (!length)
    return dorm__expression_fail(parser, at, "the path of a Gram matrix expected", "");
  node->path = dorm__alloc(length + 1, 1);
  if (!node->path)
    return dorm__out_of_memory(parser->context, "a kernel");
  memcpy(node->path, at, length);
  node->path[length] = '\0';
  parser->at += length;
  if (!dorm__expression_take(parser, '('))
    return dorm__expression_fail(parser, parser->at,
                                 "the feature that holds the row number expected, as in gram:matrix.txt(1)", "");
  dorm_status status = dorm__expression_block(parser, node);
  if (status == DORM_OK && (node->num_ranges != 1 || node->ranges[0][0] != node->ranges[0][1]))
    return dorm__expression_fail(parser, at, "a Gram matrix takes one feature, the row number", "");
  return status;
}

dorm_status dorm__expression_unknown(const dorm__expression *parser, const char *at, size_t length)
{
  const char *names[DORM__NUM_KERNEL_KINDS];
  const dorm__kernel_form *row;
  size_t count = 0;
  char word[40];
  while ((row = dorm__kernel_form_at(count)) != NULL)
    names[count++] = row->name;
  snprintf(word, sizeof word, "%.*s", (int)(length < 30 ? length : 30), at);
  const char *nearest = length ? dorm__nearest_word(word, names, count) : NULL;
  return dorm__expression_fail(
      parser, at,
      nearest ? "no kernel of that name; did you mean "
              : "a kernel expected: linear, polynomial, rbf, laplacian, histogram, gram, a number or '('",
      nearest ? nearest : "");
}

static dorm_status parse_named(dorm__expression *parser, size_t *number)
{
  const char *at = parser->at;
  size_t length = dorm__expression_word(at);
  size_t i = 0;
  const dorm__kernel_form *row;
  while ((row = dorm__kernel_form_at(i)) != NULL &&
         (strlen(row->name) != length || strncmp(row->name, at, length) != 0))
    i++;
  if (!row)
    return dorm__expression_user_term(parser, length, number);
  dorm_status status = dorm__expression_node(parser, row->kind, number);
  if (status != DORM_OK)
    return status;
  dorm__kernel_node *node = &parser->kernel->nodes[*number];
  parser->at += length;
  status = set_defaults(parser, row, node);
  if (status != DORM_OK)
    return status;
  if (row->kind == DORM__KERNEL_GRAM) {
    status = dorm__expression_expect(parser, ':');
    return status == DORM_OK ? parse_gram(parser, node) : status;
  }
  if (dorm__expression_take(parser, ':'))
    status = parse_parameters(parser, row, node);
  if (status == DORM_OK && dorm__expression_take(parser, '('))
    status = dorm__expression_block(parser, node);
  return status;
}

static dorm_status parse_sum(dorm__expression *parser, size_t *number);

static dorm_status parse_factor(dorm__expression *parser, size_t *number)
{
  dorm__expression_skip(parser);
  if (++parser->depth > MOST_DEPTH)
    return dorm__expression_fail(parser, parser->at, "too many parentheses", "");
  dorm_status status;
  if (dorm__expression_take(parser, '(')) {
    status = parse_sum(parser, number);
    if (status == DORM_OK)
      status = dorm__expression_expect(parser, ')');
  } else if (isdigit((unsigned char)*parser->at) || strchr("+-.", *parser->at ? *parser->at : 'x')) {
    status = dorm__expression_node(parser, DORM__KERNEL_CONSTANT, number);
    if (status == DORM_OK) {
      parser->kernel->nodes[*number].num_parameters = 1;
      status = parse_values(parser, &constant_row, &parser->kernel->nodes[*number].parameters[0]);
    }
  } else {
    status = parse_named(parser, number);
  }
  parser->depth--;
  return status;
}

static dorm_status join(dorm__expression *parser, dorm__kernel_kind kind, size_t left, size_t right, size_t *number)
{
  dorm_status status = dorm__expression_node(parser, kind, number);
  if (status == DORM_OK) {
    parser->kernel->nodes[*number].left = left;
    parser->kernel->nodes[*number].right = right;
  }
  return status;
}

static dorm_status parse_product(dorm__expression *parser, size_t *number)
{
  dorm_status status = parse_factor(parser, number);
  while (status == DORM_OK && dorm__expression_take(parser, '*')) {
    size_t right = 0;
    status = parse_factor(parser, &right);
    if (status == DORM_OK)
      status = join(parser, DORM__KERNEL_PRODUCT, *number, right, number);
  }
  return status;
}

static dorm_status parse_sum(dorm__expression *parser, size_t *number)
{
  dorm_status status = parse_product(parser, number);
  while (status == DORM_OK && dorm__expression_take(parser, '+')) {
    size_t right = 0;
    status = parse_product(parser, &right);
    if (status == DORM_OK)
      status = join(parser, DORM__KERNEL_SUM, *number, right, number);
  }
  return status;
}

static dorm_status parse(dorm_context *context, const char *text, bool is_model, dorm__kernel **kernel)
{
  dorm__expression parser = {.context = context, .text = text, .at = text, .is_model = is_model};
  *kernel = NULL;
  parser.kernel = dorm__alloc_zero(1, sizeof *parser.kernel);
  if (!parser.kernel)
    return dorm__out_of_memory(context, "a kernel");
  dorm_status status = parse_sum(&parser, &parser.kernel->root);
  if (status == DORM_OK && *parser.at)
    status = dorm__expression_fail(&parser, parser.at, "'+', '*' or the end expected", "");
  if (status == DORM_OK && dorm__kernel_num_choices(parser.kernel) > DORM__KERNEL_MOST_CHOICES)
    status = dorm__expression_fail(&parser, parser.at, "too many combinations of its lists", "");
  if (status != DORM_OK)
    dorm__kernel_free(parser.kernel);
  else
    *kernel = parser.kernel;
  return status;
}

dorm_status dorm__kernel_parse(dorm_context *context, const char *text, dorm__kernel **kernel)
{
  return parse(context, text, false, kernel);
}

dorm_status dorm__kernel_parse_model(dorm_context *context, const char *text, dorm__kernel **kernel)
{
  return parse(context, text, true, kernel);
}

static void parameter_clear(dorm__kernel_parameter *parameter)
{
  for (size_t i = 0; i < parameter->count && parameter->texts; i++)
    dorm__free(parameter->texts[i]);
  dorm__free(parameter->texts);
  dorm__free(parameter->key);
  dorm__free(parameter->values);
}

void dorm__kernel_free(dorm__kernel *kernel)
{
  if (!kernel)
    return;
  for (size_t i = 0; i < kernel->num_nodes; i++) {
    dorm__kernel_node *node = &kernel->nodes[i];
    dorm__user_kernel_close(node->user); /* before the texts of its parameters */
    for (size_t p = 0; p < DORM__KERNEL_MOST_PARAMETERS; p++)
      parameter_clear(&node->parameters[p]);
    dorm__free(node->ranges);
    dorm__free(node->path);
    dorm__free(node->name);
    dorm__free(node->columns);
    dorm__free(node->gram);
  }
  dorm__free(kernel);
}
