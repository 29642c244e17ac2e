/*
 * policies_bench.c: how long `dorm allocate` takes by the number of queries, and how much memory.
 *
 *   policies_bench [DOCS GROUPS TOP GAP [THREADS [QUERIES...]]]     default: 100 50 0 1e-4 2 1000 10000 100000 1000000
 *
 * Documents have uniform gains plus the gain of their group, which is drawn evenly; each of the groups must have half
 * of an equal share of exposure in the first TOP positions (0: all), and at most twice. A line has
 *
 *   seconds, processor   on the wall, and of all threads
 *   microseconds         processor time per query and pass
 *   memory               the largest memory of the process / the memory of the data (gains, groups, queries) before
 *
 * and what the certificate says: passes over the data, worth that the requirements cost, gap, violation.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/random.h"
#include "dorm/dorm.h"

typedef struct bench {
  size_t docs, groups, top, threads;
  double gap;
  dorm_context *context;
  dorm_dataset *dataset;
  double *gains;      /* [queries][docs] */
  uint32_t *group_of; /* [queries][docs] */
  double *shares;     /* [2][groups]: at least, at most */
} bench;

static void need(const bench *made, bool holds)
{
  if (holds)
    return;
  fprintf(stderr, "policies_bench: %s\n", made->context ? dorm_context_message(made->context) : "out of memory");
  exit(1);
}

static void make_dataset(bench *made, size_t num_queries)
{
  DORM__FREED size_t *start = dorm__alloc(num_queries + 1, sizeof *start);
  DORM__FREED double *labels = dorm__alloc_zero(num_queries * made->docs, sizeof *labels);
  need(made, start && labels);
  for (size_t q = 0; q <= num_queries; q++)
    start[q] = q * made->docs;
  need(made, dorm_dataset_from_arrays(made->context, num_queries, start, 0, labels, NULL, &made->dataset) == DORM_OK);
}

static void make_data(bench *made, size_t num_queries)
{
  size_t num_docs = num_queries * made->docs;
  dorm__random random;
  dorm__random_seed(&random, num_queries);
  make_dataset(made, num_queries);
  made->gains = dorm__alloc(num_docs, sizeof *made->gains);
  made->group_of = dorm__alloc(num_docs, sizeof *made->group_of);
  made->shares = dorm__alloc(2 * made->groups, sizeof *made->shares);
  need(made, made->gains && made->group_of && made->shares);
  for (size_t g = 0; g < made->groups; g++) {
    made->shares[g] = 0.9 / (double)made->groups;
    made->shares[made->groups + g] = fmin(1.1 / (double)made->groups, 1);
  }
  for (size_t j = 0; j < num_docs; j++) {
    made->group_of[j] = (uint32_t)dorm__random_below(&random, made->groups);
    made->gains[j] = dorm__random_uniform(&random) + (double)made->group_of[j] / (double)made->groups;
  }
}

static double resident_bytes(void)
{
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*u %lu", &pages) != 1)
    pages = 0;
  if (file)
    fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double processor_seconds(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void measure(bench *made, size_t num_queries)
{
  dorm_policy *policy = NULL;
  struct rusage usage;
  double before = resident_bytes(), wall = dorm__seconds(), processor = processor_seconds();
  const dorm_allocation_options options = {.struct_size = sizeof options,
                                           .num_groups = made->groups,
                                           .group_of = made->group_of,
                                           .least = made->shares,
                                           .most = made->shares + made->groups,
                                           .top = made->top,
                                           .gap = made->gap,
                                           .num_threads = made->threads};
  need(made, dorm_allocate(made->context, made->dataset, made->gains, &options, &policy) == DORM_OK);
  wall = dorm__seconds() - wall;
  processor = processor_seconds() - processor;
  getrusage(RUSAGE_SELF, &usage);
  const dorm_allocation *found = dorm_policy_result(policy);
  printf("%10zu %9.3f %9.3f %12.2f %7.2f %7zu %7.3f %9.1e %9.1e\n", num_queries, wall, processor,
         1e6 * processor / (double)num_queries / (double)found->num_passes, (double)usage.ru_maxrss * 1024 / before,
         found->num_passes, 100 * (1 - found->worth / found->free_worth), found->gap, found->violation);
  fflush(stdout);
  dorm_policy_free(policy);
}

int main(int argc, char **argv)
{
  static const size_t sizes[] = {1000, 10000, 100000, 1000000};
  bench made = {.docs = argc > 1 ? strtoul(argv[1], NULL, 10) : 100,
                .groups = argc > 2 ? strtoul(argv[2], NULL, 10) : 50,
                .top = argc > 3 ? strtoul(argv[3], NULL, 10) : 10,
                .gap = argc > 4 ? strtod(argv[4], NULL) : 1e-4,
                .threads = argc > 5 ? strtoul(argv[5], NULL, 10) : 2,
                .context = dorm_context_new()};
  size_t count = argc > 6 ? (size_t)argc - 6 : sizeof sizes / sizeof *sizes;
  need(&made, made.context);
  printf("%zu documents, %zu groups, %zu positions (0: all), %zu threads\n%10s %9s %9s %12s %7s %7s %7s %9s %9s\n",
         made.docs, made.groups, made.top, made.threads, "queries", "seconds", "processor", "microseconds", "memory",
         "passes", "cost, %", "gap", "violation");
  for (size_t i = 0; i < count; i++) {
    size_t num_queries = argc > 6 ? strtoul(argv[6 + i], NULL, 10) : sizes[i];
    make_data(&made, num_queries);
    measure(&made, num_queries);
    dorm_dataset_free(made.dataset);
    dorm__free(made.gains);
    dorm__free(made.group_of);
    dorm__free(made.shares);
  }
  dorm_context_free(made.context);
  return 0;
}
