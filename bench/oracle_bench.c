/*
 * oracle_bench.c: measures what a call of the oracle costs, and prints lines with tabs between their fields.
 *
 *   oracle_bench [--full | --chooser | --distinct] [--scores FILE] [--dump FILE]
 *
 * Queries are random. Labels are 0 .. levels - 1, each half as likely as the one below. The gains b and the position
 * weights a are those that a loss makes of the labels, and c[p] = (p + 2)^-1/2. Scores are normal times a scale, or
 * drawn from FILE (one number per line).
 *
 *   kind          `time` for the most violated ranking (t = 1), `reference` for a reference (t = -0.3), `growth` for
 *                 the exponent of the time in the number of documents, `memory` for the peak memory of a process
 *   method        a method of the oracle, or `qsort`, the C library's sort of the same scores
 *   temperature   `cold` times up to 400 different queries in turn, so that neither caches nor branch predictors know
 *                 them, `warm` times the same query again and again, `growth` times up to 50 different queries
 *   median ...    microseconds of a call, each timed by itself, with two readings of the clock in it
 *
 *   --full        adds larger queries and further scales of the scores
 *   --chooser     times the methods that assignment/plan.c chooses among, and nothing else, on equally likely levels
 *   --distinct    times gains that all differ, and nothing else
 *   --dump FILE   writes some of the problems with the values found, which scipy_assignment.py then solves, too
 */
#include "assignment/assignment.h"
#include "assignment/plan.h"
#include "assignment/workspace.h"
#include "base/base.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_QUERIES = 400, MOST_FILE_SCORES = 1000000, DUMPED = 3, DUMP_MOST_DOCS = 2000, DUMP_ALL_DOCS = 100 };

typedef struct bench_loss {
  const char *name;
  size_t truncation; /* 0: none */
  bool is_two_level;
} bench_loss;

static const bench_loss losses[] = {
    {"ndcg@10", 10, false}, {"ndcg@100", 100, false},   {"ndcg", 0, false},
    {"mrr", 0, true},       {"precision@10", 10, true}, {"eru", 0, false},
};
enum { NUM_LOSSES = sizeof losses / sizeof *losses };

typedef struct bench_query {
  double *b, *g; /* [docs] */
  dorm__oracle_plan *plan;
} bench_query;

typedef struct oracle_bench {
  dorm_context *context;
  dorm__random random;
  double *file_scores;
  size_t num_file_scores;
  FILE *dump;
  bool is_full, is_chooser;
  bool is_distinct; /* gains are log-normal, so that they all differ */
  bool is_single;   /* num_queries is 1 */
  /* the present problem: */
  const bench_loss *loss;
  size_t levels, docs, num_queries;
  double scale; /* of normal scores, or NAN for scores from the file */
  double t;     /* 1: worst rankings; below 0: references */
  double *a, *c;
  bench_query queries[MOST_QUERIES];
  dorm__oracle_workspace *workspace;
  uint32_t *order;
  double *sorted;
} oracle_bench;

static void die(const oracle_bench *bench, const char *what)
{
  fprintf(stderr, "oracle_bench: %s: %s\n", what, dorm_context_message(bench->context));
  exit(1);
}

/* ---- Problems -------------------------------------------------------------- */

static void fill_positions(oracle_bench *bench)
{
  for (size_t p = 0; p < bench->docs; p++) {
    double x = (double)p;
    const char *name = bench->loss->name;
    bool counts = bench->loss->truncation == 0 || p < bench->loss->truncation;
    double weight = 1 / log2(x + 2);
    if (strncmp(name, "mrr", 3) == 0)
      weight = 1 / (x + 1);
    else if (strncmp(name, "precision", 9) == 0)
      weight = 1 / (double)bench->loss->truncation;
    else if (strncmp(name, "eru", 3) == 0)
      weight = exp2(-x / 4); /* half-life 5 */
    bench->a[p] = counts ? weight : 0;
    bench->c[p] = 1 / sqrt(x + 2);
  }
}

static size_t draw_label(oracle_bench *bench)
{
  if (bench->is_chooser)
    return dorm__random_below(&bench->random, bench->levels);
  for (;;) {
    size_t label = 0;
    while (label < bench->levels && dorm__random_uniform(&bench->random) < 0.5)
      label++;
    if (label < bench->levels)
      return label;
  }
}

static int rising(const void *left, const void *right)
{
  double x = *(const double *)left, y = *(const double *)right;
  return x < y ? -1 : x > y;
}

