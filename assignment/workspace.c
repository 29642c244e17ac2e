/* workspace.c: the scratch space of one thread (one allocation, cut into the arrays of all methods) and the counts of
 * its calls. */
#include "assignment/workspace.h"
#include "assignment/assignment.h"
#include "assignment/groups/groups.h"
#include "assignment/plan.h"
#include "assignment/runs/runs.h"

/* Cuts pieces from one allocation. While `memory` is NULL it only adds up their sizes. */
typedef struct memory_cutter {
  unsigned char *memory;
  size_t used;
} memory_cutter;

enum { ALIGNMENT = 64 };

static void *cut(memory_cutter *cutter, size_t count, size_t size)
{
  size_t at = cutter->used;
  cutter->used += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return cutter->memory ? cutter->memory + at : NULL;
}

static void cut_sort(memory_cutter *cutter, size_t n, dorm__oracle_workspace *workspace)
{
  workspace->keys = cut(cutter, n, sizeof(double));
  workspace->docs = cut(cutter, n, sizeof(uint32_t));
  workspace->scores = cut(cutter, n, sizeof(double));
  workspace->sort.words = cut(cutter, n, sizeof(uint32_t));
  workspace->sort.pairs = cut(cutter, n, sizeof(uint64_t));
  workspace->sort.other_pairs = cut(cutter, n, sizeof(uint64_t));
}

static void cut_merge(memory_cutter *cutter, size_t n, dorm__merge_scratch *merge)
{
  enum { LEVELS = DORM__MOST_LEVELS };
  merge->runs.start = cut(cutter, LEVELS + 1, sizeof(uint32_t));
  merge->runs.docs = cut(cutter, n, sizeof(uint32_t));
  merge->runs.ranks = cut(cutter, n, sizeof(uint32_t));
  merge->runs.scores = cut(cutter, n, sizeof(double));
  merge->sequence = cut(cutter, n, 1);
  merge->score_at = cut(cutter, n, sizeof(double));
  merge->potential = cut(cutter, n, sizeof(double));
  merge->positions = cut(cutter, n, sizeof(uint32_t));
  merge->pairs.two_runs.left = cut(cutter, n + 1, sizeof(double));
  merge->pairs.two_runs.right = cut(cutter, n + 1, sizeof(double));
  merge->pairs.two_runs.left_position = cut(cutter, n + 1, sizeof(uint32_t));
  merge->pairs.two_runs.right_position = cut(cutter, n + 1, sizeof(uint32_t));
  merge->pairs.two_runs.argmax = cut(cutter, n + 1, sizeof(uint32_t));
  merge->pairs.a = cut(cutter, n, sizeof(double));
  merge->pairs.c = cut(cutter, n, sizeof(double));
  merge->pairs.places = cut(cutter, n, sizeof(uint32_t));
  merge->pairs.run_at = cut(cutter, n, 1);
  merge->pairs.merged = cut(cutter, LEVELS * LEVELS, sizeof(uint32_t));
  merge->pairs.changed = cut(cutter, LEVELS, sizeof(uint32_t));
  merge->cycles.parent = cut(cutter, n, sizeof(uint32_t));
  merge->cycles.visit = cut(cutter, n, sizeof(uint32_t));
  merge->cycles.next_run = cut(cutter, n, 1);
}

static void cut_moves(memory_cutter *cutter, size_t n, dorm__moves_scratch *moves)
{
  size_t blocks = n / DORM__MOVES_BLOCK + 1;
  double **const numbers[] = {&moves->score, &moves->gain,  &moves->potential,     &moves->base,
                              &moves->key,   &moves->start, &moves->position_price};
  uint32_t **const places[] = {&moves->docs,  &moves->parent,   &moves->visit, &moves->next,
                               &moves->lines, &moves->envelope, &moves->rank};
  double **const bounds[] = {&moves->low, &moves->high, &moves->most_gain};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    *numbers[i] = cut(cutter, n, sizeof(double));
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    *places[i] = cut(cutter, n, sizeof(uint32_t));
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
    *bounds[i] = cut(cutter, blocks, sizeof(double));
}

static size_t larger(size_t x, size_t y)
{
  return x > y ? x : y;
}

