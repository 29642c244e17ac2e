/*
 * expression.c: the kernels, their parameters and blocks, as text: read. Sums
 * and products of positive semi-definite kernels, and non-negative constants,
 * are positive semi-definite again (Schur's product theorem for the products),
 * so any expression over the built-in kernels is one.
 */
#include "kernels/kernels.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MOST_VALUES = 100, MOST_RANGES = 1000, MOST_DEPTH = 50 };
static const size_t largest_id = (size_t)1 << 53;

/* ---- The kernels and their parameters ---------------------------------------- */

#define ROW_GAMMA                                                                                                      \
  {                                                                                                                    \
    "gamma", 0, 1e12, true, false, NAN                                                                                 \
  }
#define ROW_SCALE                                                                                                      \
  {                                                                                                                    \
    "scale", 0, 1e12, true, false, 1                                                                                   \
  }

/* rbf and laplacian: `scale` multiplies gamma, so that a list of scales can
 * stand around a gamma that is found by itself. */
static const dorm__kernel_form kernel_table[] = {
    {"linear", DORM__KERNEL_LINEAR, 0, {{0}}},
    {"polynomial",
     DORM__KERNEL_POLYNOMIAL,
     3,
     {{"degree", 1, 20, false, true, 2}, {"offset", 0, 1e12, false, false, 1}, ROW_SCALE}},
    {"rbf", DORM__KERNEL_RBF, 2, {ROW_GAMMA, ROW_SCALE}},
    {"laplacian", DORM__KERNEL_LAPLACIAN, 2, {ROW_GAMMA, ROW_SCALE}},
    {"histogram", DORM__KERNEL_HISTOGRAM, 0, {{0}}},
    {"gram", DORM__KERNEL_GRAM, 0, {{0}}},
};
enum { NUM_KERNELS = sizeof kernel_table / sizeof *kernel_table };

static const dorm__kernel_parameter_form constant_row = {"a constant", 0, 1e12, false, false, 1};

const dorm__kernel_form *dorm__kernel_form_of(dorm__kernel_kind kind)
{
  for (size_t i = 0; i < NUM_KERNELS; i++)
    if (kernel_table[i].kind == kind)
      return &kernel_table[i];
  return NULL; /* constants, sums, products */
}

/* ---- Parsing ------------------------------------------------------------------ */

typedef struct expression_parser {
  dorm_context *context;
  const char *text;
  const char *at;
  size_t depth;
  dorm__kernel *kernel;
} expression_parser;

/* "kernel.kernel: at character 5 of 'rbf(': <what>" */
static dorm_status fail_at(const expression_parser *parser, const char *at, const char *what, const char *word)
{
  return dorm__fail(parser->context, DORM_BAD_USAGE, "kernel.kernel: at character %zu of '%.300s': %s%.100s",
                    (size_t)(at - parser->text) + 1, parser->text, what, word);
}

static void skip_blanks(expression_parser *parser)
{
  parser->at += strspn(parser->at, " \t");
}

static bool take(expression_parser *parser, char c)
{
  skip_blanks(parser);
  if (*parser->at != c)
    return false;
  parser->at++;
  skip_blanks(parser);
  return true;
}

static dorm_status expect(expression_parser *parser, char c)
{
  char what[] = "'?' expected";
  what[1] = c;
  return take(parser, c) ? DORM_OK : fail_at(parser, parser->at, what, "");
}

static dorm_status new_node(expression_parser *parser, dorm__kernel_kind kind, size_t *number)
{
  dorm__kernel *kernel = parser->kernel;
  if (kernel->num_nodes == DORM__KERNEL_MOST_NODES)
    return fail_at(parser, parser->at, "the expression is too long", "");
  *number = kernel->num_nodes++;
  kernel->nodes[*number] = (dorm__kernel_node){.kind = kind};
  return DORM_OK;
}

