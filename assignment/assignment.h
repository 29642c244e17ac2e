/*
 * assignment.h: the oracle. For one query, over all rankings,
 *
 *   maximise  sum_j  c[rank[j]] g[j] + t cost[j][rank[j]]
 *
 * with cost[j][p] = -a[p] b[j] in the product form, or a given matrix in the
 * general one. t = 1 gives the most violated ranking, t = -mu a reference
 * ranking, t = 0 the prediction. This room sees arrays and nothing of losses
 * or data.
 */
#ifndef DORM_ASSIGNMENT_ASSIGNMENT_H
#define DORM_ASSIGNMENT_ASSIGNMENT_H

#include "base/base.h"

typedef enum dorm__oracle_method {
  DORM__ORACLE_AUTO,
  DORM__ORACLE_SORT,          /* a affine in c, or b constant */
  DORM__ORACLE_RUNS,          /* few distinct values of b: a merge of sorted runs */
  DORM__ORACLE_TOP_K,         /* the same and a constant from a small position on */
  DORM__ORACLE_SHORTEST_PATH, /* any costs */
  DORM__ORACLE_HUNGARIAN,     /* any costs; the plain reference */
  /* with groups (groups.c): not to be asked for by name */
  DORM__ORACLE_GROUP_SORT,       /* a affine in c: the best of each group by one key */
  DORM__ORACLE_GROUP_ASSIGNMENT, /* groups to positions, where all positions behind are alike */
  DORM__ORACLE_LP,               /* GLPK's linear programme */
  DORM__ORACLE_MIP,              /* GLPK's mixed-integer programme */
  DORM__NUM_ORACLE_METHODS,
  DORM__NUM_PLAIN_ORACLE_METHODS = DORM__ORACLE_GROUP_SORT
} dorm__oracle_method;

/* What stays the same between the calls for one query: its tables, borrowed,
 * and what they allow. Immutable once made: any number of threads may solve
 * with one plan, each with a workspace of its own. */
typedef struct dorm__oracle_plan dorm__oracle_plan;

/* Tables that plans share: those of one loss over all queries, for instance.
 * Filled while plans are made, by several threads where it has to be; must outlive
 * the plans. */
typedef struct dorm__oracle_cache dorm__oracle_cache;
dorm_status dorm__oracle_cache_new(dorm_context *context, dorm__oracle_cache **cache);
void dorm__oracle_cache_free(dorm__oracle_cache *cache);

/* a, b, c [num_docs]: a and c non-increasing. DORM_BAD_USAGE when `method` is
 * not exact for these tables. */
dorm_status dorm__oracle_plan_new(dorm_context *context, dorm__oracle_cache *cache, dorm__oracle_method method,
                                  size_t num_docs, const double *a, const double *b, const double *c,
                                  dorm__oracle_plan **plan);
/* General form: cost[num_docs][num_docs], cost[j][p]. */
dorm_status dorm__oracle_plan_new_general(dorm_context *context, dorm__oracle_method method, size_t num_docs,
                                          const double *cost, const double *c, dorm__oracle_plan **plan);
void dorm__oracle_plan_free(dorm__oracle_plan *plan);
dorm__oracle_method dorm__oracle_plan_method(const dorm__oracle_plan *plan);

/* Documents that may not crowd the first positions (the paper, section 5.1):
 * among positions 0 .. top - 1 the weights of each group's documents add up to
 * at most `capacity`. All arrays are borrowed; a group has a document at least,
 * and holds each once. */
typedef struct dorm__oracle_groups {
  size_t top; /* n */
  double capacity;
  size_t num_groups;
  const uint32_t *start; /* [num_groups + 1] into docs and weights */
  const uint32_t *docs;
  const double *weights; /* > 0; NULL: 1 each */
} dorm__oracle_groups;

typedef enum dorm__group_method {
  DORM__GROUPS_AUTO,     /* the cheapest exact one */
  DORM__GROUPS_SHORTCUT, /* by sorting or by assignment; needs no GLPK */
  DORM__GROUPS_LP,
  DORM__GROUPS_MIP,
  DORM__NUM_GROUP_METHODS
} dorm__group_method;
const char *dorm__group_method_name(dorm__group_method method); /* "auto", "shortcut", ...; static */

