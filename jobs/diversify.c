/* diversify.c: diverse ranking by the settings diversity.* and the loss. */
#include "base/spec.h"
#include "jobs/trainer.h"

#include <math.h>
#include <string.h>

/* Finds the truncation of the loss in the settings. It is 0 if the loss has none, and also if the loss comes from
 * a module, since modules are loaded for training alone. */
static dorm_status find_truncation(dorm_context *context, const dorm_settings *settings, size_t *truncation)
{
  DORM__OWNED(dorm__loss) *loss = NULL;
  *truncation = 0;
  if (!dorm__settings_is_auto(settings, DORM__DIVERSITY_TOP) ||
      dorm__spec_path(dorm__settings_text(settings, DORM__LOSS_NAME)))
    return DORM_OK;
  if (!dorm__settings_is_auto(settings, DORM__LOSS_TRUNCATION)) {
    *truncation = (size_t)dorm__settings_number_at(settings, DORM__LOSS_TRUNCATION, 0);
    return DORM_OK;
  }
  dorm_status status = dorm__loss_from(context, settings, &loss);
  if (status == DORM_OK)
    *truncation = dorm__loss_truncation(loss);
  return status;
}

/* Fills c [num_positions] by the first value of ranking.position_weights. */
static dorm_status make_weights(dorm_context *context, const dorm_settings *settings, size_t num_positions, double *c)
{
  dorm__position_weights weights;
  dorm_status status = dorm__position_weights_from(
      context, dorm__settings_word_at(settings, DORM__RANKING_POSITION_WEIGHTS, 0), &weights);
  if (status != DORM_OK)
    return status;
  dorm__position_weights_fill(&weights, num_positions, c);
  for (size_t p = 0; weights.kind == DORM__WEIGHTS_OF_LOSS && p < num_positions; p++)
    c[p] = 1 / log2((double)p + 2); /* close to the loss's own weights */
  dorm__position_weights_clear(&weights);
  return DORM_OK;
}

dorm_status dorm_diversify(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                           const double *scores, double *diverse)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(diverse)))
    return DORM_BAD_USAGE;
  size_t max_docs = dorm__dataset_max_docs(dataset), truncation = 0;
  DORM__FREED double *c = dorm__alloc(max_docs, sizeof *c);
  dorm_status status =
      c ? find_truncation(context, settings, &truncation) : dorm__out_of_memory(context, "diverse prediction");
  if (status == DORM_OK)
    status = make_weights(context, settings, max_docs, c);
  if (status == DORM_OK) {
    dorm__diversity diversity = dorm__diversity_from(settings, truncation);
    dorm__diverse_ranking options = {diversity.top, diversity.capacity, diversity.seconds, c};
    status = dorm__rank_diversely(context, dataset, &options, scores, diverse);
  }
  return status;
}
