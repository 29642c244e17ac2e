/*
 * gram_file.c: a Gram matrix from a file: each line is a row of numbers separated by blanks, and there are as many
 * lines as numbers on a line. The matrix must be symmetric to 1e-9 of its largest entry, and is averaged with its
 * transpose. It must be positive semi-definite. The watch is over all long computations of Gram matrices.
 */
#include "kernels/kernel_files.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { LARGEST_GRAM = 20000 };
static const double symmetry_tolerance = 1e-9;
static const double definiteness_tolerance = 1e-8; /* of the mean of the diagonal */

/* ---- Watch ----------------------------------------------------------------------------------------- */

/* Reports the progress of a long computation at most twice per second, and checks whether it must stop. */

static const double seconds_between_steps = 0.5;

dorm__watch dorm__watch_new(dorm_context *context, const char *what, size_t total)
{
  return (dorm__watch){.context = context, .what = what, .total = total, .last = dorm__seconds()};
}

bool dorm__watch_step(dorm__watch *watch, size_t count)
{
  bool is_stopped;
  size_t done;
#pragma omp atomic capture
  {
    watch->done += count;
    done = watch->done;
  }
  if (omp_get_thread_num() == 0) {
    if (dorm__cancelled(watch->context)) {
#pragma omp atomic write
      watch->is_stopped = true;
    }
    if (dorm__seconds() - watch->last >= seconds_between_steps) {
      watch->last = dorm__seconds();
      dorm__step(watch->context, "%s: %.0f %%", watch->what,
                 100 * (double)(done < watch->total ? done : watch->total) / (double)watch->total);
    }
  }
#pragma omp atomic read
  is_stopped = watch->is_stopped;
  return !is_stopped;
}

static bool count_rows(void *user, size_t num_rows)
{
  return dorm__watch_step(user, num_rows);
}

dorm__steps dorm__watch_steps(dorm__watch *watch)
{
  return (dorm__steps){count_rows, watch};
}

dorm_status dorm__watch_status(const dorm__watch *watch)
{
  return watch->is_stopped ? dorm__fail(watch->context, DORM_STOPPED, "stopped on request") : DORM_OK;
}

/* ---- The file ------------------------------------------------------------------------------------- */

typedef struct gram_reader {
  dorm_context *context;
  dorm__line_reader *reader;
  double *values; /* the rows, one after the other */
  size_t count;
  size_t capacity;
  size_t columns; /* of the first line */
  size_t lines;
  dorm__watch watch; /* the pieces are the lines, then the checked rows */
} gram_reader;

static dorm_status read_line(gram_reader *gram, const char *line, const char *end)
{
  size_t columns = 0;
  for (;;) {
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
      line++;
    if (line == end)
      break;
    double value;
    const char *rest = dorm__parse_double(line, end, &value);
    bool good = rest && isfinite(value) && (rest == end || *rest == ' ' || *rest == '\t' || *rest == '\r');
    if (!good) {
      size_t length = 0;
      while (line + length < end && length < 40 && line[length] != ' ' && line[length] != '\t')
        length++;
      return dorm__line_reader_fail(gram->context, gram->reader,
                                    "entry %zu of the Gram matrix: '%.*s' is not a finite number", columns + 1,
                                    (int)length, line);
    }
    if (columns == LARGEST_GRAM)
      return dorm__line_reader_fail(gram->context, gram->reader, "a Gram matrix of more than %d columns", LARGEST_GRAM);
    if (!DORM__GROW(gram->values, gram->capacity, gram->count + 1))
      return dorm__out_of_memory(gram->context, "a Gram matrix");
    gram->values[gram->count++] = value;
    columns++;
    line = rest;
  }
  if (!columns)
    return DORM_OK;
  if (!gram->lines)
    gram->columns = columns;
  if (columns != gram->columns)
    return dorm__line_reader_fail(gram->context, gram->reader,
                                  "%zu numbers, but the first row of the Gram matrix has %zu", columns, gram->columns);
  if (++gram->lines > gram->columns)
    return dorm__line_reader_fail(gram->context, gram->reader, "the Gram matrix has more rows than its %zu columns",
                                  gram->columns);
  return DORM_OK;
}

