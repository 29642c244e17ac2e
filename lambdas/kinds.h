/* kinds.h: the built-in λ-functions, and the rows of parameters that they share. */
#ifndef DORM_LAMBDAS_KINDS_H
#define DORM_LAMBDAS_KINDS_H

#include "lambdas/lambda.h"

#define DORM__ROW_SIGMA                                                                                                \
  {                                                                                                                    \
    "sigma", "1", NULL, 1e-9, 1e9, 0, "what differences of scores are multiplied by"                                   \
  }
#define DORM__ROW_ALPHA                                                                                                \
  {                                                                                                                    \
    "alpha", "0", NULL, 0, 1e9, 0, "alpha times the score is subtracted from each lambda"                              \
  }

extern const dorm__lambda_kind dorm__lambda_ranknet;
extern const dorm__lambda_kind dorm__lambda_weight_pairs;
extern const dorm__lambda_kind dorm__lambda_misranked_pairs;
extern const dorm__lambda_kind dorm__lambda_spring_smooth;
extern const dorm__lambda_kind dorm__lambda_lambdaloss;
extern const dorm__lambda_kind dorm__lambda_local_cost;
extern const dorm__lambda_kind dorm__lambda_margin;
extern const dorm__lambda_kind dorm__lambda_local_gradient;
extern const dorm__lambda_kind dorm__lambda_discrete_bounded;
extern const dorm__lambda_kind dorm__lambda_softmax;
extern const dorm__lambda_kind dorm__lambda_listmle;
extern const dorm__lambda_kind dorm__lambda_push;
extern const dorm__lambda_kind dorm__lambda_approx_ndcg;
extern const dorm__lambda_kind dorm__lambda_softrank;
extern const dorm__lambda_kind dorm__lambda_dorm;
extern const dorm__lambda_kind dorm__lambda_perturbed;
extern const dorm__lambda_kind dorm__lambda_smoothrank;

#endif