/* From now on the plan's rankings respect the groups. Where fewer than `top`
 * documents can stand together, *top becomes how many can: the groups then hold
 * for that many positions. DORM_BAD_USAGE when the method is not exact here, or
 * not there without GLPK; DORM_BAD_DATA when no document may stand in the first
 * position. A mixed-integer programme ends after `seconds` (0: never) with the
 * best it has. Plans with groups allocate while they solve by LP or MIP. */
dorm_status dorm__oracle_plan_add_groups(dorm_context *context, dorm__oracle_plan *plan,
                                         const dorm__oracle_groups *groups, dorm__group_method method, double seconds,
                                         size_t *top);
/* Whether no document is in two groups and weights are equal within each. */
dorm_status dorm__groups_are_disjoint(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs,
                                      bool *result);
/* Whether a ranking of num_docs documents respects groups. */
bool dorm__groups_allow(const dorm__oracle_groups *groups, size_t num_docs, const uint32_t *order);
/* What the weights in front may add up to: rounding may take them above the capacity. */
static inline double dorm__groups_limit(const dorm__oracle_groups *groups)
{
  return groups->capacity * (1 + 1e-6);
}
bool dorm__has_glpk(void);

/* Scratch space of one thread, for queries of up to max_docs documents: about
 * 130 bytes a document, and 1 MB at least. */
typedef struct dorm__oracle_workspace dorm__oracle_workspace;
dorm_status dorm__oracle_workspace_new(dorm_context *context, size_t max_docs, dorm__oracle_workspace **workspace);
void dorm__oracle_workspace_free(dorm__oracle_workspace *workspace);

/* g [num_docs]. order [num_docs] becomes the best ranking: document order[p] at
 * position p. In the product form, documents of equal b stand in the order of
 * their scores, ties in document order, as far as positions differ in c or a.
 * *value (may be NULL) is what the
 * ranking is worth. DORM_NUMERICAL_FAILURE when a score is not finite
 * or so large that the value may overflow, DORM_BAD_USAGE when the workspace is
 * too small; order is then untouched. Does not allocate. */
dorm_status dorm__oracle_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const double *g,
                               double t, uint32_t *order, double *value);
/* By how much another ranking may be worth more than the one just found: 0
 * unless a mixed-integer programme stopped at its limit. */
double dorm__oracle_excess(const dorm__oracle_workspace *workspace);
/* Why a programme failed and its status, "" before; owned by the workspace. */
const char *dorm__oracle_failure(const dorm__oracle_workspace *workspace, dorm_status *status);

/* Calls so far by the method that found the ranking (where merging runs gave up
 * that is shortest-path). */
typedef struct dorm__oracle_counts {
  uint64_t calls[DORM__NUM_ORACLE_METHODS];
  dorm__oracle_method last; /* of the latest */
  uint64_t failed_checks;
  uint64_t unproved; /* rankings of programmes that stopped at their limit */
} dorm__oracle_counts;
const dorm__oracle_counts *dorm__oracle_workspace_counts(const dorm__oracle_workspace *workspace);
/* On: every ranking is proved anew (check.c), O(levels num_docs) for the methods
 * that sort, O(num_docs^2) for the others, and a call whose ranking is not the
 * best ends with DORM_NUMERICAL_FAILURE and counts as a failed check. On from
 * the start in builds with --enable-sanitizers. */
void dorm__oracle_workspace_set_check(dorm__oracle_workspace *workspace, bool is_on);
enum { DORM__MOST_SWEEPS = 3000 };
/* Sweeps of cycle cancelling that a merge of runs may take before shortest paths
 * replace it; only tests change it. */
void dorm__oracle_workspace_set_most_sweeps(dorm__oracle_workspace *workspace, size_t most_sweeps);

/* "auto", "sort", ...; static. */
const char *dorm__oracle_method_name(dorm__oracle_method method);

/* ---- Within the room: one call, as the methods see it ---------------------- */

enum { DORM__NO_DOC = UINT32_MAX };

/* One call of the oracle; all arrays [num_docs] but cost. */
typedef struct dorm__oracle_call {
  size_t num_docs;
  const double *a; /* product form, else NULL */
  const double *b;
  const double *cost; /* general form, else NULL: [num_docs][num_docs] */
  const double *c;
  const double *g;
  double t;
} dorm__oracle_call;

/* What document j is worth at position p. */
static inline double dorm__oracle_gain(const dorm__oracle_call *call, size_t j, size_t p)
{
  double cost = call->cost ? call->cost[j * call->num_docs + p] : -call->a[p] * call->b[j];
  return call->c[p] * call->g[j] + call->t * cost;
}

