/* ratings_runs.c: the tasks of collaborative filtering: ratings, features, kernels, factors, lists. */
#include "base/base.h"
#include "base/hash.h"
#include "collaborative/factorization/factorization.h"
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"
#include "data/data.h"
#include "tests/faults/runs.h"

#include <string.h>

enum { USERS = 7, ITEMS = 40, RATINGS_EACH = 20, MOST_LISTED = 3 };

bool fault_prepare_ratings(dorm_context *context)
{
  const dorm_artificial_ratings parameters = {sizeof parameters, USERS, ITEMS, RATINGS_EACH, 0.5, 1};
  DORM__OWNED(dorm_ratings) *ratings = NULL;
  return dorm_ratings_generate(context, &parameters, fault_path("users"), fault_path("items"), &ratings) == DORM_OK &&
         dorm_ratings_write(context, ratings, fault_path("rated")) == DORM_OK &&
         fault_write("given.tsv", "new\ti1\t5\nnew\ti3\t2\nu1\ti9\t4\nnew\tunheard\t3\n");
}

static dorm_status read_rated(dorm_context *context, const dorm_settings *settings, dorm_ratings **training,
                              dorm_ratings **held_out)
{
  DORM__OWNED(dorm_ratings) *all = NULL;
  return DORM__ALL(dorm_ratings_read(context, settings, fault_path("rated"), NULL, &all, NULL),
                   dorm_ratings_split(context, settings, all, training, held_out));
}

static dorm_status write_dataset(dorm_context *context, const dorm_dataset *dataset, uint64_t *result)
{
  return fault_wrote(dorm_dataset_write(context, dataset, fault_path("rows")), "rows", result);
}

/* Features of training pairs, of held-out pairs, and of the candidates of one user. */
static dorm_status write_rows(dorm_context *context, const dorm_rating_features *features, const dorm_ratings *held_out,
                              uint64_t *result)
{
  DORM__OWNED(dorm_dataset) *training = NULL, *predicted = NULL, *candidates = NULL;
  return DORM__ALL(
      dorm_rating_features_training(context, features, NULL, &training), write_dataset(context, training, result),
      dorm_rating_features_predict(context, features, held_out, &predicted), write_dataset(context, predicted, result),
      dorm_rating_features_candidates(context, features, "u1", &candidates),
      write_dataset(context, candidates, result));
}

static dorm_status make_features(dorm_context *context, uint64_t *result)
{
  DORM__OWNED(dorm_settings) *settings = NULL;
  DORM__OWNED(dorm_ratings) *training = NULL, *held_out = NULL;
  DORM__OWNED(dorm_attributes) *users = NULL, *items = NULL;
  DORM__OWNED(dorm_rating_features) *features = NULL;
  dorm_status status = DORM__ALL(
      fault_settings(context, "ratings.split=given:2;ratings.folds=2;solver.threads=1", &settings),
      read_rated(context, settings, &training, &held_out), dorm_attributes_read(context, fault_path("users"), &users),
      dorm_attributes_read(context, fault_path("items"), &items),
      dorm_rating_features_fit(context, settings, training, users, items, &features),
      write_rows(context, features, held_out, result),
      dorm_rating_kernels_write(context, settings, training, users, items, fault_path("user gram"),
                                fault_path("item gram")));
  fault_wrote(status, "user gram", result);
  return fault_wrote(status, "item gram", result);
}

static dorm_status split_ratings(dorm_context *context, uint64_t *result)
{
  DORM__OWNED(dorm_settings) *settings = NULL;
  DORM__OWNED(dorm_ratings) *training = NULL, *held_out = NULL, *read = NULL, *given = NULL;
  dorm_status status = DORM__ALL(fault_settings(context, "ratings.split=users:3/2/40", &settings),
                                 read_rated(context, settings, &training, &held_out),
                                 dorm_ratings_write(context, training, fault_path("split")));
  status = DORM__ALL(fault_wrote(status, "split", result), /* then both from files */
                     dorm_ratings_read(context, settings, fault_path("rated"), fault_path("given.tsv"), &read, &given));
  if (status == DORM_OK)
    *result = dorm__hash_bytes(*result, &(size_t){dorm_ratings_count(given)}, sizeof(size_t));
  return status;
}

/* Recommendations for a user who is in the factors, and for a new one. */
static dorm_status recommend(dorm_context *context, const dorm_factors *factors, const dorm_ratings *given,
                             uint64_t *result)
{
  const char *items[MOST_LISTED];
  double scores[MOST_LISTED];
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < 2; i++) {
    size_t count = 0;
    status = dorm_factors_recommend(context, factors, i ? "new" : "u1", i ? given : NULL, MOST_LISTED, &count, items,
                                    scores);
    if (status == DORM_OK)
      *result = dorm__hash_bytes(*result, scores, count * sizeof *scores);
  }
  return status;
}

static dorm_status use_factors(dorm_context *context, const dorm_settings *settings, uint64_t *result)
{
  DORM__OWNED(dorm_factors) *factors = NULL;
  DORM__OWNED(dorm_ratings) *given = NULL;
  double scores[8];
  dorm_status status = DORM__ALL(dorm_factors_read(context, fault_path("factors"), &factors),
                                 dorm_ratings_read(context, settings, fault_path("given.tsv"), NULL, &given, NULL),
                                 dorm_factors_score(context, factors, given, scores),
                                 dorm_scores_write(context, fault_path("scores"), dorm_ratings_count(given), scores));
  return DORM__ALL(fault_wrote(status, "scores", result), recommend(context, factors, given, result));
}

static dorm_status factorize(dorm_context *context, const char *texts, uint64_t *result)
{
  DORM__OWNED(dorm_settings) *settings = NULL;
  DORM__OWNED(dorm_ratings) *training = NULL, *held_out = NULL;
  DORM__OWNED(dorm_factors) *factors = NULL;
  dorm_status status =
      DORM__ALL(fault_settings(context, texts, &settings), read_rated(context, settings, &training, &held_out),
                dorm_factorize(context, settings, training, held_out, &factors),
                dorm_factors_write(context, factors, fault_path("factors")));
  return DORM__ALL(fault_wrote(status, "factors", result), use_factors(context, settings, result));
}

const fault_run fault_rating_runs[] = {
    {.name = "ratings, rows", .run = make_features},
    {.name = "ratings, split", .run = split_ratings},
    {"factorize", NULL, factorize,
     "ratings.split=given:2;factorization.rank=2;factorization.rounds=2;solver.threads=1;loss.name=ndcg:truncation=2;"
     "ranking.position_weights=power:0.5"},
    {NULL, NULL, NULL, NULL},
};
