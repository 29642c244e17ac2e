/* score_file.c: files of scores, one number per line, in the order of the documents. */
#include "base/file.h"
#include "data/data.h"

#include <math.h>

/* Reads the number that is alone on a line, apart from blanks. Fails with the file and the line. */
static dorm_status read_number(dorm_context *context, const dorm__line_reader *reader, const char *line,
                               const char *end, double *value)
{
  while (line < end && (*line == ' ' || *line == '\t'))
    line++;
  while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  if (dorm__parse_double(line, end, value) != end || !isfinite(*value))
    return dorm__line_reader_fail(context, reader, "'%.*s' is not a finite number",
                                  end - line > 40 ? 40 : (int)(end - line), line);
  return DORM_OK;
}

dorm_status dorm_scores_read(dorm_context *context, const char *path, size_t num_docs, double *scores)
{
  if (DORM__LACKS(context, DORM__GIVEN(path), DORM__GIVEN_IF(num_docs, scores)))
    return DORM_BAD_USAGE;
  DORM__OWNED(dorm__line_reader) *reader = NULL;
  dorm_status status = dorm__line_reader_open(context, path, &reader);
  if (status != DORM_OK)
    return status;
  size_t count = 0;
  const char *line = NULL;
  const char *end = NULL;
  while ((status = dorm__line_reader_next(context, reader, &line, &end)) == DORM_OK && line) {
    if (count == num_docs)
      status = dorm__line_reader_fail(context, reader, "more lines than the data set has documents (%zu)", num_docs);
    else
      status = read_number(context, reader, line, end, &scores[count++]);
    if (status != DORM_OK)
      break;
  }
  if (status == DORM_OK && count < num_docs)
    status =
        dorm__fail(context, DORM_BAD_DATA, "%s: %zu lines, but the data set has %zu documents", path, count, num_docs);
  return status;
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
    dorm__output_text(output, "\n");
  }
  return dorm__output_commit(context, output);
}
