/* moves.c: the best ranking by improving moves, even if all gains b are distinct.
 *
 * As in runs/certificate.c, nodes are positions, and the arc x -> y gains what the document at x gains by moving to y.
 * A ranking is optimal exactly when potentials d exist with d[y] >= d[x] + w(x, y) for all x and y. Equivalently, no
 * line y -> base + c[y] g - a[y] b of a document is above d. Here all arcs count, and three ideas make that cheap:
 *
 * 1. In the tail a is constant, and documents are in the order of their scores. Arcs between neighbours are sufficient
 *    there (the lemma of runs/certificate.c, with the tail as one run). Lines of the head depend only on c in the tail,
 *    so only their upper envelope counts.
 * 2. In the head, blocks of lines are skipped by a bound. The maximum of some lines is convex in (a, c). So between two
 *    positions it is below the chord, up to the largest |b| times the distance of a from the chord at that c.
 * 3. The first ranking takes for each position of the head the document that is worth most there by local falls of a
 *    and c. It is optimal or only a few moves away. Potentials start at midpoints.
 *
 * Sweeps raise potentials until nothing is raised, which is the proof, or until arcs that raised them form a cycle. Its
 * moves improve the ranking and are made. A sweep takes O(num_docs) steps for each DORM__MOVES_BLOCK positions of the
 * head if the bounds hold, and O(num_docs) for each position at worst. Filling the head takes O(num_docs) for each
 * position. The number of sweeps has no polynomial bound, so most_sweeps limits it, and the caller then uses another
 * method. */
#include "assignment/plan.h"
#include "assignment/runs/runs.h"

#include <math.h>
#include <string.h>

enum { BLOCK = DORM__MOVES_BLOCK, LANES = 8, STRETCH = 64 };

/* The bound of a block whose lines were raised after it was computed. */
static const double NO_BOUND = 1e307;

typedef struct moves_task {
  const dorm__oracle_call *call;
  const dorm__ranked *ranked;
  const dorm__moves_scratch *s;
  size_t count, head; /* number of positions, and of positions before the tail */
  double tail_a, tolerance;
  size_t num_lines; /* of the tail's envelope */
  bool raised;
} moves_task;

/* ---- The first ranking ------------------------------------------------------ */

/* Fills key with fall_of_c score - fall_of_a gain. Returns the first place of the maximum. */
DORM__WIDE_VECTORS
static size_t most_worth(size_t count, const double *restrict score, const double *restrict gain, double fall_of_c,
                         double fall_of_a, double *restrict key)
{
  double most[LANES];
  for (size_t lane = 0; lane < LANES; lane++)
    most[lane] = -INFINITY;
  size_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (size_t lane = 0; lane < LANES; lane++) {
      double value = fall_of_c * score[i + lane] - fall_of_a * gain[i + lane];
      key[i + lane] = value;
      most[lane] = value > most[lane] ? value : most[lane];
    }
  for (; i < count; i++) {
    key[i] = fall_of_c * score[i] - fall_of_a * gain[i];
    most[0] = key[i] > most[0] ? key[i] : most[0];
  }
  for (size_t lane = 1; lane < LANES; lane++)
    most[0] = most[lane] > most[0] ? most[lane] : most[0];
  for (size_t start = 0; start < count; start += STRETCH) {
    size_t end = start + STRETCH < count ? start + STRETCH : count;
    int64_t is_here = 0;
    for (size_t j = start; j < end; j++)
      is_here |= key[j] == most[0];
    for (size_t j = start; is_here && j < end; j++)
      if (key[j] == most[0])
        return j;
  }
  return 0;
}

/* Fills the tail with the documents that are not in the head, by falling score. */
static void fill_tail(moves_task *task)
{
  const dorm__moves_scratch *s = task->s;
  memset(s->visit, 0, task->count * sizeof *s->visit);
  for (size_t p = 0; p < task->head; p++)
    s->visit[s->docs[p]] = 1;
  size_t p = task->head, line = 0;
  for (size_t i = 0; i < task->count; i++)
    if (!s->visit[task->ranked->docs[i]])
      s->docs[p++] = task->ranked->docs[i];
  /* The head's documents by falling score: s->parent is free until the sweeps. */
  for (size_t x = 0; x < task->head; x++)
    s->parent[s->docs[x]] = (uint32_t)x;
  for (size_t i = 0; i < task->count; i++)
    if (s->visit[task->ranked->docs[i]])
      s->lines[line++] = s->parent[task->ranked->docs[i]];
}

