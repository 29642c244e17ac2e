/*
 * share_plan.c: how several processes that each see a part of the text find the borders of the shards.
 *
 * Each process scans its part for queries. Then all hear of all: how many lines, documents and queries each part has,
 * and the ids of its first and last query, which tell whether a query goes on from one part into the next. So every
 * process knows how many documents stand before each query of its part and finds the first query of every shard that
 * begins there; these places, at most one for each shard and process, go to all. A query that comes back in a part of
 * another process is found by its hash: hashes travel to all, in rounds of limited size, and each process looks up
 * those of the processes before it; ids of equal hashes are compared as texts.
 */
#include "data/share_plan.h"
#include "base/processes.h"
#include "data/shards.h"

#include <string.h>

enum { HASHES_PER_ROUND = 1 << 16 };

/* What one process tells of its scan; followed by the ids of its first and last query. */
typedef struct scan_summary {
  uint64_t num_ranges, num_runs, num_docs;
  uint64_t is_odd;
  uint64_t first_size, last_size; /* of the texts, with their ends; 0: there is no document */
} scan_summary;

typedef struct share_planner {
  dorm_context *context;
  const dorm__file_list *files;
  const dorm__query_scan *scan;
  size_t size, number;
  size_t num_shards;
  dorm__share_plan *plan;

  uint64_t queries_before, docs_before; /* before this process's part */
  bool goes_on;                         /* the first run belongs to the last query of an earlier part */
  size_t returning;                     /* the first run whose query an earlier part has, SIZE_MAX: none */
  uint64_t *lines_before;               /* [scan->num_ranges] in the file */
} share_planner;

static dorm_status out_of_memory(const share_planner *planner)
{
  return dorm__out_of_memory(planner->context, "the queries of a file");
}

/* Gathers bytes; the caller frees *all and *start [size + 1]. */
static dorm_status gather(const share_planner *planner, const void *mine, size_t bytes, void **all, size_t **start)
{
  *all = NULL;
  *start = dorm__alloc(planner->size + 1, sizeof **start);
  return *start ? dorm__processes_gather(planner->context, mine, bytes, all, *start) : out_of_memory(planner);
}

/* ---- Scanning ------------------------------------------------------------------------- */

static dorm_status is_gzip(dorm_context *context, const char *path, bool *answer)
{
  dorm__byte_reader *bytes = NULL;
  dorm_status status = dorm__byte_reader_open(context, path, &bytes);
  *answer = status == DORM_OK && dorm__byte_reader_is_gzip(bytes);
  dorm__byte_reader_close(bytes);
  return status;
}

/* Scans what bytes [begin, end) of all files, one after the other, have of file i, which begins at `first`. */
static dorm_status scan_file(dorm_context *context, const dorm__file_list *files, size_t i, uint64_t first,
                             uint64_t begin, uint64_t end, dorm__query_scan *scan)
{
  bool is_whole = false;
  uint64_t size = files->sizes[i];
  if (first >= end || first + size <= begin)
    return DORM_OK;
  dorm_status status = is_gzip(context, files->paths[i], &is_whole);
  if (status != DORM_OK || (is_whole && first < begin))
    return status;
  uint64_t from = first < begin ? begin - first : 0;
  uint64_t to = end - first < size ? end - first : size;
  return dorm__query_scan_add(context, scan, i, files->paths[i], from, is_whole ? UINT64_MAX : to);
}

dorm_status dorm__share_plan_scan(dorm_context *context, const dorm__file_list *files, dorm__query_scan *scan)
{
  size_t size = dorm__processes_size(context);
  size_t number = dorm__processes_number(context);
  if (!dorm__query_scan_open(scan))
    return dorm__out_of_memory(context, "the queries of a file");
  dorm_status status = dorm__index_map_agree(context, scan->queries);
  if (status != DORM_OK)
    return status;
  if (files->is_own_each)
    return dorm__query_scan_add(context, scan, number, files->paths[number], 0, UINT64_MAX);
  uint64_t total = 0;
  for (size_t i = 0; i < files->count; i++)
    total += files->sizes[i];
  uint64_t begin = (uint64_t)((long double)total * (long double)number / (long double)size);
  uint64_t end =
      number + 1 < size ? (uint64_t)((long double)total * (long double)(number + 1) / (long double)size) : total;
  uint64_t first = 0;
  for (size_t i = 0; status == DORM_OK && i < files->count; i++) {
    status = scan_file(context, files, i, first, begin, end, scan);
    first += files->sizes[i];
  }
  return status;
}

