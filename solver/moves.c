/*
 * moves.c: rows of the shards from process to process. With many features, which are sparse, a shard moves few of them
 * in a sweep. A row is then sent as the number of features that it moves, their indices and their new values, and the
 * numbers that follow the features; it is laid out again on the other side, to the same bits. Packed rows are multiples
 * of 8 bytes, since MPI counts in ints and reaches eight times as far with numbers of 8 bytes as with bytes
 * (cli/mpi.c).
 */
#include "base/processes.h"
#include "solver/working_set.h"

#include <string.h>

enum { FEW_FEATURES = 1024 }; /* with at most so many, rows are sent whole */

static bool is_moved(const double *row, const double *base, size_t f)
{
  static const double zero = 0;
  return memcmp(&row[f], base ? &base[f] : &zero, sizeof zero) != 0;
}

static void put(char **at, const void *bytes, size_t size)
{
  memcpy(*at, bytes, size);
  *at += size;
}

static void take(const char **at, void *bytes, size_t size)
{
  memcpy(bytes, *at, size);
  *at += size;
}

/* Packs a row; returns its end. */
static char *pack(size_t num_features, size_t stride, const double *base, const double *row, char *at)
{
  static const uint32_t filling = 0;
  uint64_t count = 0;
  char *begin = at;
  at += sizeof count;
  for (size_t f = 0; f < num_features; f++)
    if (is_moved(row, base, f)) {
      uint32_t index = (uint32_t)f;
      put(&at, &index, sizeof index);
      put(&at, &row[f], sizeof *row);
      count++;
    }
  put(&begin, &count, sizeof count);
  if (count % 2)
    put(&at, &filling, sizeof filling);
  put(&at, row + num_features, (stride - num_features) * sizeof *row);
  return at;
}

static const char *unpack(size_t num_features, size_t stride, const double *base, const char *at, double *row)
{
  uint64_t count = 0;
  take(&at, &count, sizeof count);
  if (base)
    memcpy(row, base, num_features * sizeof *row);
  else
    memset(row, 0, num_features * sizeof *row);
  for (uint64_t i = 0; i < count; i++) {
    uint32_t index = 0;
    take(&at, &index, sizeof index);
    take(&at, &row[index], sizeof *row);
  }
  at += count % 2 * sizeof(uint32_t); /* filling */
  take(&at, row + num_features, (stride - num_features) * sizeof *row);
  return at;
}

/* The size of a packed row. */
static size_t bytes_packed(size_t num_features, size_t stride, const double *base, const double *row)
{
  size_t count = 0;
  for (size_t f = 0; f < num_features; f++)
    count += is_moved(row, base, f);
  return sizeof(uint64_t) + (count + count % 2) * sizeof(uint32_t) + (count + stride - num_features) * sizeof(double);
}

dorm_status dorm__moves_gather(dorm_context *context, const dorm__moves_shape *shape, const double *base,
                               const double *own, double *all)
{
  size_t row_bytes = shape->stride * sizeof *own, bytes = 0;
  if (shape->num_features <= FEW_FEATURES)
    return dorm__processes_gather_into(context, own, shape->num_own * row_bytes, all, shape->count * row_bytes);
  for (size_t i = 0; i < shape->num_own; i++)
    bytes += bytes_packed(shape->num_features, shape->stride, base, own + i * shape->stride);
  char *packed = dorm__alloc(bytes, 1), *end = packed;
  size_t *start = dorm__alloc(dorm__processes_size(context) + 1, sizeof *start);
  void *gathered = NULL;
  dorm_status status = packed && start ? DORM_OK : dorm__out_of_memory(context, "moves of shards");
  for (size_t i = 0; status == DORM_OK && i < shape->num_own; i++)
    end = pack(shape->num_features, shape->stride, base, own + i * shape->stride, end);
  if (status == DORM_OK)
    status = dorm__processes_gather(context, packed, bytes, &gathered, start);
  const char *at = gathered;
  for (size_t i = 0; status == DORM_OK && i < shape->count; i++)
    at = unpack(shape->num_features, shape->stride, base, at, all + i * shape->stride);
  dorm__free(gathered);
  dorm__free(start);
  dorm__free(packed);
  return dorm__processes_keep(context, status); /* not every caller returns it */
}