static int falling(const void *left, const void *right, void *unused)
{
  (void)unused;
  return rising(right, left);
}

/* Fills b [docs] with the gains of a random query. For NDCG and ERU they are divided by the worth of the ideal ranking.
 * For MRR one document has the gain 1 and the others 0. */
static void fill_gains(oracle_bench *bench, double *b)
{
  bool is_mrr = strcmp(bench->loss->name, "mrr") == 0;
  bool is_eru = strcmp(bench->loss->name, "eru") == 0;
  for (size_t j = 0; j < bench->docs; j++) {
    size_t label = bench->is_distinct ? 0 : draw_label(bench);
    b[j] = is_mrr                      ? 0
           : bench->is_distinct        ? exp(dorm__random_normal(&bench->random))
           : bench->loss->is_two_level ? (double)(label > 0)
           : is_eru                    ? (double)label
                                       : exp2((double)label) - 1;
  }
  if (is_mrr)
    b[dorm__random_below(&bench->random, bench->docs)] = 1;
  if (is_mrr || strncmp(bench->loss->name, "precision", 9) == 0)
    return;
  memcpy(bench->sorted, b, bench->docs * sizeof *b);
  qsort(bench->sorted, bench->docs, sizeof *b, rising);
  double ideal = 0;
  for (size_t p = 0; p < bench->docs; p++)
    ideal += bench->a[p] * bench->sorted[bench->docs - 1 - p];
  for (size_t j = 0; ideal > 0 && j < bench->docs; j++)
    b[j] /= ideal;
}

static void fill_scores(oracle_bench *bench, double *g)
{
  size_t start = bench->num_file_scores ? dorm__random_below(&bench->random, bench->num_file_scores) : 0;
  for (size_t j = 0; j < bench->docs; j++)
    g[j] = isnan(bench->scale) ? bench->file_scores[(start + j) % bench->num_file_scores]
                               : bench->scale * dorm__random_normal(&bench->random);
}

/* Makes a plan for each query. Returns false if the method does not apply to one of them. */
static bool make_plans(oracle_bench *bench, dorm__oracle_method method)
{
  bool all = true;
  for (size_t i = 0; i < bench->num_queries; i++) {
    bench_query *query = &bench->queries[i];
    dorm__oracle_plan_free(query->plan);
    query->plan = NULL;
    all = all && dorm__oracle_plan_new(bench->context, method, bench->docs, bench->a, query->b, bench->c,
                                       &query->plan) == DORM_OK;
  }
  return all;
}

static void *need(const oracle_bench *bench, size_t count)
{
  void *block = calloc(count, sizeof(double));
  if (!block)
    die(bench, "out of memory");
  return block;
}

static void make_problem(oracle_bench *bench)
{
  size_t docs = bench->docs;
  if (!bench->is_single)
    bench->num_queries = docs <= 1000 ? MOST_QUERIES : docs <= 5000 ? 200 : 20;
  bench->a = need(bench, docs);
  bench->c = need(bench, docs);
  bench->sorted = need(bench, docs);
  bench->order = need(bench, docs);
  fill_positions(bench);
  for (size_t i = 0; i < bench->num_queries; i++) {
    bench->queries[i] = (bench_query){.b = need(bench, docs), .g = need(bench, docs)};
    fill_gains(bench, bench->queries[i].b);
    fill_scores(bench, bench->queries[i].g);
  }
  if (dorm__oracle_workspace_new(bench->context, docs, &bench->workspace) != DORM_OK)
    die(bench, "workspace");
}

static void free_problem(oracle_bench *bench)
{
  for (size_t i = 0; i < bench->num_queries; i++) {
    dorm__oracle_plan_free(bench->queries[i].plan);
    free(bench->queries[i].b);
    free(bench->queries[i].g);
  }
  dorm__oracle_workspace_free(bench->workspace);
  free(bench->a);
  free(bench->c);
  free(bench->sorted);
  free(bench->order);
}

/* Writes the problem for scipy_assignment.py: a line of text, then doubles: a [docs], c [docs], and for each of DUMPED
 * queries b [docs], g [docs] and the value that the oracle reached. */