/* ---- What stands before ------------------------------------------------------------------ */

static const char *run_id(const dorm__query_scan *scan, size_t run)
{
  return scan->texts + scan->runs[run].text;
}

/* The summary of this process's scan and the two ids; NULL when out of memory. */
static char *summarise(const dorm__query_scan *scan, size_t *bytes)
{
  scan_summary summary = {.num_ranges = scan->num_ranges, .num_runs = scan->num_runs, .num_docs = scan->num_docs};
  for (size_t i = 0; i < scan->num_ranges; i++)
    summary.is_odd = summary.is_odd || scan->ranges[i].is_odd;
  if (scan->num_runs) {
    summary.first_size = strlen(run_id(scan, 0)) + 1;
    summary.last_size = strlen(run_id(scan, scan->num_runs - 1)) + 1;
  }
  *bytes = sizeof summary + (size_t)(summary.first_size + summary.last_size);
  char *text = dorm__alloc(*bytes, 1);
  if (!text)
    return NULL;
  memcpy(text, &summary, sizeof summary);
  if (scan->num_runs) {
    memcpy(text + sizeof summary, run_id(scan, 0), (size_t)summary.first_size);
    memcpy(text + sizeof summary + summary.first_size, run_id(scan, scan->num_runs - 1), (size_t)summary.last_size);
  }
  return text;
}

/* Adds up what the processes have told, [start[i], start[i + 1]) of process i. */
static void add_up(share_planner *planner, const char *all, const size_t *start)
{
  dorm__share_plan *plan = planner->plan;
  const char *last = "";
  for (size_t i = 0; i < planner->size; i++) {
    scan_summary summary;
    memcpy(&summary, all + start[i], sizeof summary);
    const char *first = all + start[i] + sizeof summary;
    bool goes_on = summary.num_runs && plan->num_queries && strcmp(first, last) == 0;
    if (i == planner->number) {
      planner->queries_before = plan->num_queries;
      planner->docs_before = plan->num_docs;
      planner->goes_on = goes_on;
    }
    plan->num_queries += summary.num_runs - goes_on;
    plan->num_docs += summary.num_docs;
    plan->is_odd = plan->is_odd || summary.is_odd;
    last = summary.num_runs ? first + summary.first_size : last;
  }
}

static dorm_status exchange_summaries(share_planner *planner)
{
  size_t bytes = 0;
  void *all = NULL;
  size_t *start = NULL;
  char *mine = summarise(planner->scan, &bytes);
  dorm_status status = mine ? gather(planner, mine, bytes, &all, &start) : out_of_memory(planner);
  if (status == DORM_OK)
    add_up(planner, all, start);
  dorm__free(mine);
  dorm__free(all);
  dorm__free(start);
  return status;
}