/* base, score and next hold the unordered list of the remaining documents. */
static void fill_head(moves_task *task)
{
  const dorm__moves_scratch *s = task->s;
  const double *a = task->call->a, *c = task->call->c;
  size_t left = task->count;
  for (size_t i = 0; i < left; i++) {
    uint32_t doc = task->ranked->docs[i];
    s->next[i] = doc;
    s->score[i] = task->ranked->scores[i] - task->ranked->offset;
    s->base[i] = task->call->t * task->call->b[doc];
    s->rank[doc] = (uint32_t)i;
  }
  for (size_t p = 0; p < task->head; p++) {
    bool is_last = p + 1 == task->count;
    size_t i =
        most_worth(left, s->score, s->base, is_last ? 1 : c[p] - c[p + 1], is_last ? 0 : a[p] - a[p + 1], s->key);
    s->docs[p] = s->next[i];
    left--;
    s->next[i] = s->next[left];
    s->score[i] = s->score[left];
    s->base[i] = s->base[left];
  }
  fill_tail(task);
}

/* ---- Lines and bounds --------------------------------------------------------- */

static void set_base(const moves_task *task, size_t x)
{
  const dorm__moves_scratch *s = task->s;
  s->base[x] = s->potential[x] - task->call->c[x] * s->score[x] + task->call->a[x] * s->gain[x];
}

/* Sets scores, gains, midpoints as potentials, and lines of the current ranking. */
static void start_phase(moves_task *task)
{
  const dorm__moves_scratch *s = task->s;
  const double *a = task->call->a, *c = task->call->c;
  for (size_t p = 0; p < task->count; p++) {
    uint32_t doc = s->docs[p];
    s->score[p] = task->ranked->scores[s->rank[doc]] - task->ranked->offset;
    s->gain[p] = task->call->t * task->call->b[doc];
  }
  s->potential[0] = 0;
  for (size_t p = 1; p < task->count; p++)
    s->potential[p] = s->potential[p - 1] + 0.5 * ((c[p] - c[p - 1]) * (s->score[p - 1] + s->score[p]) -
                                                   (a[p] - a[p - 1]) * (s->gain[p - 1] + s->gain[p]));
  for (size_t start = 0, block = 0; start < task->count; start += BLOCK, block++) {
    double most_gain = 0;
    for (size_t p = start; p < start + BLOCK && p < task->count; p++) {
      set_base(task, p);
      most_gain = fabs(s->gain[p]) > most_gain ? fabs(s->gain[p]) : most_gain;
    }
    s->most_gain[block] = most_gain;
  }
  memset(s->parent, 0xff, task->count * sizeof *s->parent); /* DORM__NO_DOC */
}

/* Raises the potential of y, to which the document at x should move. */
static void raise_potential(moves_task *task, size_t x, size_t y, double potential)
{
  task->s->potential[y] = potential;
  task->s->parent[y] = (uint32_t)x;
  task->s->low[y / BLOCK] = task->s->high[y / BLOCK] = NO_BOUND;
  task->raised = true;
  set_base(task, y);
}

/* Sets most[block] to the highest line of the block at a and c. */
DORM__WIDE_VECTORS
static void find_highest(size_t count, const double *restrict base, const double *restrict score,
                         const double *restrict gain, double a, double c, double *restrict most)
{
  size_t start = 0;
  for (; start + BLOCK <= count; start += BLOCK) {
    double highest[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
      size_t i = start + lane, k = i + LANES;
      double x = base[i] + (c * score[i] - a * gain[i]), y = base[k] + (c * score[k] - a * gain[k]);
      highest[lane] = x > y ? x : y;
    }
    for (size_t lane = 1; lane < LANES; lane++)
      highest[0] = highest[lane] > highest[0] ? highest[lane] : highest[0];
    most[start / BLOCK] = highest[0];
  }
  if (start < count)
    most[start / BLOCK] = -INFINITY;
  for (size_t i = start; i < count; i++)
    most[start / BLOCK] = fmax(most[start / BLOCK], base[i] + (c * score[i] - a * gain[i]));
}