/* ---- levels.c: documents grouped by gain ----------------------------------- */

enum { DORM__MOST_LEVELS = 64 };

typedef struct dorm__levels {
  size_t count;      /* 0: too many */
  double *gain;      /* [count] the distinct values of b, as they first come */
  uint32_t *size;    /* [count] documents of each */
  uint8_t *level_of; /* [num_docs] */
} dorm__levels;

/* Fills level_of [num_docs] and the first of gain and size [DORM__MOST_LEVELS];
 * returns the number of levels, 0 when there are more than DORM__MOST_LEVELS.
 * O(num_docs levels). */
size_t dorm__levels_find(size_t num_docs, const double *b, uint8_t *level_of, double *gain, uint32_t *size);

/* ---- two_runs.c: the best merge of two runs -------------------------------- */

typedef struct dorm__two_runs {
  size_t count[2];         /* documents of each run */
  const double *scores[2]; /* falling */
  double gain_difference;  /* of run 0 over run 1 */
  const double *a, *c;     /* of the positions, [count[0] + count[1]] */
} dorm__two_runs;

typedef struct dorm__two_runs_scratch {
  double *left, *right;                              /* [max_docs + 1] */
  uint32_t *left_position, *right_position, *argmax; /* [max_docs + 1] */
} dorm__two_runs_scratch;

/* run_at [count[0] + count[1]] becomes the run, 0 or 1, at each position. */
void dorm__two_runs_merge(const dorm__two_runs *runs, const dorm__two_runs_scratch *scratch, uint8_t *run_at);

/* ---- merging runs of several levels ---------------------------------------- */

/* A merge in the making over positions 0 .. count - 1. */
typedef struct dorm__merge {
  size_t count;
  size_t num_runs;
  const double *a, *c;                     /* [count] */
  double gain[DORM__MOST_LEVELS];          /* t b of a run */
  const double *scores[DORM__MOST_LEVELS]; /* of a run, falling */
  uint32_t length[DORM__MOST_LEVELS];      /* documents of a run within the positions */
  double tolerance;                        /* improvements below are rounding */
  uint8_t *sequence;                       /* [count] the run at a position: what is sought */
  double *score_at;                        /* [count] of the document at a position */
  double *potential;                       /* [count] */
  uint32_t *positions;                     /* [count] positions of run q, rising, from first[q] on */
  uint32_t first[DORM__MOST_LEVELS + 1];
} dorm__merge;

/* Positions whose potential is too low for some arc. */
typedef struct dorm__violations {
  size_t count;
  size_t lowest, highest;
} dorm__violations;

/* certificate.c */
void dorm__merge_refresh(dorm__merge *merge);
void dorm__merge_midpoints(dorm__merge *merge);
dorm__violations dorm__merge_violations(const dorm__merge *merge);
bool dorm__merge_raise(dorm__merge *merge);

/* pair_merges.c */
typedef struct dorm__pair_scratch {
  dorm__two_runs_scratch two_runs;
  double *a, *c;              /* [max_docs] */
  uint32_t *places;           /* [max_docs] */
  uint8_t *run_at;            /* [max_docs] */
  uint32_t *merged, *changed; /* [DORM__MOST_LEVELS^2], [DORM__MOST_LEVELS]: rounds */
} dorm__pair_scratch;
void dorm__merge_pairs(dorm__merge *merge, const dorm__pair_scratch *scratch, size_t *first, size_t *end);

/* cycles.c */
typedef struct dorm__cycle_scratch {
  uint32_t *parent, *visit; /* [max_docs] */
  uint8_t *next_run;        /* [max_docs] */
} dorm__cycle_scratch;
bool dorm__merge_cancel_cycles(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps);
/* True when the merge as it is can be proved to be the best. */
bool dorm__merge_is_proved(dorm__merge *merge, const dorm__cycle_scratch *scratch, size_t most_sweeps);

/* The documents of each level by falling score: those of run q from start[q]
 * on. */
typedef struct dorm__runs {
  uint32_t *start; /* [DORM__MOST_LEVELS] */
  uint32_t *docs;  /* [num_docs] */
  double *scores;  /* [num_docs] */
} dorm__runs;