static void cut_general(memory_cutter *cutter, size_t n, dorm__shortest_path_scratch *paths,
                        dorm__hungarian_scratch *hungarian)
{
  paths->distance = hungarian->doc_label = cut(cutter, n, sizeof(double));
  paths->scanned_distance = hungarian->position_label = cut(cutter, n, sizeof(double));
  paths->doc_price = hungarian->slack = cut(cutter, n, sizeof(double));
  paths->position_price = cut(cutter, n, sizeof(double));
  paths->open_price = cut(cutter, n, sizeof(double));
  paths->from = cut(cutter, n, sizeof(double));
  paths->position_of = hungarian->position_of = cut(cutter, n, sizeof(uint32_t));
  paths->scanned = hungarian->slack_doc = cut(cutter, n, sizeof(uint32_t));
  hungarian->doc_in_tree = cut(cutter, n, 1);
  hungarian->position_in_tree = cut(cutter, n, 1);
}

static void cut_groups(memory_cutter *cutter, size_t n, dorm__group_scratch *groups)
{
  groups->used = cut(cutter, n, sizeof(uint32_t));
  groups->rest = cut(cutter, n, sizeof(uint32_t));
  groups->holder = cut(cutter, n, sizeof(uint32_t));
  groups->from = cut(cutter, n, sizeof(uint32_t));
  groups->by = cut(cutter, n, sizeof(uint32_t));
  groups->queue = cut(cutter, n, sizeof(uint32_t));
  groups->best = cut(cutter, n, sizeof(uint32_t));
  groups->best_worth = cut(cutter, n, sizeof(double));
  groups->gain = cut(cutter, n, sizeof(double));
  groups->is_queued = cut(cutter, n, 1);
}

/* Assigns the arrays. Methods that never work at the same time share memory. Returns the number of bytes. */
static size_t cut_memory(dorm__oracle_workspace *workspace)
{
  size_t n = workspace->max_docs;
  memory_cutter cutter = {.memory = workspace->memory};
  cut_sort(&cutter, n, workspace);
  memory_cutter merge = cutter, general = cutter, groups = cutter, moves = cutter;
  cut_merge(&merge, n, &workspace->merge);
  cut_general(&general, n, &workspace->shortest_path, &workspace->hungarian);
  cut_groups(&groups, n, &workspace->groups);
  cut_moves(&moves, n, &workspace->moves);
  return larger(larger(merge.used, moves.used), larger(groups.used, general.used));
}

dorm_status dorm__oracle_workspace_new(dorm_context *context, size_t max_docs, dorm__oracle_workspace **workspace)
{
  *workspace = NULL;
  if (max_docs >= DORM__NO_DOC)
    return dorm__fail(context, DORM_BAD_USAGE, "oracle: %zu documents in one query are too many", max_docs);
  dorm__oracle_workspace *made = dorm__alloc_zero(1, sizeof *made);
  if (made) {
    made->max_docs = max_docs;
    made->most_sweeps = DORM__MOST_SWEEPS;
#ifdef DORM_CHECK_ORACLES
    made->is_checking = true;
#endif
    made->memory = dorm__alloc(cut_memory(made), 1);
  }
  if (!made || !made->memory) {
    dorm__oracle_workspace_free(made);
    return dorm__out_of_memory(context, "the workspace of an oracle");
  }
  cut_memory(made);
  *workspace = made;
  return DORM_OK;
}

void dorm__oracle_workspace_free(dorm__oracle_workspace *workspace)
{
  if (!workspace)
    return;
  dorm__free(workspace->memory);
  dorm__free(workspace);
}

void dorm__oracle_workspace_set_check(dorm__oracle_workspace *workspace, bool is_on)
{
  workspace->is_checking = is_on;
}

double dorm__oracle_excess(const dorm__oracle_workspace *workspace)
{
  return workspace->excess;
}

const char *dorm__oracle_failure(const dorm__oracle_workspace *workspace, dorm_status *status)
{
  *status = workspace->failed;
  return workspace->failure;
}

const dorm__oracle_counts *dorm__oracle_workspace_counts(const dorm__oracle_workspace *workspace)
{
  return &workspace->counts;
}
