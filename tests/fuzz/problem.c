/*
 * problem.c: a file of the oracle's problem of one query. What is read is the same after it is written and read again;
 * small problems without groups, whose programmes may take long, are solved.
 */
#include "base/base.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  const char *path = fuzz_write("data", data, size);
  dorm_problem *problem = NULL, *again = NULL;
  dorm_status status = dorm_problem_read(context, path, &problem);
  if (status != DORM_OK) {
    fuzz_require_failure(context, status);
    return;
  }
  fuzz_require_ok(context, dorm_problem_write(context, problem, fuzz_path("again")), "what was read is written");
  fuzz_require_ok(context, dorm_problem_read(context, fuzz_path("again"), &again), "what was written is read");
  fuzz_require_ok(context, dorm_problem_write(context, again, fuzz_path("table")), "it is written again");
  fuzz_text one = fuzz_read(fuzz_path("again")), two = fuzz_read(fuzz_path("table"));
  fuzz_require(one.size == two.size && memcmp(one.bytes, two.bytes, one.size) == 0, "it is the same");
  free((char *)one.bytes);
  free((char *)two.bytes);
  const dorm_problem_info *about = dorm_problem_about(again);
  if (about->num_docs <= 6 && about->num_groups == 0) {
    status = dorm_problem_solve(context, again);
    if (status != DORM_OK)
      fuzz_require_failure(context, status);
    for (size_t i = 0; dorm_problem_solution(again, i); i++)
      fuzz_require(dorm_problem_solution(again, i)->agrees ||
                       strcmp(dorm_problem_solution(again, i)->method, "recorded") == 0,
                   "methods agree");
  }
  dorm_problem_free(problem);
  dorm_problem_free(again);
}

const fuzz_target fuzz_problem = {"problem", run, 2048};