/* Returns the position of the highest line of a block at y if it is above *highest, and updates *highest. Otherwise
 * returns `best`. */
static size_t look_at_block(const moves_task *task, size_t block, size_t y, size_t best, double *highest)
{
  const dorm__moves_scratch *s = task->s;
  double a = task->call->a[y], c = task->call->c[y];
  size_t end = (block + 1) * BLOCK < task->count ? (block + 1) * BLOCK : task->count;
  for (size_t x = block * BLOCK; x < end; x++) {
    double value = s->base[x] + (c * s->score[x] - a * s->gain[x]);
    if (value > *highest && x != y) {
      *highest = value;
      best = x;
    }
  }
  return best;
}

/* Raises position y of the head, between positions `first` and `last`. low and high are the highest lines there. */
static void look_at_position(moves_task *task, size_t first, size_t last, size_t y)
{
  const dorm__moves_scratch *s = task->s;
  const double *a = task->call->a, *c = task->call->c;
  double span_a = a[first] - a[last], span_c = c[first] - c[last];
  double share = span_c > 0 ? (c[first] - c[y]) / span_c : span_a > 0 ? (a[first] - a[y]) / span_a : 0;
  double off_a = fabs(a[first] - a[y] - share * span_a); /* distance from a of c, 0 on the chord */
  double highest = s->potential[y] + task->tolerance;
  size_t best = task->count, blocks = (task->count + BLOCK - 1) / BLOCK;
  for (size_t block = 0; block < blocks; block++) {
    double bound = (1 - share) * s->low[block] + share * s->high[block] + off_a * s->most_gain[block];
    if (bound > highest)
      best = look_at_block(task, block, y, best, &highest);
  }
  if (best < task->count)
    raise_potential(task, best, y, highest);
}

static void sweep_head(moves_task *task, bool upwards)
{
  const dorm__moves_scratch *s = task->s;
  size_t blocks = (task->head + BLOCK - 1) / BLOCK;
  for (size_t i = 0; i < blocks; i++) {
    size_t first = (upwards ? blocks - 1 - i : i) * BLOCK;
    size_t last = (first + BLOCK < task->head ? first + BLOCK : task->head) - 1;
    find_highest(task->count, s->base, s->score, s->gain, task->call->a[first], task->call->c[first], s->low);
    find_highest(task->count, s->base, s->score, s->gain, task->call->a[last], task->call->c[last], s->high);
    for (size_t k = 0; k <= last - first; k++)
      look_at_position(task, first, last, upwards ? last - k : first + k);
  }
}

/* ---- The tail ------------------------------------------------------------------- */

/* The line of the document at x in the tail, in which a is constant, is level + c score. */
static double level_of_line(const moves_task *task, size_t x)
{
  return task->s->base[x] - task->tail_a * task->s->gain[x];
}

/* The upper envelope of the head's lines over c: line i is the highest from start[i] down to start[i + 1]. */
static void draw_envelope(moves_task *task)
{
  const dorm__moves_scratch *s = task->s;
  size_t count = 0;
  for (size_t i = 0; i < task->head; i++) {
    uint32_t x = s->lines[i];
    double level = level_of_line(task, x), start = INFINITY;
    while (count > 0) {
      uint32_t above = s->envelope[count - 1];
      double steeper = s->score[above] - s->score[x], rise = level - level_of_line(task, above);
      start = steeper > 0 ? rise / steeper : rise > 0 ? INFINITY : -INFINITY;
      if (start < s->start[count - 1])
        break;
      count--;
      start = INFINITY;
    }
    if (start > -INFINITY) {
      s->start[count] = start;
      s->envelope[count++] = x;
    }
  }
  task->num_lines = count;
}

