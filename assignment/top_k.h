/* top_k.h: what top_k.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_TOP_K_H
#define DORM_ASSIGNMENT_TOP_K_H

#include "assignment/call.h"
#include "assignment/runs/levels.h"
#include "base/base.h"

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

#endif