static void dump_problem(oracle_bench *bench)
{
  if (!bench->dump || bench->docs > DUMP_MOST_DOCS)
    return;
  fprintf(bench->dump, "%s\t%zu\t%zu\t%g\t%d\n", bench->loss->name, bench->levels, bench->docs, bench->scale, DUMPED);
  fwrite(bench->a, sizeof(double), bench->docs, bench->dump);
  fwrite(bench->c, sizeof(double), bench->docs, bench->dump);
  for (size_t i = 0; i < DUMPED; i++) {
    double value = 0;
    bench_query *query = &bench->queries[i];
    if (dorm__oracle_solve(query->plan, bench->workspace, query->g, bench->t, bench->order, &value) != DORM_OK)
      die(bench, "solve");
    fwrite(query->b, sizeof(double), bench->docs, bench->dump);
    fwrite(query->g, sizeof(double), bench->docs, bench->dump);
    fwrite(&value, sizeof(double), 1, bench->dump);
  }
}

/* ---- Timing ---------------------------------------------------------------- */

typedef enum timed_call { TIME_ORACLE, TIME_QSORT } timed_call;

static double time_call(oracle_bench *bench, timed_call what, const bench_query *query)
{
  if (what == TIME_QSORT)
    memcpy(bench->sorted, query->g, bench->docs * sizeof(double));
  double start = dorm__seconds();
  if (what == TIME_ORACLE) {
    if (dorm__oracle_solve(query->plan, bench->workspace, query->g, bench->t, bench->order, NULL) != DORM_OK)
      die(bench, "solve");
  } else if (what == TIME_QSORT) {
    qsort_r(bench->sorted, bench->docs, sizeof(double), falling, NULL);
  }
  return 1e6 * (dorm__seconds() - start);
}

static void print_times(const oracle_bench *bench, const char *method, const char *temperature, size_t count,
                        double *times)
{
  qsort(times, count, sizeof *times, rising);
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += times[i];
  printf("%s\t%s\t%s\t%zu\t%zu\t%g\t%s\t%zu\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", bench->t < 0 ? "reference" : "time",
         method, bench->loss->name, bench->levels, bench->docs, bench->scale, temperature, count, times[count / 2],
         times[count / 4], times[3 * count / 4], times[0], times[count - 1], sum / (double)count);
  fflush(stdout);
}

/* Times the queries cold and then warm, each for at most about `budget` seconds, and prints both lines. */
static void time_method(oracle_bench *bench, const char *name, timed_call what, double budget)
{
  double times[MOST_QUERIES];
  for (int is_warm = 0; is_warm < 2; is_warm++) {
    size_t count = 0;
    double start = dorm__seconds();
    if (!is_warm && what == TIME_ORACLE) /* one call that is not timed brings the code into the caches */
      time_call(bench, what, &bench->queries[bench->num_queries - 1]);
    while (count < bench->num_queries && (count < 1 || dorm__seconds() - start < budget)) {
      times[count] = time_call(bench, what, &bench->queries[is_warm ? 0 : count]);
      count++;
    }
    print_times(bench, name, is_warm ? "warm" : "cold", count, times);
  }
}

static bool is_affordable(dorm__oracle_method method, size_t docs, bool is_full)
{
  switch (method) {
  case DORM__ORACLE_SHORTEST_PATH:
    return docs <= (is_full ? 2000 : 200);
  case DORM__ORACLE_HUNGARIAN:
    return docs <= (is_full ? 1000 : 100);
  default:
    return true;
  }
}

static void run_problem(oracle_bench *bench, bool with_references)
{
  make_problem(bench);
  bool is_thorough = with_references || bench->is_chooser;
  for (int m = 0; m < DORM__NUM_PLAIN_ORACLE_METHODS; m++) {
    dorm__oracle_method method = (dorm__oracle_method)m;
    if (method != DORM__ORACLE_AUTO && !is_thorough)
      break;
    if (!is_affordable(method, bench->docs, bench->is_full && with_references))
      continue;
    if (!make_plans(bench, method))
      continue;
    if (method == DORM__ORACLE_AUTO && (with_references || bench->docs <= DUMP_ALL_DOCS))
      dump_problem(bench);
    time_method(bench, dorm__oracle_method_name(method), TIME_ORACLE, 1);
    if (method == DORM__ORACLE_AUTO && !bench->is_chooser) {
      bench->t = -0.3;
      time_method(bench, dorm__oracle_method_name(method), TIME_ORACLE, 1);
      bench->t = 1;
    }
  }
  time_method(bench, "qsort", TIME_QSORT, 1);
  free_problem(bench);
}

/* ---- The grid, growth, memory ---------------------------------------------- */

