/*
 * candidates.c: the candidates of a training: a table of the best ten that fits a terminal of 80 columns, and a file
 * of tab-separated values with all of them (output.candidates).
 */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_WIDTH = 80, TEXT_SIZE = 48, MOST_ROWS = 10 };

/* ---- Kernels ------------------------------------------------------------------- */

/* The candidates of one kernel follow each other and share its text. */
static bool starts_kernel(const dorm_training *training, size_t i)
{
  return !i || dorm_training_candidate(training, i)->kernel != dorm_training_candidate(training, i - 1)->kernel;
}

/* The number of the kernel of a candidate, from 1, in the order of training. */
static size_t kernel_number(const dorm_training *training, const dorm_candidate *candidate)
{
  size_t number = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    number += starts_kernel(training, i);
    if (dorm_training_candidate(training, i) == candidate)
      break;
  }
  return number;
}

static bool has_kernels(const dorm_training *training)
{
  return dorm_training_num_candidates(training) && strcmp(dorm_training_candidate(training, 0)->kernel, "linear") != 0;
}

void cli_print_kernels(const dorm_training *training)
{
  size_t count = dorm_training_num_candidates(training);
  size_t number = 0;
  if (!has_kernels(training))
    return;
  printf("\nkernels: the trace of the Gram matrix, and what the rank leaves out of it;\n"
         "the optimum for the exact kernel lies at most `below` under the dual value\n"
         "kernel  rank        trace     residual        below\n");
  for (size_t i = 0; i < count;) {
    const dorm_candidate *first = dorm_training_candidate(training, i);
    double below = 0;
    for (size_t start = i; i < count && (i == start || !starts_kernel(training, i)); i++)
      below = fmax(below, dorm_training_candidate(training, i)->kernel_bound);
    cli_print(stdout, "%6zu %5zu %12.6g %12.6g %12.6g\n        %s\n", ++number, first->kernel_rank, first->kernel_trace,
              first->kernel_residual, below, first->kernel);
  }
}

/* ---- Columns of the table --------------------------------------------------------- */

typedef void (*cell_function)(char text[TEXT_SIZE], const dorm_training *training, const dorm_candidate *candidate);

#define CELL_WHERE(name, is_filled, ...)                                                                               \
  static void name(char text[TEXT_SIZE], const dorm_training *training, const dorm_candidate *candidate)               \
  {                                                                                                                    \
    (void)training;                                                                                                    \
    *text = '\0';                                                                                                      \
    if (is_filled)                                                                                                     \
      snprintf(text, TEXT_SIZE, __VA_ARGS__);                                                                          \
  }
#define CELL(name, ...) CELL_WHERE(name, true, __VA_ARGS__)
/* Of a cutting-plane loop: empty for starts and for candidates of trainers without passes. */
#define CERTIFIED_CELL(name, ...) CELL_WHERE(name, candidate->certificate.iterations > 0, __VA_ARGS__)
CELL(put_number, "%zu", candidate->number)
CELL(put_reference, "%.*s", candidate->certificate.iterations ? 10 : 40,
     candidate->round ? candidate->reference : "start")
CERTIFIED_CELL(put_weights, "%.10s", candidate->position_weights)
CERTIFIED_CELL(put_truncation, "%zu", candidate->truncation)
CELL(put_block, "%g", candidate->rank_block)
/* The start, and candidates that began there. */
CELL_WHERE(put_ridge, !candidate->round || candidate->certificate.iterations > 0, "%g", candidate->ridge)
CELL_WHERE(put_rho, !candidate->round || candidate->certificate.iterations > 0, "%g", candidate->rho)
CELL(put_kernel, "%zu", kernel_number(training, candidate))
CELL(put_rank, "%zu", candidate->kernel_rank)
CERTIFIED_CELL(put_C, "%g", candidate->C)
CELL_WHERE(put_round, candidate->round > 0, "%zu", candidate->round)
CERTIFIED_CELL(put_primal, "%.5g", candidate->certificate.primal)
/* A candidate of a cost that is not convex has no gap. */
CELL_WHERE(put_gap, candidate->certificate.iterations > 0 && !isnan(candidate->certificate.gap), "%.1e",
           candidate->certificate.gap)
