/*
 * team.h: how a loop over items that several threads share reports a failure. Each thread has a context of its own, and
 * the loop fails as its smallest failing item does, whatever the number of threads:
 *
 *   #pragma omp parallel for num_threads((int)num_threads)
 *   for (size_t i = 0; i < count; i++)
 *     if (!dorm__team_skips(team, i))
 *       dorm__team_note(team, i, work(dorm__team_context(team), i));
 *   status = dorm__team_end(context, team);
 */
#ifndef DORM_BASE_TEAM_H
#define DORM_BASE_TEAM_H

#include "base/base.h"

/* The number of threads to use: `asked`, at most 1024, or if it is 0 one for each processor, but no more than OpenMP is
 * told to use (OMP_NUM_THREADS). */
size_t dorm__threads_for(size_t asked);

typedef struct dorm__team dorm__team;

/* `what` names the work in the message when memory runs out. */
dorm_status dorm__team_new(dorm_context *context, size_t num_threads, const char *what, dorm__team **team);
/* The context of the calling OpenMP thread, for messages. It does not log and is never cancelled. */
dorm_context *dorm__team_context(dorm__team *team);
/* Whether a smaller item has failed already, so that this one need not be worked on. */
bool dorm__team_skips(const dorm__team *team, size_t item);
/* Notes how the work on an item ended; the message of a failure is taken from the context of the thread. */
void dorm__team_note(dorm__team *team, size_t item, dorm_status status);
/* Returns the status of the smallest item that failed and sets its message; the team is then ready for the next loop.
 * Returns DORM_OK for a team that is NULL. */
dorm_status dorm__team_settle(dorm_context *context, dorm__team *team);
void dorm__team_free(dorm__team *team);
/* Does the same and frees the team. */
dorm_status dorm__team_end(dorm_context *context, dorm__team *team);

#endif
