/* spec.h: names with parameters, "name:key=value,...", taken apart and checked. */
#ifndef DORM_BASE_SPEC_H
#define DORM_BASE_SPEC_H

#include "base/base.h"

/* Something named with parameters (a loss, a measure, a kernel) is written as "name" or "name:key=value,key=value";
 * "name@10" means "name:truncation=10". A value that contains a comma, such as a path, is in quotes, as in
 * name:key="a,b".
 *
 * The words of a spec point into its `text`. */
typedef struct dorm__spec_pair {
  const char *key;
  const char *value;
} dorm__spec_pair;

typedef struct dorm__spec {
  char *text; /* owned, cut into words */
  const char *name;
  size_t num_pairs;
  dorm__spec_pair *pairs; /* owned */
} dorm__spec;

/* Takes a text apart. `what` (such as "loss") says in messages what is named. */
dorm_status dorm__spec_parse(dorm_context *context, const char *what, const char *text, dorm__spec *spec);
void dorm__spec_free(dorm__spec *spec);
/* Checks the pairs of a spec against the parameter rows and fills values [num_rows]: each with the value given, or else
 * the default. Their texts live as long as `spec` and the rows. */
dorm_status dorm__spec_values(dorm_context *context, const char *what, const dorm__spec *spec, size_t num_rows,
                              const dorm_loss_parameter *rows, dorm_loss_value *values);
/* Checks the text of one value against its row. */
dorm_status dorm__spec_check(dorm_context *context, const char *what, const char *name, const dorm_loss_parameter *row,
                             const char *text, dorm_loss_value *value);
/* "name:key=value,..." with every row spelled out; NULL when out of memory,
 * freed by dorm__free. */
char *dorm__spec_text(const char *name, size_t num_rows, const dorm_loss_parameter *rows,
                      const dorm_loss_value *values);
/* The text after "from " in "name:key=value,... from PATH", which names something of a module, or in "from PATH"; NULL
 * if there is no such word. */
const char *dorm__spec_path(const char *text);
/* Cuts `text` before that word and returns the path without the blanks around it; NULL if there is none. */
char *dorm__spec_cut_path(char *text);
/* Parses the text before "from PATH". The module holds `name` alone: an empty text means this name, and any other name
 * is an error. */
dorm_status dorm__spec_parse_of_module(dorm_context *context, const char *what, const char *text, const char *name,
                                       const char *path, dorm__spec *spec);
/* "TEXT WORD REST", as in "name:key=value from PATH". `text` is taken, and returned as it is where `rest` is NULL. NULL
 * when out of memory, or where `text` is NULL. */
char *dorm__spec_join(char *text, const char *word, const char *rest);
/* The row of a key, num_rows when there is none. */
size_t dorm__spec_row(size_t num_rows, const dorm_loss_parameter *rows, const char *key);

/* ---- Id ranges --------------------------------------------------------------------------------- */

typedef struct dorm__id_range {
  size_t first;
  size_t last;
} dorm__id_range;

/* A set of feature ids. */
typedef struct dorm__id_ranges {
  size_t count;
  size_t capacity;
  dorm__id_range *items;
} dorm__id_ranges;

/* Reads a text such as "1-20, 33"; an empty text is the empty set. `what` names the text in messages. */
dorm_status dorm__id_ranges_parse(dorm_context *context, const char *what, const char *text, dorm__id_ranges *ranges);
void dorm__id_ranges_clear(dorm__id_ranges *ranges);
bool dorm__id_ranges_hold(const dorm__id_ranges *ranges, size_t id);

#endif
