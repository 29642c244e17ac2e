/*
 * parser.c: reads the elements of an expression: blanks, words, paths and blocks of feature ids. Messages show the
 * place.
 */
#include "kernels/expression.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

#include <ctype.h>
#include <string.h>

enum { MOST_RANGES = 1000 };
static const uint64_t largest_id = DORM__LARGEST_ID;

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

size_t dorm__expression_word(const char *at)
{
  size_t length = 0;
  while (isalpha((unsigned char)at[length]) || at[length] == '_' ||
         (length && (isdigit((unsigned char)at[length]) || at[length] == '-')))
    length++;
  return length;
}

dorm_status dorm__expression_copy(const dorm__expression *parser, const char *at, size_t length, char **copy)
{
  *copy = dorm__alloc(length + 1, 1);
  if (!*copy)
    return dorm__out_of_memory(parser->context, "a kernel");
  memcpy(*copy, at, length);
  (*copy)[length] = '\0';
  return DORM_OK;
}

dorm_status dorm__expression_path(dorm__expression *parser, const char *stops, const char *what, char **path)
{
  const char *at = parser->at;
  bool is_quoted = *at == '"';
  at += is_quoted;
  size_t length = strcspn(at, is_quoted ? "\"" : stops);
  if (is_quoted && !at[length])
    return dorm__expression_fail(parser, parser->at, "the quotes around a path are not closed", "");
  parser->at = at + length + is_quoted;
  while (!is_quoted && length && (at[length - 1] == ' ' || at[length - 1] == '\t'))
    length--;
  if (!length)
    return dorm__expression_fail(parser, at, what, "");
  if (memchr(at, '"', length)) /* could not be written back */
    return dorm__expression_fail(parser, at, "a path without quotation marks expected", "");
  dorm__expression_skip(parser);
  return dorm__expression_copy(parser, at, length, path);
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
    if (!DORM__GROW(node->ranges, capacity, node->num_ranges + 1))
      return dorm__out_of_memory(parser->context, "a kernel");
    memcpy(node->ranges[node->num_ranges++], range, sizeof range);
  } while (dorm__expression_take(parser, ','));
  return dorm__expression_expect(parser, ')');
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