static void run_grid(oracle_bench *bench)
{
  static const size_t full_docs[] = {20, 50, 100, 200, 500, 1000, 2000, 5000};
  static const size_t quick_docs[] = {5, 10, 20, 50, 100, 1000};
  static const size_t all_levels[] = {2, 3, 5, 10};
  static const double full_scales[] = {0, 0.01, 0.1, 1, NAN};
  const size_t *docs = bench->is_full ? full_docs : quick_docs;
  size_t num_docs = bench->is_full ? 8 : 6;
  for (size_t d = 0; d < num_docs; d++)
    for (size_t f = 0; f < NUM_LOSSES; f++)
      for (size_t v = 0; v < 4; v++)
        for (size_t s = 0; s < 5; s++) {
          bool is_usual = full_scales[s] == 0.1 && (all_levels[v] == 5 || losses[f].is_two_level);
          if (isnan(full_scales[s]) && !bench->num_file_scores)
            continue;
          if (losses[f].is_two_level && all_levels[v] != 2)
            continue;
          if (!bench->is_full && full_scales[s] != 0.1 && !isnan(full_scales[s]))
            continue;
          bench->loss = &losses[f];
          bench->levels = all_levels[v];
          bench->docs = docs[d];
          bench->scale = full_scales[s];
          run_problem(bench, is_usual);
        }
}

/* Times all methods for equally likely levels. Only gains that are linear in the label have more than 20 levels. */
static void run_chooser(oracle_bench *bench)
{
  static const size_t docs[] = {5, 10, 20, 50, 100, 200}, levels[] = {2, 5, 10, 20, 40, 64};
  static const double scales[] = {0.01, 0.1, 1};
  for (size_t f = 0; f < NUM_LOSSES; f++)
    for (size_t d = 0; d < sizeof docs / sizeof *docs; d++)
      for (size_t v = 0; v < sizeof levels / sizeof *levels; v++)
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
          bool is_linear = strcmp(losses[f].name, "eru") == 0;
          if (levels[v] > docs[d] || (losses[f].is_two_level && levels[v] > 2) || (!is_linear && levels[v] > 20))
            continue;
          bench->loss = &losses[f];
          bench->levels = levels[v];
          bench->docs = docs[d];
          bench->scale = scales[s];
          bench->t = 1;
          run_problem(bench, false);
          bench->t = -0.3;
          run_problem(bench, false);
        }
}

/* Times gains that all differ, as estimates from clicks do. The column `levels` has their number, which is docs. */
static void run_distinct(oracle_bench *bench)
{
  static const size_t docs[] = {100, 300, 1000};
  static const double scales[] = {0.01, 0.1, 1};
  bench->is_distinct = true;
  for (size_t f = 0; f < NUM_LOSSES; f++)
    for (size_t d = 0; d < sizeof docs / sizeof *docs; d++)
      for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        bool is_usual = scales[s] == 0.1;
        if (losses[f].is_two_level || (!is_usual && !bench->is_full))
          continue;
        bench->loss = &losses[f];
        bench->levels = bench->docs = docs[d];
        bench->scale = scales[s];
        run_problem(bench, is_usual);
      }
  bench->is_distinct = false;
}

/* Sums for a least-squares line. x is log documents, y log median time. */
typedef struct slope_sums {
  double count, x, y, xx, xy;
} slope_sums;

/* Times up to 50 queries of each size from 20 to `most_docs` documents. They have five levels, or two if the loss knows
 * only two. Prints the slope of log median time against log documents, fitted to the sizes from `fit_from` on. */
static void run_growth(oracle_bench *bench, dorm__oracle_method method, const bench_loss *loss, size_t fit_from,
                       size_t most_docs)
{
  static const size_t docs[] = {20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000};
  slope_sums sums = {0};
  bench->loss = loss;
  bench->levels = loss->is_two_level ? 2 : 5;
  bench->scale = 0.1;
  for (size_t d = 0; d < sizeof docs / sizeof *docs && docs[d] <= most_docs; d++) {
    double times[MOST_QUERIES], start = dorm__seconds();
    bench->docs = docs[d];
    make_problem(bench);
    size_t calls = 0, most_calls = bench->num_queries < 50 ? bench->num_queries : 50;
    if (make_plans(bench, method)) {
      while (calls < most_calls && (calls < 3 || dorm__seconds() - start < 1)) {
        times[calls] = time_call(bench, TIME_ORACLE, &bench->queries[calls]);
        calls++;
      }
      print_times(bench, dorm__oracle_method_name(method), "growth", calls, times);
    }
    if (calls > 0 && docs[d] >= fit_from) {
      double x = log((double)docs[d]), y = log(times[calls / 2]); /* print_times has sorted them */
      sums = (slope_sums){sums.count + 1, sums.x + x, sums.y + y, sums.xx + x * x, sums.xy + x * y};
    }
    free_problem(bench);
  }
  printf("growth\t%s\t%s\t%zu\t%zu\t%zu\t%.3f\n", dorm__oracle_method_name(method), loss->name, bench->levels, fit_from,
         most_docs, (sums.count * sums.xy - sums.x * sums.y) / (sums.count * sums.xx - sums.x * sums.x));
}

