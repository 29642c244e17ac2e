/* spec.h: names with parameters, "name:key=value,...", parsed and checked. */
#ifndef DORM_BASE_SPEC_H
#define DORM_BASE_SPEC_H

#include "base/base.h"

/* Something with parameters (a loss, a measure, a kernel) is written as "name" or "name:key=value,key=value". "name@10"
 * means "name:truncation=10". A value that contains a comma, such as a path, is quoted, as in name:key="a,b".
 *
 * The words of a spec point into its `text`. */
typedef struct dorm__spec_pair {
  const char *key;
  const char *value;
} dorm__spec_pair;

typedef struct dorm__spec {
  char *text; /* owned, split into words */
  const char *name;
  size_t num_pairs;
  dorm__spec_pair *pairs; /* owned */
} dorm__spec;

/* Parses a text. `what` (such as "loss") names its kind in messages. */
dorm_status dorm__spec_parse(dorm_context *context, const char *what, const char *text, dorm__spec *spec);
void dorm__spec_free(dorm__spec *spec);
/* Checks the pairs of a spec against the parameter rows. Fills values [num_rows] with the given values or the defaults.
 * Their texts are borrowed from `spec` and the rows. */
dorm_status dorm__spec_values(dorm_context *context, const char *what, const dorm__spec *spec, size_t num_rows,
                              const dorm_loss_parameter *rows, dorm_loss_value *values);
/* Checks the text of one value against its row. Fills *value, which borrows the text. */
dorm_status dorm__spec_check(dorm_context *context, const char *what, const char *name, const dorm_loss_parameter *row,
                             const char *text, dorm_loss_value *value);
/* Returns "name:key=value,..." with the value of every row. The caller frees it. NULL when out of memory. */
char *dorm__spec_text(const char *name, size_t num_rows, const dorm_loss_parameter *rows,
                      const dorm_loss_value *values);
/* Returns PATH in "name:key=value,... from PATH" or "from PATH", the file of a module. It points into `text`. Returns
 * NULL if the word "from" is missing. */
const char *dorm__spec_path(const char *text);
/* Truncates `text` before the word "from". Returns PATH without blanks around it, which points into `text`, or NULL if
 * the word is missing. */
char *dorm__spec_cut_path(char *text);
/* Parses the text before "from PATH". The module at `path` defines only `name`, so an empty text means `name`, and any
 * other name is an error. */
dorm_status dorm__spec_parse_of_module(dorm_context *context, const char *what, const char *text, const char *name,
                                       const char *path, dorm__spec *spec);
/* Returns "TEXT WORD REST", as in "name:key=value from PATH", or `text` itself if `rest` is NULL. Takes ownership of
 * `text`. The caller frees the result. Returns NULL when out of memory or if `text` is NULL. */
char *dorm__spec_join(char *text, const char *word, const char *rest);
/* The place of a parameter's value: a number, or a flag that is true for one word. */
typedef struct dorm__spec_place {
  const char *name;
  double *number;
  const char *word;
  bool *flag;
} dorm__spec_place;
/* Stores values [num_rows] at the places of the same names. Rows without a place are left out. */
void dorm__spec_store(size_t num_rows, const dorm_loss_parameter *rows, const dorm_loss_value *values,
                      size_t num_places, const dorm__spec_place *places);
/* Returns the index of the row with this key, or num_rows if there is none. */
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

/* Parses a text such as "1-20, 33". An empty text is the empty set. `what` names the text in messages. */
dorm_status dorm__id_ranges_parse(dorm_context *context, const char *what, const char *text, dorm__id_ranges *ranges);
void dorm__id_ranges_clear(dorm__id_ranges *ranges);
bool dorm__id_ranges_hold(const dorm__id_ranges *ranges, size_t id);

#endif
