/* glpk.c: linear and mixed-integer programmes over 0 <= x <= 1. No other file calls GLPK.
 *
 * GLPK ends the process on its own errors and binds a problem to the thread that made it. So every call has a
 * short-lived thread with its own GLPK environment. An error jumps out of GLPK and frees the environment. The output of
 * GLPK becomes the reason of the failure. */
#include "assignment/assignment.h"
#include "assignment/groups/groups.h"

#ifdef HAVE_GLPK

#include <glpk.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

/* Times the largest coefficient. GLPK stops once no reduced cost exceeds it, so the error of the value is at most the
 * number of rows times this. GLPK's default, 1e-7, is too coarse here. */
static const double REDUCED_COST_TOLERANCE = 1e-11;
/* A branch is closed when its bound exceeds the best solution by at most this, relative to the solution. */
static const double OBJECTIVE_TOLERANCE = 1e-10;
static const double WHOLE_TOLERANCE = 1e-7;

typedef struct glpk_call {
  const dorm__programme *programme;
  double *x;
  double scale; /* the largest coefficient, because GLPK's tolerances assume numbers near 1 */
  dorm__programme_result result;
  jmp_buf escape;
} glpk_call;

bool dorm__has_glpk(void)
{
  return true;
}

static void escape_from_glpk(void *user)
{
  glpk_call *call = user;
  glp_free_env();
  longjmp(call->escape, 1);
}

/* Keeps the first line of GLPK's output. Returns 1, which prevents GLPK from printing it. */
static int keep_word(void *user, const char *text)
{
  glpk_call *call = user;
  char *failure = call->result.failure;
  size_t size = strcspn(text, "\n");
  if (!*failure && size)
    snprintf(failure, DORM__FAILURE_SIZE, "GLPK: %.*s", size < 150 ? (int)size : 150, text);
  return 1;
}

static int milliseconds(double seconds)
{
  if (!(seconds > 0) || seconds * 1000 >= INT_MAX)
    return INT_MAX;
  return seconds * 1000 < 1 ? 1 : (int)(seconds * 1000);
}

static void fill_problem(glp_prob *problem, const glpk_call *call)
{
  const dorm__programme *programme = call->programme;
  glp_set_obj_dir(problem, GLP_MAX);
  glp_add_rows(problem, (int)programme->num_rows);
  glp_add_cols(problem, (int)programme->num_variables);
  for (size_t i = 0; i < programme->num_rows; i++)
    glp_set_row_bnds(problem, (int)i + 1, i < programme->num_equations ? GLP_FX : GLP_UP, programme->limit[i],
                     programme->limit[i]);
  for (size_t x = 0; x < programme->num_variables; x++) {
    glp_set_col_bnds(problem, (int)x + 1, GLP_DB, 0, 1);
    glp_set_obj_coef(problem, (int)x + 1, programme->objective[x] / call->scale);
    if (programme->is_integer)
      glp_set_col_kind(problem, (int)x + 1, GLP_BV);
  }
  glp_load_matrix(problem, (int)programme->num_entries, programme->rows, programme->variables, programme->values);
}

/* Runs the simplex method. Returns true if it found the optimum. */
static bool solve_relaxation(glp_prob *problem, glpk_call *call)
{
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  parameters.tol_dj = REDUCED_COST_TOLERANCE;
  if (call->programme->is_integer)
    parameters.tm_lim = milliseconds(call->programme->seconds);
  int code = glp_simplex(problem, &parameters);
  int state = glp_get_status(problem);
  if (code == GLP_ETMLIM)
    return false;
  if (state == GLP_NOFEAS)
    snprintf(call->result.failure, DORM__FAILURE_SIZE, "GLPK: the programme has no feasible solution");
  else if (code != 0 || state != GLP_OPT)
    snprintf(call->result.failure, DORM__FAILURE_SIZE, "GLPK: the simplex method failed (code %d, status %d)", code,
             state);
  if (*call->result.failure)
    return false;
  for (size_t x = 0; x < call->programme->num_variables; x++)
    call->x[x] = glp_get_col_prim(problem, (int)x + 1);
  /* the reduced costs within the tolerance may add up to this */
  double slack = REDUCED_COST_TOLERANCE * (double)call->programme->num_variables;
  call->result.bound = call->scale * (glp_get_obj_val(problem) + slack);
  return true;
}