/* merge_runs.c: exact for few levels. */
typedef struct dorm__merge_scratch {
  dorm__runs runs;
  uint8_t *sequence;
  double *score_at, *potential;
  uint32_t *positions;
  dorm__pair_scratch pairs;
  dorm__cycle_scratch cycles;
} dorm__merge_scratch;

/* The documents by falling score, as the merging methods get them. */
typedef struct dorm__ranked {
  const uint32_t *docs;
  const double *scores;
  double offset; /* to take off the scores: they should be small */
} dorm__ranked;

/* One call of dorm__merge_runs_solve. */
typedef struct dorm__merge_job {
  const dorm__oracle_call *call;
  const dorm__levels *levels;
  const dorm__ranked *ranked;
  const dorm__merge_scratch *scratch;
  size_t truncation;
  size_t most_sweeps;
  dorm__merge merge;
  uint32_t size[DORM__MOST_LEVELS];  /* documents of a run, also behind the window */
  uint32_t found[DORM__MOST_LEVELS]; /* of these in scratch->runs so far */
  size_t next_rank;                  /* of the ranked list, to be put into its run */
} dorm__merge_job;

/* greedy_merge.c: documents of ranks up to `end` are put into their runs;
 * sequence[0 .. end - 1] is filled, true when that is the best; positions from
 * `head` to the window's end get what is left by score. */
void dorm__merge_find_ranks(dorm__merge_job *job, size_t end);
bool dorm__merge_greedily(dorm__merge_job *job, size_t end);
void dorm__merge_fill_by_score(dorm__merge_job *job, size_t head);

/* truncated_tail.c */
bool dorm__merge_tail_is_proved(const dorm__merge_job *job);
void dorm__merge_write_order(const dorm__merge_job *job, uint32_t *order);

/* order becomes the best ranking. False, and order undefined, when
 * `most_sweeps` of cycle cancelling did not suffice. `truncation`: a is
 * constant from there on. */
bool dorm__merge_runs_solve(const dorm__oracle_call *call, const dorm__levels *levels, size_t truncation,
                            double tolerance, size_t most_sweeps, const dorm__ranked *ranked,
                            const dorm__merge_scratch *scratch, uint32_t *order);

/* ---- top_k.c: exact where a is constant from position k on ------------------ */

enum {
  DORM__MOST_TOP_K = 128,
  DORM__MOST_TOP_K_CANDIDATES = 256, /* levels times k */
  DORM__MOST_TOP_K_STATES = 60000
};

/* What depends on the numbers of levels and positions alone; immutable. */
typedef struct dorm__top_k_states {
  size_t num_levels, num_positions; /* K and k */
  size_t count;
  size_t *layer_start; /* [k + 2]: states with n_1 + .. + n_K = s are layer_start[s] .. */
  uint16_t *previous;  /* [count][K]: the state with n_q one less; `count` where n_q = 0 */
  uint8_t *taken;      /* [count][K]: n_q */
} dorm__top_k_states;
/* C(num_positions + num_levels, num_levels), or 0 where that is too many. */
size_t dorm__top_k_num_states(size_t num_levels, size_t num_positions);
/* Of possible numbers. About 3 bytes a state and level. */
dorm_status dorm__top_k_states_new(dorm_context *context, size_t num_levels, size_t num_positions,
                                   dorm__top_k_states **states);
void dorm__top_k_states_free(dorm__top_k_states *states);
/* The same once for all who ask the cache. */
dorm_status dorm__top_k_states_cached(dorm_context *context, dorm__oracle_cache *cache, size_t num_levels,
                                      size_t num_positions, const dorm__top_k_states **states);

typedef struct dorm__top_k_scratch {
  double *values;           /* [DORM__MOST_TOP_K_STATES + 1] */
  double *gains;            /* [DORM__MOST_TOP_K_CANDIDATES + DORM__MOST_LEVELS] */
  double *before, *behind;  /* [DORM__MOST_TOP_K_CANDIDATES][k + 1] */
  uint32_t *candidate_rank; /* [DORM__MOST_TOP_K_CANDIDATES + 1] */
  uint16_t *candidate_of;   /* [DORM__MOST_TOP_K_CANDIDATES] */
} dorm__top_k_scratch;

/* Fewer positions than documents. */
void dorm__top_k_solve(const dorm__oracle_call *call, const dorm__levels *levels, const dorm__top_k_states *states,
                       const dorm__ranked *ranked, const dorm__top_k_scratch *scratch, uint32_t *order);