CERTIFIED_CELL(put_passes, "%zu", candidate->certificate.iterations)
CELL(put_value, "%.4f", candidate->validation)

typedef struct table_column {
  const char *title;
  cell_function put;
  bool is_constant_shown; /* also when all candidates agree in it */
  int loss;               /* columns of the least loss are left out first where the table is too wide; 0: none are */
} table_column;

static const table_column columns[] = {
    {"nr", put_number, true, 0},        {"reference", put_reference, false, 0},
    {"weights", put_weights, false, 0}, {"trunc", put_truncation, false, 0},
    {"block", put_block, false, 0},     {"ridge", put_ridge, false, 0},
    {"rho", put_rho, false, 0},         {"kernel", put_kernel, false, 0},
    {"rank", put_rank, false, 0},       {"C", put_C, true, 0},
    {"round", put_round, true, 0},      {"primal", put_primal, true, 1},
    {"gap", put_gap, true, 3},          {"passes", put_passes, true, 2},
    {"value", put_value, true, 0},
};
enum { NUM_COLUMNS = sizeof columns / sizeof *columns, VALUE_COLUMN = NUM_COLUMNS - 1 };

static bool varies(const dorm_training *training, const table_column *column)
{
  char first[TEXT_SIZE] = "", text[TEXT_SIZE];
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    column->put(text, training, dorm_training_candidate(training, i));
    if (*first && *text && strcmp(first, text) != 0)
      return true;
    if (!*first)
      memcpy(first, text, sizeof first);
  }
  return false;
}

static size_t max_size(size_t x, size_t y)
{
  return x > y ? x : y;
}

/* widths[NUM_COLUMNS] of the columns for the rows [count], 0 for those that are left out. */
static void set_widths(const dorm_training *training, size_t count, const dorm_candidate *const *rows, size_t *widths)
{
  char text[TEXT_SIZE];
  size_t total = strlen(" *");
  for (size_t k = 0; k < NUM_COLUMNS; k++) {
    bool has_values = k != VALUE_COLUMN || (count && isfinite(rows[0]->validation));
    widths[k] = 0;
    if (!has_values || (!columns[k].is_constant_shown && !varies(training, &columns[k])))
      continue;
    for (size_t i = 0; i < count; i++) {
      columns[k].put(text, training, rows[i]);
      widths[k] = max_size(widths[k], strlen(text));
    }
    if (!widths[k]) /* no row has anything in this column */
      continue;
    widths[k] = max_size(widths[k], strlen(columns[k].title));
    total += widths[k] + (k > 0 ? 2 : 1);
  }
  for (int loss = 1; total > TABLE_WIDTH && loss <= 3; loss++)
    for (size_t k = 0; k < NUM_COLUMNS; k++)
      if (columns[k].loss == loss && widths[k]) {
        total -= widths[k] + 2;
        widths[k] = 0;
      }
}

/* ---- Rows of the table -------------------------------------------------------------- */

/* Falling validation; without such values those in the model first. Then in the order of training. */
static int compare_rows(const void *x, const void *y)
{
  const dorm_candidate *one = *(const dorm_candidate *const *)x;
  const dorm_candidate *two = *(const dorm_candidate *const *)y;
  if (isfinite(one->validation) && isfinite(two->validation) && one->validation != two->validation)
    return one->validation < two->validation ? 1 : -1;
  if (!isfinite(one->validation) && one->is_selected != two->is_selected)
    return one->is_selected ? -1 : 1;
  return (one->number > two->number) - (one->number < two->number);
}

static void print_row(const dorm_training *training, const dorm_candidate *candidate, const size_t *widths)
{
  char text[TEXT_SIZE];
  for (size_t k = 0; k < NUM_COLUMNS; k++) {
    if (!widths[k])
      continue;
    if (candidate)
      columns[k].put(text, training, candidate);
    else
      snprintf(text, sizeof text, "%s", columns[k].title);
    cli_print(stdout, "%*s%*s", k > 0 ? 2 : 1, "", (int)widths[k], text);
  }
  cli_print(stdout, "%s\n", candidate && candidate->is_selected ? " *" : "");
}

