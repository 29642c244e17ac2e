/* working_set_record.c: saves a working set in a checkpoint and restores it: the estimate of the last sequential pass,
 * and each column's Delta, alpha, idle passes and Phi. References and Gram matrices are computed again from these. */
#include "solver/working_set.h"

#include <string.h>

static void put_columns(dorm__record_writer *writer, const dorm__columns *columns)
{
  dorm__record_put_count(writer, columns->count);
  for (size_t k = 0; k < columns->count; k++) {
    const dorm__vector *phi = &columns->phi[k];
    dorm__record_put_number(writer, columns->loss[k]);
    dorm__record_put_number(writer, columns->alpha[k]);
    dorm__record_put_count(writer, columns->idle[k]);
    dorm__record_put_count(writer, phi->indices != NULL);
    dorm__record_put_count(writer, phi->count);
    if (phi->indices)
      dorm__record_put_bytes(writer, phi->indices, phi->count * sizeof *phi->indices);
    dorm__record_put_numbers(writer, phi->count, phi->values);
  }
}

static bool has_shards(const dorm__working_set *set)
{
  return set->problem->blocks.is_dealt;
}

static void put_sets(const dorm__working_set *set, size_t first, size_t end, dorm__record_writer *writer)
{
  dorm__record_put_count(writer, end - first);
  for (size_t i = first; i < end; i++)
    put_columns(writer, &set->sets[i]);
}

void dorm__working_set_save(const dorm__working_set *set, size_t shard, dorm__record_writer *writer)
{
  if (shard != DORM__NO_SHARD) {
    if (has_shards(set))
      put_sets(set, set->shards[shard].first, set->shards[shard].end, writer);
    return;
  }
  dorm__record_put_count(writer, set->num_sequential);
  dorm__record_put_number(writer, set->estimate);
  if (!has_shards(set))
    put_sets(set, 0, set->problem->num_queries, writer);
}

/* Reads columns with indices, or of all features. Returns false when out of memory. */
static bool take_columns(dorm__record_reader *reader, size_t num_features, bool has_indices, dorm__columns *columns)
{
  size_t count = dorm__record_take_count(reader);
  for (size_t k = 0; k < count && !reader->is_bad; k++) {
    double loss = dorm__record_take_number(reader);
    double alpha = dorm__record_take_number(reader);
    uint32_t idle = (uint32_t)dorm__record_take_count(reader);
    bool is_sparse = dorm__record_take_count(reader) != 0;
    size_t size = dorm__record_take_count(reader);
    dorm__vector phi = {0};
    reader->is_bad =
        reader->is_bad || is_sparse != has_indices || size > num_features || (!is_sparse && size < num_features);
    if (reader->is_bad)
      return true;
    if (!dorm__vector_reserve(&phi, size, is_sparse))
      return false;
    phi.count = size;
    if (is_sparse) {
      const uint32_t *indices = dorm__record_take(reader, size, sizeof *indices);
      for (size_t e = 0; indices && e < size; e++) {
        memcpy(&phi.indices[e], (const char *)indices + e * sizeof *indices, sizeof *indices);
        reader->is_bad = reader->is_bad || phi.indices[e] >= num_features;
      }
    }
    dorm__record_take_numbers(reader, size, phi.values);
    if (reader->is_bad || !dorm__columns_add_bare(columns, &phi, loss, alpha, idle)) {
      dorm__vector_clear(&phi);
      return reader->is_bad;
    }
  }
  return true;
}

/* Reads column sets. Returns false when out of memory. */
static bool take_sets(dorm__working_set *set, size_t first, size_t end, dorm__record_reader *reader)
{
  reader->is_bad = reader->is_bad || dorm__record_take_count(reader) != end - first;
  bool has_indices = set->problem->features->row_start;
  for (size_t i = first; i < end && !reader->is_bad; i++)
    if (!take_columns(reader, dorm__problem_width(set->problem), has_indices, &set->sets[i]))
      return false;
  return true;
}

bool dorm__working_set_restore(dorm__working_set *set, size_t shard, dorm__record_reader *reader)
{
  if (shard != DORM__NO_SHARD)
    return !has_shards(set) || take_sets(set, set->shards[shard].first, set->shards[shard].end, reader);
  set->num_sequential = dorm__record_take_count(reader);
  set->estimate = dorm__record_take_number(reader);
  return has_shards(set) || take_sets(set, 0, set->problem->num_queries, reader);
}