/* ---- shortest_path.c: exact for any costs ---------------------------------- */

typedef struct dorm__shortest_path_scratch {
  double *distance, *scanned_distance, *doc_price, *position_price, *open_price; /* [max_docs] */
  double *from;                    /* [max_docs] documents, as vector units select them together with distances */
  uint32_t *position_of, *scanned; /* [max_docs] */
} dorm__shortest_path_scratch;

/* O(num_docs^3) time, linear memory. */
void dorm__shortest_path_solve(const dorm__oracle_call *call, const dorm__shortest_path_scratch *scratch,
                               uint32_t *order);

/* ---- hungarian.c: exact for any costs, the reference ----------------------- */

typedef struct dorm__hungarian_scratch {
  double *doc_label, *position_label, *slack; /* [max_docs] */
  uint32_t *slack_doc, *position_of;          /* [max_docs] */
  uint8_t *doc_in_tree, *position_in_tree;    /* [max_docs] */
} dorm__hungarian_scratch;

/* O(num_docs^3) time, linear memory. */
void dorm__hungarian_solve(const dorm__oracle_call *call, const dorm__hungarian_scratch *scratch, uint32_t *order);

/* ---- groups.c: plans with groups -------------------------------------------- */

typedef struct dorm__group_plan {
  dorm__oracle_groups groups; /* top: what can be filled */
  dorm__oracle_method method;
  bool is_free;       /* t = 0 may be sorted */
  bool is_disjoint;   /* and of equal weights: room counts documents */
  size_t flat_from;   /* >= top, < num_docs: from there on all positions are alike, for every document */
  uint32_t *group_of; /* [num_docs]; documents without a group are numbered on behind the groups */
  uint32_t *room;     /* [num_docs] documents that a group may have in front */
  uint32_t *in_front; /* [top] documents that can stand there together; NULL where is_disjoint */
  double seconds;
} dorm__group_plan;

void dorm__group_plan_free(dorm__group_plan *plan);

/* Scratch, [max_docs] each. */
typedef struct dorm__group_scratch {
  uint32_t *used;   /* documents in front, by group */
  uint32_t *rest;   /* documents that stand behind */
  uint32_t *holder; /* position of a document, or DORM__NO_DOC */
  uint32_t *from, *by, *queue;
  uint32_t *best; /* of the free documents of a full group */
  double *best_worth;
  double *gain; /* by position */
  uint8_t *is_queued;
} dorm__group_scratch;

/* One call with groups. DORM_BAD_DATA when a programme failed. */
dorm_status dorm__groups_solve(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                               const dorm__oracle_call *call, uint32_t *order, dorm__oracle_method *method);
bool dorm__groups_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order);

/* ---- group_assignment.c -------------------------------------------------------- */

/* What document j is worth at position p more than at position `behind`. */
static inline double dorm__worth_in_front(const dorm__oracle_call *call, size_t behind, size_t p, size_t j)
{
  double score = (call->c[p] - call->c[behind]) * call->g[j];
  if (!call->cost)
    return score - call->t * (call->a[p] - call->a[behind]) * call->b[j];
  const double *cost = call->cost + j * call->num_docs;
  return score + call->t * (cost[p] - cost[behind]);
}

/* Fills order [num_docs], of disjoint groups, positions behind `top` alike.
 * O(top num_docs) where few documents matter, O(top^2 num_docs) at most as a rule. */
void dorm__group_assignment_solve(const dorm__group_plan *plan, const dorm__oracle_call *call, double tolerance,
                                  const dorm__group_scratch *scratch, uint32_t *order);
/* Whether no exchange of documents, along any cycle, is worth more than `tolerance`. */
bool dorm__group_assignment_is_best(const dorm__group_plan *plan, const dorm__oracle_call *call, double tolerance,
                                    const dorm__group_scratch *scratch, const uint32_t *order);
/* Puts what order [top] leaves out behind it, in document order; holder
 * [num_docs] becomes the position of each document in front. */
void dorm__fill_behind(size_t num_docs, size_t top, uint32_t *holder, uint32_t *order);

/* ---- programme.c: rankings as linear programmes ------------------------------ */

enum { DORM__FAILURE_SIZE = 200 };

/* max <objective, x> over 0 <= x <= 1, row i of the matrix times x = (or <=)
 * limit[i]; x whole where is_integer. */