static bool is_whole(const glpk_call *call)
{
  for (size_t x = 0; x < call->programme->num_variables; x++)
    if (fabs(call->x[x] - round(call->x[x])) > WHOLE_TOLERANCE)
      return false;
  return true;
}

/* Records the bound. It falls as branches are closed, so the last one is valid when GLPK stops. */
static void watch_bound(glp_tree *tree, void *user)
{
  glpk_call *call = user;
  int node = glp_ios_best_node(tree);
  if (node)
    call->result.bound = fmin(call->result.bound, call->scale * glp_ios_node_bound(tree, node));
}

static void branch(glp_prob *problem, glpk_call *call, double started)
{
  const dorm__programme *programme = call->programme;
  glp_iocp parameters;
  glp_init_iocp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  parameters.tol_int = WHOLE_TOLERANCE;
  parameters.tol_obj = OBJECTIVE_TOLERANCE;
  if (programme->seconds > 0) {
    parameters.cb_func = watch_bound;
    parameters.cb_info = call;
  }
  double left = programme->seconds - (dorm__seconds() - started);
  parameters.tm_lim = programme->seconds > 0 ? milliseconds(fmax(left, 1e-3)) : INT_MAX;
  int code = glp_intopt(problem, &parameters);
  int state = glp_mip_status(problem);
  call->result.is_proved = code == 0 && state == GLP_OPT;
  call->result.has_solution = state == GLP_OPT || state == GLP_FEAS;
  if (state == GLP_NOFEAS)
    snprintf(call->result.failure, DORM__FAILURE_SIZE, "GLPK: the programme has no whole solution");
  else if (code != 0 && code != GLP_ETMLIM)
    snprintf(call->result.failure, DORM__FAILURE_SIZE, "GLPK: branch and cut failed (code %d)", code);
  for (size_t x = 0; call->result.has_solution && x < programme->num_variables; x++)
    call->x[x] = glp_mip_col_val(problem, (int)x + 1);
}

static void *solve_on_thread(void *user)
{
  glpk_call *call = user;
  double started = dorm__seconds();
  if (setjmp(call->escape))
    return NULL;
  glp_error_hook(escape_from_glpk, call);
  glp_term_hook(keep_word, call);
  glp_prob *problem = glp_create_prob();
  fill_problem(problem, call);
  if (solve_relaxation(problem, call)) {
    call->result.has_solution = call->result.is_proved = !call->programme->is_integer || is_whole(call);
    if (!call->result.is_proved)
      branch(problem, call, started);
  }
  glp_free_env(); /* frees the problem too */
  return NULL;
}

bool dorm__glpk_solve(const dorm__programme *programme, double *x, dorm__programme_result *result)
{
  glpk_call call = {.programme = programme, .x = x, .result = {.bound = INFINITY}};
  pthread_t thread;
  for (size_t i = 0; i < programme->num_variables; i++)
    call.scale = fmax(call.scale, fabs(programme->objective[i]));
  call.scale = call.scale > 0 ? call.scale : 1;
  if (programme->num_variables >= INT_MAX || programme->num_entries >= INT_MAX || programme->num_rows >= INT_MAX)
    snprintf(call.result.failure, DORM__FAILURE_SIZE, "a programme of %zu variables is too large for GLPK",
             programme->num_variables);
  else if (pthread_create(&thread, NULL, solve_on_thread, &call) != 0)
    snprintf(call.result.failure, DORM__FAILURE_SIZE, "no thread for GLPK");
  else
    pthread_join(thread, NULL);
  *result = call.result;
  return !*call.result.failure;
}

#else

bool dorm__has_glpk(void)
{
  return false;
}

bool dorm__glpk_solve(const dorm__programme *programme, double *x, dorm__programme_result *result)
{
  (void)programme;
  (void)x;
  *result = (dorm__programme_result){.failure = "this dorm was built without GLPK (configure --without-glpk)"};
  return false;
}

#endif
