/* entry.c: passes the inputs of libFuzzer to the target that DORM_FUZZ_TARGET names. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const fuzz_target *target;
  if (!target) {
    const char *name = getenv("DORM_FUZZ_TARGET");
    target = fuzz_find(name ? name : "");
    fuzz_require(target != NULL, "DORM_FUZZ_TARGET names a target");
  }
  if (size > target->largest)
    return -1;
  fuzz_run(target, data, size);
  return 0;
}