static dorm_status read_lines(gram_reader *gram, const char *path)
{
  const char *line = NULL;
  const char *end = NULL;
  dorm_status status;
  while ((status = dorm__line_reader_next(gram->context, gram->reader, &line, &end)) == DORM_OK && line) {
    status = read_line(gram, line, end);
    gram->watch.total = gram->columns ? 2 * gram->columns : 1;
    if (status == DORM_OK && !dorm__watch_step(&gram->watch, 1))
      status = dorm__watch_status(&gram->watch);
    if (status != DORM_OK)
      return status;
  }
  if (status == DORM_OK && !gram->lines)
    status = dorm__fail(gram->context, DORM_BAD_DATA, "%s: the Gram matrix is empty", path);
  if (status == DORM_OK && gram->lines < gram->columns)
    status = dorm__fail(gram->context, DORM_BAD_DATA, "%s: the Gram matrix has %zu rows and %zu columns", path,
                        gram->lines, gram->columns);
  return status;
}

static dorm_status make_symmetric(dorm_context *context, const char *path, size_t size, double *matrix)
{
  double largest = 0;
  for (size_t i = 0; i < size * size; i++)
    largest = fmax(largest, fabs(matrix[i]));
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < i; j++) {
      double *lower = &matrix[i * size + j];
      double *upper = &matrix[j * size + i];
      if (fabs(*lower - *upper) > symmetry_tolerance * largest)
        return dorm__fail(context, DORM_BAD_DATA,
                          "%s: the Gram matrix is not symmetric: row %zu, column %zu is %.9g, the other way round %.9g",
                          path, i + 1, j + 1, *lower, *upper);
      *lower = *upper = 0.5 * (*lower + *upper);
    }
  return DORM_OK;
}

static dorm_status check_definite(dorm_context *context, const char *path, size_t size, const double *matrix,
                                  dorm__watch *watch)
{
  double *copy = dorm__alloc(size * size, sizeof *copy);
  if (!copy)
    return dorm__out_of_memory(context, "a Gram matrix");
  memcpy(copy, matrix, size * size * sizeof *copy);
  double trace = 0;
  for (size_t i = 0; i < size; i++)
    trace += copy[i * size + i];
  for (size_t i = 0; i < size; i++)
    copy[i * size + i] += definiteness_tolerance * trace / (double)size;
  bool is_zero = true;
  for (size_t i = 0; is_zero && i < size * size; i++)
    is_zero = matrix[i] == 0;
  dorm__steps steps = dorm__watch_steps(watch);
  bool good = is_zero || dorm__is_positive_definite(size, copy, &steps);
  dorm__free(copy);
  if (watch->is_stopped)
    return dorm__watch_status(watch);
  return good ? DORM_OK : dorm__fail(context, DORM_BAD_DATA, "%s: the Gram matrix is not positive semi-definite", path);
}

dorm_status dorm__gram_read(dorm_context *context, const char *path, size_t *size, double **matrix)
{
  gram_reader gram = {.context = context, .watch = dorm__watch_new(context, "Gram matrix from its file", 1)};
  *matrix = NULL;
  *size = 0;
  dorm_status status = DORM__ALL(dorm__line_reader_open(context, path, &gram.reader), read_lines(&gram, path),
                                 make_symmetric(context, path, gram.columns, gram.values),
                                 check_definite(context, path, gram.columns, gram.values, &gram.watch));
  dorm__line_reader_close(gram.reader);
  if (status != DORM_OK) {
    dorm__free(gram.values);
    return status;
  }
  *matrix = gram.values;
  *size = gram.columns;
  return DORM_OK;
}