typedef struct dorm__programme {
  size_t num_columns;
  const double *objective; /* [num_columns] */
  size_t num_rows;
  const double *limit;  /* [num_rows] */
  size_t num_equations; /* the first rows, the others are <= */
  size_t num_entries;
  const int *rows, *columns; /* [num_entries + 1], from 1, as are the numbers in them */
  const double *values;      /* [num_entries + 1] */
  bool is_integer;
  double seconds; /* 0: no limit */
} dorm__programme;

typedef struct dorm__programme_result {
  bool has_solution;
  bool is_proved; /* the solution is the best */
  double bound;   /* nothing is worth more; INFINITY: not known */
  char failure[DORM__FAILURE_SIZE];
} dorm__programme_result;

/* The ranking by a programme: order [num_docs], *excess >= 0, and in *fraction
 * (may be NULL) how far the solution was from whole numbers. DORM_BAD_DATA
 * or DORM_OUT_OF_MEMORY after a word in failure. */
dorm_status dorm__programme_rank(const dorm__group_plan *plan, const dorm__oracle_call *call,
                                 const dorm__group_scratch *scratch, uint32_t *order, double *excess, double *fraction,
                                 char failure[DORM__FAILURE_SIZE]);
/* As many documents as may stand together, up to groups->top: docs [*count]. */
dorm_status dorm__programme_count(dorm_context *context, const dorm__oracle_groups *groups, size_t num_docs,
                                  double seconds, uint32_t *docs, size_t *count);
/* The largest value of sum_jp gain[j][p] x[j][p] over all x >= 0 whose rows and
 * columns sum to 1, for tests. gain [num_docs][num_docs]. */
dorm_status dorm__glpk_assignment(dorm_context *context, size_t num_docs, const double *gain, double *value);

/* ---- glpk.c ---------------------------------------------------------------------- */

/* x [num_columns] is filled where has_solution. False, and result->failure says
 * why, when there is no GLPK, memory or thread, or GLPK failed. */
bool dorm__glpk_solve(const dorm__programme *programme, double *x, dorm__programme_result *result);

/* ---- plan.c, workspace.c ----------------------------------------------------- */

struct dorm__oracle_plan {
  dorm__oracle_method method;
  bool is_free;    /* chosen here, not asked for: may differ where t = 0 */
  bool can_sort;   /* for every t */
  double key_of_g; /* gamma and alpha above */
  double key_of_b;
  size_t top;            /* the sorted table is constant from there on */
  double magnitude_of_g; /* max |c| and max |cost|: bounds on what a call adds up */
  double magnitude_of_t;
  dorm__oracle_call tables; /* without g and t */
  size_t truncation;        /* a is constant from there on, up to what rounding hides even in the sum */
  dorm__levels levels;
  const dorm__top_k_states *states; /* of the cache; NULL where topk is never used */
  dorm__group_plan *groups;         /* NULL: none that matter */
};

struct dorm__oracle_workspace {
  size_t max_docs;
  size_t most_sweeps;
  bool is_checking;
  dorm__oracle_counts counts;
  unsigned char *block; /* all arrays of all methods, which use it in turns */
  double *keys;         /* [max_docs] */
  uint32_t *docs;       /* [max_docs], and their scores, sorted */
  double *scores;
  dorm__sort_scratch sort;
  dorm__merge_scratch merge;
  dorm__top_k_scratch top_k;
  dorm__shortest_path_scratch shortest_path;
  dorm__hungarian_scratch hungarian;
  dorm__group_scratch groups;
  double excess;
  dorm_status failed; /* what `failure` is about */
  char failure[DORM__FAILURE_SIZE];
};

/* What a sort goes by: g, or workspace->keys. */
const double *dorm__oracle_keys(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                                const dorm__oracle_call *call);
/* The documents of a call by falling score. */
dorm__ranked dorm__oracle_rank(dorm__oracle_workspace *workspace, const dorm__oracle_call *call);
/* Improvements below this are taken for rounding; `spread`: the largest
 * |g - offset|. */
double dorm__oracle_tolerance(const dorm__oracle_plan *plan, double t, double spread);

/* ---- check.c ----------------------------------------------------------------- */

/* Proves anew, from the tables and scores alone or from the prices that the
 * method left in the workspace, that a ranking just found is the best. */
bool dorm__oracle_check(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace, const dorm__oracle_call *call,
                        dorm__oracle_method method, const uint32_t *order);

#endif