static void run_all_growth(oracle_bench *bench)
{
  for (size_t f = 0; f < NUM_LOSSES; f++)
    run_growth(bench, DORM__ORACLE_RUNS, &losses[f], 1000, 100000);
  run_growth(bench, DORM__ORACLE_SHORTEST_PATH, &losses[0], 100, bench->is_full ? 1000 : 500);
  run_growth(bench, DORM__ORACLE_HUNGARIAN, &losses[0], 50, bench->is_full ? 500 : 200);
}

/* Prints the peak of the resident memory, in KiB, of a new process that makes and solves one query. */
static void run_memory(oracle_bench *bench, dorm__oracle_method method, size_t docs)
{
  fflush(stdout);
  pid_t child = fork();
  if (child < 0)
    return;
  if (child == 0) {
    bench->loss = &losses[2];
    bench->levels = 5;
    bench->docs = docs;
    bench->scale = 0.1;
    bench->is_single = true;
    bench->num_queries = 1;
    make_problem(bench);
    if (!make_plans(bench, method))
      _exit(1);
    time_call(bench, TIME_ORACLE, &bench->queries[0]);
    _exit(0);
  }
  struct rusage usage;
  int status;
  if (wait4(child, &status, 0, &usage) == child && status == 0)
    printf("memory\t%s\t%zu\t%ld\n", dorm__oracle_method_name(method), docs, usage.ru_maxrss);
}

static void read_scores(oracle_bench *bench, const char *path)
{
  FILE *file = fopen(path, "r");
  char line[256];
  if (!file)
    die(bench, path);
  bench->file_scores = need(bench, MOST_FILE_SCORES);
  while (bench->num_file_scores < MOST_FILE_SCORES && fgets(line, sizeof line, file))
    if (dorm__text_to_double(line, &bench->file_scores[bench->num_file_scores]))
      bench->num_file_scores++;
  fclose(file);
}

int main(int argc, char **argv)
{
  static oracle_bench bench;
  bench.context = dorm_context_new();
  if (!bench.context)
    return 1;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--full") == 0)
      bench.is_full = true;
    else if (strcmp(argv[i], "--chooser") == 0)
      bench.is_chooser = true;
    else if (strcmp(argv[i], "--distinct") == 0)
      bench.is_distinct = true;
    else if (strcmp(argv[i], "--scores") == 0 && i + 1 < argc)
      read_scores(&bench, argv[++i]);
    else if (strcmp(argv[i], "--dump") == 0 && i + 1 < argc)
      bench.dump = fopen(argv[++i], "wb");
    else {
      fprintf(stderr, "usage: oracle_bench [--full | --chooser | --distinct] [--scores FILE] [--dump FILE]\n");
      return 2;
    }
  }
  bench.t = 1;
  dorm__random_seed(&bench.random, 20070401);
  printf("kind\tmethod\tloss\tlevels\tdocs\tscale\ttemperature\tcalls\tmedian\tquarter\tthree_quarters\tleast\tmost\t"
         "mean\n");
  if (bench.is_chooser) {
    run_chooser(&bench);
    return 0;
  }
  if (bench.is_distinct) {
    bench.is_full = true;
    run_distinct(&bench);
    return 0;
  }
  run_grid(&bench);
  run_distinct(&bench);
  run_all_growth(&bench);
  for (size_t docs = 10000; docs <= 1000000; docs *= 10)
    run_memory(&bench, DORM__ORACLE_RUNS, docs);
  for (size_t docs = 500; docs <= (bench.is_full ? 2000 : 1000); docs *= 2) {
    run_memory(&bench, DORM__ORACLE_SHORTEST_PATH, docs);
    run_memory(&bench, DORM__ORACLE_HUNGARIAN, docs);
  }
  if (bench.dump)
    fclose(bench.dump);
  free(bench.file_scores);
  dorm_context_free(bench.context);
  return 0;
}
