/*
 * gzip.c: a compressed file. The input is read as one. All but its first two
 * bytes are also taken as text, which the target compresses: the file must read
 * as the plain text does, reading must fail if the file is cut short, and a
 * damaged byte must do no harm.
 */
#include "tests/fuzz/fuzz.h"

#include <zlib.h>

static bool read_text(dorm_context *context, const char *path, dorm_dataset **dataset)
{
  return fuzz_is_good(context, dorm_dataset_read(context, path, dataset));
}

static fuzz_text compress_text(const uint8_t *data, size_t size)
{
  const char *path = fuzz_path("data.gz");
  gzFile file = gzopen(path, "wb1");
  fuzz_require(file != NULL, "a gzip file");
  bool good = !size || gzwrite(file, data, (unsigned)size) == (int)size;
  good = gzclose(file) == Z_OK && good;
  fuzz_require(good, "a gzip file that can be written");
  return fuzz_read(path);
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  dorm_dataset *plain = NULL;
  dorm_dataset *packed = NULL;
  read_text(context, fuzz_write("data.gz", data, size), &plain);
  dorm_dataset_free(plain);
  if (size < 2)
    return;
  bool is_good = read_text(context, fuzz_write("data", data + 2, size - 2), &plain);
  fuzz_text file = compress_text(data + 2, size - 2);
  bool is_text = size < 4 || data[2] != 0x1f || data[3] != 0x8b; /* otherwise the plain file is gzip too */
  if (is_text)
    fuzz_require(read_text(context, fuzz_path("data.gz"), &packed) == is_good, "gzip is read as plain text is");
  if (is_good && packed)
    fuzz_require_equal(plain, packed, "gzip holds what the plain text holds");
  dorm_dataset_free(plain);
  dorm_dataset_free(packed);
  size_t cut = 2 + (size_t)data[0] % (file.size - 2);
  is_good = read_text(context, fuzz_write("data.gz", file.bytes, cut), &packed);
  fuzz_require(!is_good, "a gzip file cut short is refused");
  ((char *)file.bytes)[(size_t)data[0] % file.size] ^= (char)(1 << data[1] % 8);
  read_text(context, fuzz_write("data.gz", file.bytes, file.size), &packed);
  dorm_dataset_free(packed);
  free((char *)file.bytes);
}

const fuzz_target fuzz_gzip = {"gzip", run, 2048};