/* Finds how many lines of its file stand before each range, and how long the files are. */
static dorm_status exchange_ranges(share_planner *planner)
{
  const dorm__query_scan *scan = planner->scan;
  void *all = NULL;
  size_t *start = NULL;
  planner->lines_before = dorm__alloc_zero(scan->num_ranges, sizeof *planner->lines_before);
  planner->plan->file_ends = dorm__alloc_zero(planner->files->count, sizeof *planner->plan->file_ends);
  if (!planner->lines_before || !planner->plan->file_ends)
    return out_of_memory(planner);
  dorm_status status = gather(planner, scan->ranges, scan->num_ranges * sizeof *scan->ranges, &all, &start);
  size_t own = status == DORM_OK ? start[planner->number] / sizeof *scan->ranges : 0;
  size_t count = status == DORM_OK ? start[planner->size] / sizeof *scan->ranges : 0;
  const dorm__scan_range *ranges = all;
  uint64_t lines = 0;
  for (size_t i = 0; i < count; i++) {
    if (i && ranges[i].file != ranges[i - 1].file)
      lines = 0;
    if (i >= own && i < own + scan->num_ranges)
      planner->lines_before[i - own] = lines;
    lines += ranges[i].num_lines;
    uint64_t *end = &planner->plan->file_ends[ranges[i].file];
    *end = ranges[i].end > *end ? ranges[i].end : *end;
  }
  dorm__free(all);
  dorm__free(start);
  return status;
}

/* ---- Queries that come back --------------------------------------------------------------- */

/* Marks the first runs of queries whose hash a process before this one has sent in this round. */
static void look_up(const share_planner *planner, const uint64_t *hashes, size_t count, bool *is_suspect)
{
  for (size_t i = 0; i < count; i++) {
    size_t cursor = 0, run;
    while (dorm__index_map_find(planner->scan->queries, hashes[i], &cursor, &run))
      is_suspect[run] = true;
  }
}

/* All hashes go to all processes, some at a time. */
static dorm_status exchange_hashes(const share_planner *planner, bool *is_suspect)
{
  const dorm__query_scan *scan = planner->scan;
  int64_t rounds = (int64_t)((scan->num_runs + HASHES_PER_ROUND - 1) / HASHES_PER_ROUND);
  uint64_t *mine = dorm__alloc(HASHES_PER_ROUND, sizeof *mine);
  dorm_status status = mine ? dorm__processes_max(planner->context, &rounds) : out_of_memory(planner);
  for (int64_t round = 0; status == DORM_OK && round < rounds; round++) {
    void *all = NULL;
    size_t *start = NULL;
    size_t count = 0;
    for (size_t i = (size_t)round * HASHES_PER_ROUND; i < scan->num_runs && count < HASHES_PER_ROUND; i++)
      mine[count++] = scan->runs[i].key;
    status = gather(planner, mine, count * sizeof *mine, &all, &start);
    if (status == DORM_OK)
      look_up(planner, all, start[planner->number] / sizeof *mine, is_suspect);
    dorm__free(all);
    dorm__free(start);
  }
  dorm__free(mine);
  return status;
}

/* The ids of the suspects go to all, each with its end; *mine is NULL when out of memory. */
static void list_suspects(const dorm__query_scan *scan, const bool *is_suspect, char **mine, size_t *bytes)
{
  *bytes = 0;
  for (size_t run = 0; run < scan->num_runs; run++)
    *bytes += is_suspect[run] ? strlen(run_id(scan, run)) + 1 : 0;
  *mine = dorm__alloc(*bytes, 1);
  char *to = *mine;
  for (size_t run = 0; *mine && run < scan->num_runs; run++)
    if (is_suspect[run]) {
      size_t size = strlen(run_id(scan, run)) + 1;
      memcpy(to, run_id(scan, run), size);
      to += size;
    }
}

/* answers[k] becomes 1 where this process has the query of suspect k of the processes after it. */
static void answer_suspects(const share_planner *planner, const char *all, const size_t *start, size_t count,
                            unsigned char *answers)
{
  const char *id = all;
  memset(answers, 0, count);
  for (size_t k = 0; k < count; k++) {
    size_t size = strlen(id);
    bool is_later = (size_t)(id - all) >= start[planner->number + 1];
    answers[k] = is_later && dorm__query_scan_find(planner->scan, id, size) != SIZE_MAX ? 1 : 0;
    id += size + 1;
  }
}

