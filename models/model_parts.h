/* model_parts.h: what model_parts.c offers to the other files of this folder. */
#ifndef DORM_MODELS_MODEL_PARTS_H
#define DORM_MODELS_MODEL_PARTS_H

#include "base/base.h"
#include "base/file.h"
#include "data/data.h"
#include "models/models.h"

/* A part being read: pivots come line after line. */
typedef struct dorm__part_reader {
  dorm__model_part part;
  size_t expected; /* pivots */
  size_t width;
  size_t pivots_capacity, weights_capacity;
} dorm__part_reader;

void dorm__model_parts_write(const dorm_model *model, dorm__output *output);
/* "RANK_BLOCK NUM_PIVOTS EXPRESSION", behind the word kernel. */
dorm_status dorm__part_reader_start(dorm_context *context, const dorm__line_reader *lines, size_t num_ids, char *text,
                                    dorm__part_reader *reader);
/* "WEIGHT id:value ... [/ id:rank ...]", behind the word pivot. */
dorm_status dorm__part_reader_pivot(dorm_context *context, const dorm__line_reader *lines, size_t num_ids,
                                    const size_t *ids, char *text, dorm__part_reader *reader);
/* The next finite number of a line, up to one of `stops` or the end; *text moves
 * behind it. */
bool dorm__next_number(char **text, const char *stops, double *value);
void dorm__part_reader_clear(dorm__part_reader *reader);

#endif
