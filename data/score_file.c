/* score_file.c: files of scores, one number per line, in the order of the documents. */
#include "data/data.h"

typedef struct score_reader {
  dorm_context *context;
  size_t num_docs, count;
  double *scores;
} score_reader;

static dorm_status read_score(void *user, const dorm__line_reader *lines, const char *line, const char *end)
{
  score_reader *reader = user;
  if (reader->count == reader->num_docs)
    return dorm__line_reader_fail(reader->context, lines, "more lines than the data set has documents (%zu)",
                                  reader->num_docs);
  if (dorm__is_one_number(line, end, &reader->scores[reader->count++]))
    return DORM_OK;
  dorm__word word = dorm__trimmed(line, end);
  return dorm__line_reader_fail(reader->context, lines, "'%.*s' is not a finite number", dorm__shown(word.size),
                                word.begin);
}

dorm_status dorm_scores_read(dorm_context *context, const char *path, size_t num_docs, double *scores)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__GIVEN_IF(num_docs, scores)))
    return DORM_BAD_USAGE;
  score_reader reader = {.context = context, .num_docs = num_docs, .scores = scores};
  dorm_status status = dorm__each_line(context, path, read_score, &reader);
  return status == DORM_OK && reader.count < num_docs
             ? dorm__fail(context, DORM_BAD_DATA, "%s: %zu lines, but the data set has %zu documents", path,
                          reader.count, num_docs)
             : status;
}

dorm_status dorm_scores_write(dorm_context *context, const char *path, size_t num_docs, const double *scores)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__GIVEN_IF(num_docs, scores)))
    return DORM_BAD_USAGE;
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  for (size_t j = 0; j < num_docs; j++) {
    dorm__output_number(output, scores[j]);
    dorm__output_bytes(output, "\n", 1);
  }
  return dorm__output_commit(context, output);
}