/* Finds the first suspect of this process for which some process has answered. */
static void find_returning(share_planner *planner, const bool *is_suspect, size_t first, size_t count,
                           const unsigned char *answers)
{
  size_t suspect = first;
  for (size_t run = 0; run < planner->scan->num_runs; run++) {
    if (!is_suspect[run])
      continue;
    bool is_known = false;
    for (size_t i = 0; i < planner->size; i++)
      is_known = is_known || answers[i * count + suspect];
    suspect++;
    /* the run that goes on is known to the process before, and rightly so; nobody else may know it */
    if (is_known && !(run == 0 && planner->goes_on) && planner->returning == SIZE_MAX)
      planner->returning = run;
  }
}

static dorm_status compare_suspects(share_planner *planner, const bool *is_suspect)
{
  char *mine = NULL;
  size_t bytes = 0;
  void *all = NULL, *answers = NULL;
  size_t *start = NULL, *answer_start = NULL;
  list_suspects(planner->scan, is_suspect, &mine, &bytes);
  dorm_status status = mine ? gather(planner, mine, bytes, &all, &start) : out_of_memory(planner);
  size_t count = 0, first = 0;
  for (size_t i = 0; status == DORM_OK && i < start[planner->size]; i++) {
    count += ((const char *)all)[i] == '\0';
    first += ((const char *)all)[i] == '\0' && i < start[planner->number];
  }
  unsigned char *own = dorm__alloc(count, 1);
  if (status == DORM_OK && own)
    answer_suspects(planner, all, start, count, own);
  if (status == DORM_OK)
    status = own ? gather(planner, own, count, &answers, &answer_start) : out_of_memory(planner);
  if (status == DORM_OK)
    find_returning(planner, is_suspect, first, count, answers);
  dorm__free(own);
  dorm__free(mine);
  dorm__free(all);
  dorm__free(start);
  dorm__free(answers);
  dorm__free(answer_start);
  return status;
}

static dorm_status find_returning_queries(share_planner *planner)
{
  bool *is_suspect = dorm__alloc_zero(planner->scan->num_runs, sizeof *is_suspect);
  dorm_status status = is_suspect ? exchange_hashes(planner, is_suspect) : out_of_memory(planner);
  int64_t has_suspects = 0;
  for (size_t run = planner->goes_on; is_suspect && run < planner->scan->num_runs; run++)
    has_suspects = has_suspects || is_suspect[run];
  if (status == DORM_OK)
    status = dorm__processes_max(planner->context, &has_suspects);
  if (status == DORM_OK && has_suspects)
    status = compare_suspects(planner, is_suspect);
  int64_t returns = planner->returning != SIZE_MAX;
  if (status == DORM_OK)
    status = dorm__processes_max(planner->context, &returns);
  planner->plan->is_odd = planner->plan->is_odd || returns;
  dorm__free(is_suspect);
  return status;
}

/* ---- Shards ------------------------------------------------------------------------------ */

/* The range of a run. */
static size_t range_of(const dorm__query_scan *scan, size_t run)
{
  size_t i = 0;
  while (scan->ranges[i].end_run <= run)
    i++;
  return i;
}

static dorm__data_place place_of(const share_planner *planner, size_t run)
{
  const dorm__query_run *at = &planner->scan->runs[run];
  size_t range = range_of(planner->scan, run);
  return (dorm__data_place){.queries_before = planner->queries_before + run - planner->goes_on,
                            .docs_before = planner->docs_before + at->docs_before,
                            .file = planner->scan->ranges[range].file,
                            .offset = at->offset,
                            .lines_before = planner->lines_before[range] + at->line};
}

/* The places where this process's first query and the first query of every shard begin. */
static bool list_places(const share_planner *planner, dorm__data_place **places, size_t *count)
{
  size_t capacity = 0;
  size_t last_shard = SIZE_MAX;
  *places = NULL;
  *count = 0;
  for (size_t run = planner->goes_on; run < planner->scan->num_runs; run++) {
    size_t shard = dorm__shard_of(planner->docs_before + planner->scan->runs[run].docs_before, planner->plan->num_docs,
                                  planner->num_shards);
    if (shard == last_shard)
      continue;
    if (!dorm__grow((void **)places, &capacity, *count + 1, sizeof **places))
      return false;
    (*places)[(*count)++] = place_of(planner, run);
    last_shard = shard;
  }
  return true;
}

