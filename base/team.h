/* team.h: reports failures of a loop over items that several threads share. Each thread has its own context. The loop
 * fails with its smallest failing item, for any number of threads:
 *
 *   #pragma omp parallel for num_threads((int)num_threads)
 *   for (size_t i = 0; i < count; i++)
 *     if (!dorm__team_skips(team, i))
 *       dorm__team_note(team, i, work(dorm__team_context(team), i));
 *   status = dorm__team_end(context, team); */
#ifndef DORM_BASE_TEAM_H
#define DORM_BASE_TEAM_H

#include "base/base.h"

/* The number of threads to use: `asked`, at most 1024. For 0, one per processor, but at most the number that OpenMP may
 * use (OMP_NUM_THREADS). */
size_t dorm__threads_for(size_t asked);

typedef struct dorm__team dorm__team;

/* `what` names the work in the message for lack of memory. */
dorm_status dorm__team_new(dorm_context *context, size_t num_threads, const char *what, dorm__team **team);
/* The context of the calling OpenMP thread, for messages. It does not log and is never cancelled. */
dorm_context *dorm__team_context(dorm__team *team);
/* Whether a smaller item has failed, so that this one can be skipped. */
bool dorm__team_skips(const dorm__team *team, size_t item);
/* Records the status of an item. The message of a failure comes from the thread's context. */
void dorm__team_note(dorm__team *team, size_t item, dorm_status status);
/* Returns the status of the smallest failing item and sets its message. The team can then be used for the next loop.
 * Returns DORM_OK if the team is NULL. */
dorm_status dorm__team_settle(dorm_context *context, dorm__team *team);
void dorm__team_free(dorm__team *team);
/* Does the same and frees the team. */
dorm_status dorm__team_end(dorm_context *context, dorm__team *team);

#endif
