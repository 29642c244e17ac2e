/* record.c: binary files of numbers, texts and arrays with a checksum. */
#include "base/record.h"
#include "base/hash.h"

#include <string.h>

dorm_status dorm__record_create(dorm_context *context, const char *path, dorm__record_writer **writer)
{
  dorm_status status = dorm__output_open(context, path, writer);
  if (status == DORM_OK)
    dorm__output_start_hash(*writer);
  return status;
}

void dorm__record_put_bytes(dorm__record_writer *writer, const void *bytes, size_t size)
{
  dorm__output_bytes(writer, bytes, size);
}

void dorm__record_put_count(dorm__record_writer *writer, uint64_t count)
{
  dorm__record_put_bytes(writer, &count, sizeof count);
}

void dorm__record_put_number(dorm__record_writer *writer, double number)
{
  dorm__record_put_bytes(writer, &number, sizeof number);
}

void dorm__record_put_numbers(dorm__record_writer *writer, size_t count, const double *numbers)
{
  dorm__record_put_bytes(writer, numbers, count * sizeof *numbers);
}

void dorm__record_put_text(dorm__record_writer *writer, const char *text)
{
  dorm__record_put_count(writer, strlen(text));
  dorm__record_put_bytes(writer, text, strlen(text));
}

dorm_status dorm__record_commit(dorm_context *context, dorm__record_writer *writer)
{
  dorm__record_put_count(writer, dorm__output_hash(writer));
  return dorm__output_commit(context, writer);
}

bool dorm__record_open(const char *bytes, size_t size, dorm__record_reader *reader)
{
  uint64_t sum;
  if (size < sizeof sum)
    return false;
  memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
  *reader = (dorm__record_reader){.bytes = bytes, .size = size - sizeof sum};
  return sum == dorm__hash_bytes(DORM__HASH_START, bytes, reader->size);
}

const void *dorm__record_take(dorm__record_reader *reader, size_t count, size_t size)
{
  size_t left = reader->size - reader->at;
  if (reader->is_bad || (size && count > left / size)) {
    reader->is_bad = true;
    return NULL;
  }
  const void *bytes = reader->bytes + reader->at;
  reader->at += count * size;
  return bytes;
}

static void take_into(dorm__record_reader *reader, void *result, size_t count, size_t size)
{
  const void *bytes = dorm__record_take(reader, count, size);
  if (bytes && count)
    memcpy(result, bytes, count * size);
  else
    memset(result, 0, count * size);
}

uint64_t dorm__record_take_word(dorm__record_reader *reader)
{
  uint64_t word;
  take_into(reader, &word, 1, sizeof word);
  return word;
}

size_t dorm__record_take_count(dorm__record_reader *reader)
{
  uint64_t word = dorm__record_take_word(reader);
  size_t count = (size_t)word;
  reader->is_bad = reader->is_bad || count != word;
  return count;
}

double dorm__record_take_number(dorm__record_reader *reader)
{
  double number;
  take_into(reader, &number, 1, sizeof number);
  return number;
}

void dorm__record_take_numbers(dorm__record_reader *reader, size_t count, double *numbers)
{
  take_into(reader, numbers, count, sizeof *numbers);
}

char *dorm__record_take_text(dorm__record_reader *reader)
{
  size_t size = dorm__record_take_count(reader);
  const char *bytes = dorm__record_take(reader, size, 1);
  char *text = bytes ? dorm__alloc(size + 1, 1) : NULL;
  if (text) {
    memcpy(text, bytes, size);
    text[size] = '\0';
  }
  return text;
}
