/* spec.h: names with parameters, "name:key=value,...", taken apart and checked. */
#ifndef DORM_BASE_SPEC_H
#define DORM_BASE_SPEC_H

#include "base/base.h"

/* A value with a comma, such as a path, stands in quotes, name:key="a,b".
 *
 * Something named with parameters (a loss, a measure, a kernel) as text: "name", "name:key=value,key=value", and
 * "name@10" for "name:truncation=10". The words point into `text`. */
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

/* `what` ("loss", "measure", "kernel") names the thing in messages. */
dorm_status dorm__spec_parse(dorm_context *context, const char *what, const char *text, dorm__spec *spec);
void dorm__spec_free(dorm__spec *spec);
/* Checks the pairs against the rows and fills values[num_rows] with what was
 * given or the default; the texts live as long as `spec` and the rows. */
dorm_status dorm__spec_values(dorm_context *context, const char *what, const dorm__spec *spec, size_t num_rows,
                              const dorm_loss_parameter *rows, dorm_loss_value *values);
/* Checks the text of one value against its row. */
dorm_status dorm__spec_check(dorm_context *context, const char *what, const char *name, const dorm_loss_parameter *row,
                             const char *text, dorm_loss_value *value);
/* "name:key=value,..." with every row spelled out; NULL when out of memory,
 * freed by dorm__free. */
char *dorm__spec_text(const char *name, size_t num_rows, const dorm_loss_parameter *rows,
                      const dorm_loss_value *values);
/* The row of a key, num_rows when there is none. */
size_t dorm__spec_row(size_t num_rows, const dorm_loss_parameter *rows, const char *key);

#endif