static dorm_status check_value(const expression_parser *parser, const char *at, const dorm__kernel_parameter_form *row,
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
static dorm_status parse_values(expression_parser *parser, const dorm__kernel_parameter_form *row,
                                dorm__kernel_parameter *parameter)
{
  double values[MOST_VALUES];
  size_t count = 0;
  do {
    const char *at = parser->at;
    if (count == MOST_VALUES)
      return fail_at(parser, at, "more values than one list can hold", "");
    if (isnan(row->default_value) && strncmp(at, "auto", strlen("auto")) == 0) {
      values[count++] = NAN;
      parser->at += strlen("auto");
      continue;
    }
    const char *rest = dorm__parse_double(at, at + strlen(at), &values[count]);
    if (!rest)
      return fail_at(parser, at, "a number expected", "");
    dorm_status status = check_value(parser, at, row, values[count]);
    if (status != DORM_OK)
      return status;
    count++;
    parser->at = rest;
  } while (take(parser, '|'));
  dorm__free(parameter->values);
  parameter->count = 0;
  parameter->values = dorm__alloc(count, sizeof *parameter->values);
  if (!parameter->values)
    return dorm__out_of_memory(parser->context, "a kernel");
  memcpy(parameter->values, values, count * sizeof *values);
  parameter->count = count;
  return DORM_OK;
}

static dorm_status set_defaults(const expression_parser *parser, const dorm__kernel_form *row, dorm__kernel_node *node)
{
  for (size_t i = 0; i < row->num_parameters; i++) {
    node->parameters[i].values = dorm__alloc(1, sizeof(double));
    if (!node->parameters[i].values)
      return dorm__out_of_memory(parser->context, "a kernel");
    node->parameters[i].values[0] = row->parameters[i].default_value;
    node->parameters[i].count = 1;
  }
  return DORM_OK;
}

static size_t word_length(const char *at)
{
  size_t length = 0;
  while (isalpha((unsigned char)at[length]) || at[length] == '_')
    length++;
  return length;
}

/* key=numbers {"," key=numbers} */
static dorm_status parse_parameters(expression_parser *parser, const dorm__kernel_form *row, dorm__kernel_node *node)
{
  do {
    const char *at = parser->at;
    size_t length = word_length(at);
    size_t i = 0;
    while (i < row->num_parameters &&
           (strlen(row->parameters[i].name) != length || strncmp(row->parameters[i].name, at, length) != 0))
      i++;
    if (i == row->num_parameters)
      return fail_at(parser, at, "a parameter of the kernel expected; unknown to ", row->name);
    parser->at += length;
    dorm_status status = expect(parser, '=');
    if (status == DORM_OK)
      status = parse_values(parser, &row->parameters[i], &node->parameters[i]);
    if (status != DORM_OK)
      return status;
  } while (take(parser, ','));
  return DORM_OK;
}

static dorm_status parse_id(expression_parser *parser, size_t *id)
{
  const char *at = parser->at;
  *id = 0;
  while (isdigit((unsigned char)*parser->at) && *id <= largest_id)
    *id = *id * 10 + (size_t)(*parser->at++ - '0');
  if (parser->at == at || *id == 0 || *id > largest_id)
    return fail_at(parser, at, "a feature id expected", "");
  skip_blanks(parser);
  return DORM_OK;
}

/* ids ")" */
static dorm_status parse_block(expression_parser *parser, dorm__kernel_node *node)
{
  size_t capacity = 0;
  do {
    size_t range[2];
    const char *at = parser->at;
    dorm_status status = parse_id(parser, &range[0]);
    range[1] = range[0];
    if (status == DORM_OK && take(parser, '-'))
      status = parse_id(parser, &range[1]);
    if (status != DORM_OK)
      return status;
    if (range[1] < range[0])
      return fail_at(parser, at, "a range of features runs backwards", "");
    if (node->num_ranges == MOST_RANGES)
      return fail_at(parser, at, "too many ranges", "");
    if (!dorm__grow((void **)&node->ranges, &capacity, node->num_ranges + 1, sizeof *node->ranges))
      return dorm__out_of_memory(parser->context, "a kernel");
    memcpy(node->ranges[node->num_ranges++], range, sizeof range);
  } while (take(parser, ','));
  return expect(parser, ')');
}

/* path "(" id ")", behind "gram:" */
static dorm_status parse_gram(expression_parser *parser, dorm__kernel_node *node)
{
  const char *at = parser->at;
  size_t length = strcspn(at, "(");
  while (length && (at[length - 1] == ' ' || at[length - 1] == '\t'))
    length--;
  if (!length)
    return fail_at(parser, at, "the path of a Gram matrix expected", "");
  node->path = dorm__alloc(length + 1, 1);
  if (!node->path)
    return dorm__out_of_memory(parser->context, "a kernel");
  memcpy(node->path, at, length);
  node->path[length] = '\0';
  parser->at += length;
  if (!take(parser, '('))
    return fail_at(parser, parser->at, "the feature that holds the row number expected, as in gram:matrix.txt(1)", "");
  dorm_status status = parse_block(parser, node);
  if (status == DORM_OK && (node->num_ranges != 1 || node->ranges[0][0] != node->ranges[0][1]))
    return fail_at(parser, at, "a Gram matrix takes one feature, the row number", "");
  return status;
}

static dorm_status unknown_kernel(const expression_parser *parser, const char *at, size_t length)
{
  const char *names[NUM_KERNELS];
  char word[40];
  for (size_t i = 0; i < NUM_KERNELS; i++)
    names[i] = kernel_table[i].name;
  snprintf(word, sizeof word, "%.*s", (int)(length < 30 ? length : 30), at);
  const char *nearest = length ? dorm__nearest_word(word, names, NUM_KERNELS) : NULL;
  return fail_at(parser, at,
                 nearest ? "no kernel of that name; did you mean "
                         : "a kernel expected: linear, polynomial, rbf, laplacian, histogram, gram, a number or '('",
                 nearest ? nearest : "");
}

static dorm_status parse_named(expression_parser *parser, size_t *number)
{
  const char *at = parser->at;
  size_t length = word_length(at);
  size_t i = 0;
  while (i < NUM_KERNELS && (strlen(kernel_table[i].name) != length || strncmp(kernel_table[i].name, at, length) != 0))
    i++;
  if (i == NUM_KERNELS)
    return unknown_kernel(parser, at, length);
  const dorm__kernel_form *row = &kernel_table[i];
  dorm_status status = new_node(parser, row->kind, number);
  if (status != DORM_OK)
    return status;
  dorm__kernel_node *node = &parser->kernel->nodes[*number];
  parser->at += length;
  status = set_defaults(parser, row, node);
  if (status != DORM_OK)
    return status;
  if (row->kind == DORM__KERNEL_GRAM) {
    status = expect(parser, ':');
    return status == DORM_OK ? parse_gram(parser, node) : status;
  }
  if (take(parser, ':'))
    status = parse_parameters(parser, row, node);
  if (status == DORM_OK && take(parser, '('))
    status = parse_block(parser, node);
  return status;
}

static dorm_status parse_sum(expression_parser *parser, size_t *number);

static dorm_status parse_factor(expression_parser *parser, size_t *number)
{
  skip_blanks(parser);
  if (++parser->depth > MOST_DEPTH)
    return fail_at(parser, parser->at, "too many parentheses", "");
  dorm_status status;
  if (take(parser, '(')) {
    status = parse_sum(parser, number);
    if (status == DORM_OK)
      status = expect(parser, ')');
  } else if (isdigit((unsigned char)*parser->at) || strchr("+-.", *parser->at ? *parser->at : 'x')) {
    status = new_node(parser, DORM__KERNEL_CONSTANT, number);
    if (status == DORM_OK)
      status = parse_values(parser, &constant_row, &parser->kernel->nodes[*number].parameters[0]);
  } else {
    status = parse_named(parser, number);
  }
  parser->depth--;
  return status;
}

static dorm_status join(expression_parser *parser, dorm__kernel_kind kind, size_t left, size_t right, size_t *number)
{
  dorm_status status = new_node(parser, kind, number);
  if (status == DORM_OK) {
    parser->kernel->nodes[*number].left = left;
    parser->kernel->nodes[*number].right = right;
  }
  return status;
}

static dorm_status parse_product(expression_parser *parser, size_t *number)
{
  dorm_status status = parse_factor(parser, number);
  while (status == DORM_OK && take(parser, '*')) {
    size_t right = 0;
    status = parse_factor(parser, &right);
    if (status == DORM_OK)
      status = join(parser, DORM__KERNEL_PRODUCT, *number, right, number);
  }
  return status;
}

static dorm_status parse_sum(expression_parser *parser, size_t *number)
{
  dorm_status status = parse_product(parser, number);
  while (status == DORM_OK && take(parser, '+')) {
    size_t right = 0;
    status = parse_product(parser, &right);
    if (status == DORM_OK)
      status = join(parser, DORM__KERNEL_SUM, *number, right, number);
  }
  return status;
}

dorm_status dorm__kernel_parse(dorm_context *context, const char *text, dorm__kernel **kernel)
{
  expression_parser parser = {.context = context, .text = text, .at = text};
  *kernel = NULL;
  parser.kernel = dorm__alloc_zero(1, sizeof *parser.kernel);
  if (!parser.kernel)
    return dorm__out_of_memory(context, "a kernel");
  dorm_status status = parse_sum(&parser, &parser.kernel->root);
  if (status == DORM_OK && *parser.at)
    status = fail_at(&parser, parser.at, "'+', '*' or the end expected", "");
  if (status == DORM_OK && dorm__kernel_num_choices(parser.kernel) > DORM__KERNEL_MOST_CHOICES)
    status = fail_at(&parser, parser.at, "too many combinations of its lists", "");
  if (status != DORM_OK)
    dorm__kernel_free(parser.kernel);
  else
    *kernel = parser.kernel;
  return status;
}

void dorm__kernel_free(dorm__kernel *kernel)
{
  if (!kernel)
    return;
  for (size_t i = 0; i < kernel->num_nodes; i++) {
    dorm__kernel_node *node = &kernel->nodes[i];
    for (size_t p = 0; p < DORM__KERNEL_MOST_PARAMETERS; p++)
      dorm__free(node->parameters[p].values);
    dorm__free(node->ranges);
    dorm__free(node->path);
    dorm__free(node->columns);
    dorm__free(node->gram);
  }
  dorm__free(kernel);
}