/* Finds where the share of each process begins among the places of all, which stand in the order of the data. */
static void find_borders(const share_planner *planner, size_t count, const dorm__data_place *places)
{
  dorm__share_plan *plan = planner->plan;
  size_t at = 0;
  plan->places[0] = (dorm__data_place){0};
  for (size_t i = 1; i <= planner->size; i++) {
    size_t shard = dorm__shards_of_process(i, planner->size, planner->num_shards);
    while (at < count &&
           (i == planner->size || dorm__shard_of(places[at].docs_before, plan->num_docs, planner->num_shards) < shard))
      at++;
    plan->places[i] = shard == 0   ? (dorm__data_place){0}
                      : at < count ? places[at]
                                   : (dorm__data_place){.queries_before = plan->num_queries,
                                                        .docs_before = plan->num_docs,
                                                        .file = planner->files->count};
  }
}

static dorm_status exchange_places(share_planner *planner)
{
  dorm__share_plan *plan = planner->plan;
  dorm__data_place *mine = NULL;
  size_t count = 0;
  void *all = NULL;
  size_t *start = NULL;
  plan->num_processes = planner->size;
  plan->places = dorm__alloc_zero(planner->size + 1, sizeof *plan->places);
  bool is_good = plan->places && list_places(planner, &mine, &count);
  dorm_status status = is_good ? gather(planner, mine, count * sizeof *mine, &all, &start) : out_of_memory(planner);
  if (status == DORM_OK)
    find_borders(planner, start[planner->size] / sizeof *mine, all);
  dorm__free(mine);
  dorm__free(all);
  dorm__free(start);
  return status;
}

/* What a look at all lines of this process's scan has to read. */
static dorm_status list_looks(const share_planner *planner)
{
  const dorm__query_scan *scan = planner->scan;
  planner->plan->looks = dorm__alloc_zero(scan->num_ranges, sizeof *planner->plan->looks);
  for (size_t i = 0; planner->plan->looks && i < scan->num_ranges; i++) {
    const dorm__scan_range *range = &scan->ranges[i];
    dorm__letor_piece *piece = &planner->plan->looks[i];
    *piece = (dorm__letor_piece){.path = planner->files->paths[range->file],
                                 .begin = range->begin,
                                 .end = range->end,
                                 .lines_before = (size_t)planner->lines_before[i],
                                 .ends_with_file = range->end >= planner->plan->file_ends[range->file]};
    size_t run = planner->returning;
    if (run != SIZE_MAX && range->first_run <= run && run < range->end_run)
      piece->returning = (size_t)(planner->lines_before[i] + scan->runs[run].line + 1);
  }
  return planner->plan->looks ? DORM_OK : out_of_memory(planner);
}

dorm_status dorm__share_plan_make(dorm_context *context, const dorm__file_list *files, const dorm__query_scan *scan,
                                  size_t num_shards, dorm__share_plan *plan)
{
  *plan = (dorm__share_plan){0};
  share_planner planner = {.context = context,
                           .files = files,
                           .scan = scan,
                           .size = dorm__processes_size(context),
                           .number = dorm__processes_number(context),
                           .num_shards = num_shards,
                           .plan = plan,
                           .returning = SIZE_MAX};
  dorm_status status = exchange_summaries(&planner);
  if (status == DORM_OK)
    status = exchange_ranges(&planner);
  if (status == DORM_OK)
    status = find_returning_queries(&planner);
  if (status == DORM_OK)
    status = exchange_places(&planner);
  if (status == DORM_OK)
    status = list_looks(&planner);
  dorm__free(planner.lines_before);
  if (status != DORM_OK)
    dorm__share_plan_clear(plan);
  return status;
}

void dorm__share_plan_clear(dorm__share_plan *plan)
{
  dorm__free(plan->looks);
  dorm__free(plan->places);
  dorm__free(plan->file_ends);
  *plan = (dorm__share_plan){0};
}