int cli_short_measure(const char *measure)
{
  return (int)(strchr(measure, '(') ? strlen(measure) : strcspn(measure, ":"));
}

void cli_print_candidates(const dorm_training *training, const char *measure, const char *path)
{
  size_t count = dorm_training_num_candidates(training);
  size_t num_rows = count < MOST_ROWS ? count : MOST_ROWS;
  size_t widths[NUM_COLUMNS];
  const dorm_candidate **rows = malloc((count + 1) * sizeof *rows);
  if (!rows) {
    cli_out_of_memory();
    return;
  }
  for (size_t i = 0; i < count; i++)
    rows[i] = dorm_training_candidate(training, i);
  qsort(rows, count, sizeof *rows, compare_rows);
  bool has_values = count && isfinite(rows[0]->validation);
  set_widths(training, num_rows, rows, widths);
  if (num_rows == count)
    printf("%zu candidates", count);
  else
    printf("%zu of %zu candidates", num_rows, count);
  size_t num_folds = dorm_training_num_folds(training);
  if (has_values)
    cli_print(stdout, ", the best first; value: %.*s ", (int)strcspn(measure, ":("), measure);
  if (has_values && num_folds > 1)
    printf("by cross-validation, %zu folds", num_folds);
  else if (has_values)
    printf(num_folds ? "on the held-out queries of one fold" : "on the validation data");
  printf("\n");
  print_row(training, NULL, widths);
  for (size_t i = 0; i < num_rows; i++)
    print_row(training, rows[i], widths);
  if (*path)
    cli_print(stdout, "all candidates, with all their numbers: %s\n", path);
  else if (num_rows < count)
    printf("(output.candidates = FILE writes all candidates, with all their numbers)\n");
  free(rows);
}

/* ---- The file ----------------------------------------------------------------------- */

/* Numbers that do not exist are empty. */
static void write_numbers(FILE *file, size_t count, const double *numbers)
{
  for (size_t i = 0; i < count; i++) {
    if (isfinite(numbers[i]))
      fprintf(file, "%.17g", numbers[i]);
    fputc('\t', file);
  }
}

dorm_status cli_write_candidates(dorm_context *context, const dorm_training *training, const char *path)
{
  FILE *file = NULL;
  dorm_status status = cli_open_output(context, path, &file);
  if (status != DORM_OK)
    return status;
  fprintf(file, "number\treference\tposition_weights\ttruncation\trank_block\tridge\tkernel\tkernel_rank\t"
                "kernel_trace\tkernel_residual\tkernel_bound\tC\tround\tprimal\tdual\tgap\treference_constant\tpasses\t"
                "columns\tsupport_vectors\tseconds\tvalidation\tvalidation_error\tscore_scale\trho\tselected\n");
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *c = dorm_training_candidate(training, i);
    const dorm_certificate *certificate = &c->certificate;
    fprintf(file, "%zu\t%s\t%s\t%zu\t%.17g\t%.17g\t%s\t%zu\t%.17g\t%.17g\t%.17g\t%.17g\t%zu\t", c->number,
            c->round ? c->reference : "start", c->position_weights, c->truncation, c->rank_block, c->ridge, c->kernel,
            c->kernel_rank, c->kernel_trace, c->kernel_residual, c->kernel_bound, c->C, c->round);
    write_numbers(
        file, 4, (double[]){certificate->primal, certificate->dual, certificate->gap, certificate->reference_constant});
    fprintf(file, "%zu\t%zu\t%zu\t%.6f\t", certificate->iterations, certificate->num_columns, certificate->num_support,
            certificate->seconds);
    write_numbers(file, 2, (double[]){c->validation, c->validation_error});
    fprintf(file, "%.17g\t%.17g\t%d\n", c->score_scale, c->rho, c->is_selected != 0);
  }
  return cli_close_output(file, path);
}
