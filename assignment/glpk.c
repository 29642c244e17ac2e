/*
 * glpk.c: the only door to GLPK. The assignment problem as a linear program,
 *
 *   maximise sum_jp gain[j][p] x[j][p],  every row and column sum 1, x >= 0,
 *
 * as a reference that shares nothing with the other methods.
 *
 * GLPK ends the process on its own errors and ties a problem to the thread that
 * made it. So every call runs on a short-lived thread with its own GLPK
 * environment, and an error jumps back out of GLPK and frees all of that.
 */
#include "assignment/assignment.h"

#ifdef HAVE_GLPK

#include <glpk.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>

enum { MOST_DOCS = 2000 };

/* Times the largest gain: GLPK stops once no reduced cost exceeds it, so the
 * value is right to num_docs times this (its own 1e-7 is too coarse here). */
static const double REDUCED_COST_TOLERANCE = 1e-11;

typedef struct glpk_call {
  size_t num_docs;
  const double *gain;
  double scale;        /* the largest magnitude in it */
  int *rows, *columns; /* [2 num_docs^2 + 1], counted from 1 as GLPK does */
  double *ones;
  double value;
  bool is_solved;
  jmp_buf escape;
} glpk_call;

static void escape_from_glpk(void *user)
{
  glpk_call *call = user;
  glp_free_env();
  longjmp(call->escape, 1);
}

static void fill_problem(glp_prob *problem, const glpk_call *call)
{
  int n = (int)call->num_docs;
  glp_set_obj_dir(problem, GLP_MAX);
  glp_add_rows(problem, 2 * n);
  glp_add_cols(problem, n * n);
  for (int i = 1; i <= 2 * n; i++)
    glp_set_row_bnds(problem, i, GLP_FX, 1, 1);
  int entries = 0;
  for (int x = 1; x <= n * n; x++) {
    glp_set_col_bnds(problem, x, GLP_LO, 0, 0);
    glp_set_obj_coef(problem, x, call->gain[x - 1] / call->scale);
    int ends[2] = {1 + (x - 1) / n, n + 1 + (x - 1) % n};
    for (int end = 0; end < 2; end++) {
      entries++;
      call->rows[entries] = ends[end];
      call->columns[entries] = x;
      call->ones[entries] = 1;
    }
  }
  glp_load_matrix(problem, entries, call->rows, call->columns, call->ones);
}

static void *run(void *user)
{
  glpk_call *call = user;
  if (setjmp(call->escape))
    return NULL;
  glp_error_hook(escape_from_glpk, call);
  glp_term_out(GLP_OFF);
  glp_prob *problem = glp_create_prob();
  fill_problem(problem, call);
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  parameters.tol_dj = REDUCED_COST_TOLERANCE;
  if (glp_simplex(problem, &parameters) == 0 && glp_get_status(problem) == GLP_OPT) {
    call->value = call->scale * glp_get_obj_val(problem);
    call->is_solved = true;
  }
  glp_free_env(); /* and the problem with it */
  return NULL;
}

dorm_status dorm__glpk_assignment(dorm_context *context, size_t num_docs, const double *gain, double *value)
{
  dorm_status status = DORM_OK;
  if (num_docs < 1 || num_docs > MOST_DOCS)
    return dorm__fail(context, DORM_BAD_USAGE, "a linear program of %zu documents (1 to %d are possible)", num_docs,
                      MOST_DOCS);
  double scale = 0;
  for (size_t i = 0; i < num_docs * num_docs; i++) {
    if (!isfinite(gain[i]))
      return dorm__fail(context, DORM_BAD_USAGE, "a linear program with the gain %g", gain[i]);
    scale = fmax(scale, fabs(gain[i]));
  }
  size_t entries = 2 * num_docs * num_docs + 1;
  glpk_call call = {.num_docs = num_docs, .gain = gain, .scale = scale > 0 ? scale : 1};
  call.rows = dorm__alloc(entries, sizeof *call.rows);
  call.columns = dorm__alloc(entries, sizeof *call.columns);
  call.ones = dorm__alloc(entries, sizeof *call.ones);
  pthread_t thread;
  if (!call.rows || !call.columns || !call.ones || pthread_create(&thread, NULL, run, &call) != 0) {
    status = dorm__out_of_memory(context, "a linear program");
    goto done;
  }
  pthread_join(thread, NULL);
  if (call.is_solved)
    *value = call.value;
  else
    status =
        dorm__fail(context, DORM_NUMERICAL_FAILURE, "GLPK did not solve a linear program of %zu documents", num_docs);
done:
  dorm__free(call.rows);
  dorm__free(call.columns);
  dorm__free(call.ones);
  return status;
}

#endif