/* Sweeps down over lines of the head and of the neighbour above, then up over lines of the neighbour below. */
static void sweep_tail(moves_task *task)
{
  const dorm__moves_scratch *s = task->s;
  const double *c = task->call->c;
  draw_envelope(task);
  for (size_t y = task->head, line = 0; y < task->count; y++) {
    while (line + 1 < task->num_lines && c[y] <= s->start[line + 1])
      line++;
    size_t best = task->num_lines ? s->envelope[line] : y - 1;
    double highest = task->num_lines ? level_of_line(task, best) + c[y] * s->score[best] : -INFINITY;
    double by_neighbour = y > task->head ? s->potential[y - 1] + (c[y] - c[y - 1]) * s->score[y - 1] : -INFINITY;
    if (by_neighbour > highest) {
      highest = by_neighbour;
      best = y - 1;
    }
    if (highest > s->potential[y] + task->tolerance)
      raise_potential(task, best, y, highest);
  }
  for (size_t y = task->count; y-- > task->head + 1;) {
    double value = s->potential[y] + (c[y - 1] - c[y]) * s->score[y];
    if (value > s->potential[y - 1] + task->tolerance)
      raise_potential(task, y, y - 1, value);
  }
}

/* ---- Cycles ----------------------------------------------------------------------- */

/* Fills next with the moves of disjoint cycles of parents. Returns the number of cycles. */
static size_t find_cycles(const moves_task *task)
{
  const dorm__moves_scratch *s = task->s;
  size_t found = 0;
  memset(s->visit, 0, task->count * sizeof *s->visit);
  memset(s->next, 0xff, task->count * sizeof *s->next); /* DORM__NO_DOC */
  for (size_t start = 0; start < task->count; start++) {
    uint32_t mark = (uint32_t)start + 1, z = (uint32_t)start;
    while (z != DORM__NO_DOC && s->visit[z] == 0) {
      s->visit[z] = mark;
      z = s->parent[z];
    }
    if (z == DORM__NO_DOC || s->visit[z] != mark)
      continue;
    uint32_t on_cycle = z;
    do {
      s->next[s->parent[z]] = z;
      z = s->parent[z];
    } while (z != on_cycle);
    found++;
  }
  return found;
}

static void make_moves(moves_task *task)
{
  const dorm__moves_scratch *s = task->s;
  memcpy(s->visit, s->docs, task->count * sizeof *s->visit);
  for (size_t x = 0; x < task->count; x++)
    if (s->next[x] != DORM__NO_DOC)
      s->docs[s->next[x]] = s->visit[x];
  fill_tail(task);
}

/* ---- Result ------------------------------------------------------------------------- */

/* Writes the ranking. Documents of equal b share their positions in the order of their scores. */
static void write_order(const moves_task *task, const dorm__equals *equals, uint32_t *order)
{
  const dorm__moves_scratch *s = task->s;
  uint32_t *position = s->visit, *next = s->next;
  memcpy(next, equals->start, equals->count * sizeof *next);
  for (size_t p = 0; p < task->count; p++)
    position[next[equals->group_of[s->docs[p]]]++] = (uint32_t)p;
  memcpy(next, equals->start, equals->count * sizeof *next);
  for (size_t i = 0; i < task->count; i++) {
    uint32_t doc = task->ranked->docs[i];
    order[position[next[equals->group_of[doc]]++]] = doc;
  }
}

void dorm__moves_prices(const dorm__oracle_call *call, double offset, const uint32_t *order,
                        const dorm__moves_scratch *s)
{
  for (size_t p = 0; p < call->num_docs; p++) {
    s->position_price[p] = s->potential[p] + call->c[p] * offset;
    s->key[order[p]] = dorm__oracle_gain(call, order[p], p) - s->position_price[p];
  }
}

bool dorm__moves_solve(const dorm__oracle_call *call, const dorm__equals *equals, const dorm__search_limits *limits,
                       const dorm__ranked *ranked, const dorm__moves_scratch *scratch, uint32_t *order)
{
  moves_task task = {.call = call,
                     .ranked = ranked,
                     .s = scratch,
                     .count = call->num_docs,
                     .head = limits->truncation < call->num_docs ? limits->truncation : call->num_docs,
                     .tail_a = call->a[call->num_docs - 1],
                     .tolerance = limits->tolerance};
  fill_head(&task);
  start_phase(&task);
  for (size_t sweeps = 0; sweeps < limits->most_sweeps; sweeps++) {
    task.raised = false;
    sweep_head(&task, false);
    sweep_tail(&task);
    if (!task.raised) {
      write_order(&task, equals, order);
      return true;
    }
    sweep_head(&task, true);
    if (find_cycles(&task) > 0) {
      make_moves(&task);
      start_phase(&task);
    }
  }
  return false;
}
