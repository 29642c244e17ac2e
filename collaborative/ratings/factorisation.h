/* factorisation.h: the plain squared-error factorisation beside the one in ratings.h, and products of rows. */
#ifndef DORM_COLLABORATIVE_RATINGS_FACTORISATION_H
#define DORM_COLLABORATIVE_RATINGS_FACTORISATION_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* Options of alternating least squares without posterior covariances, for a small rank. */
dorm__factorisation_options dorm__factorisation_als(size_t rank, uint64_t seed, size_t num_threads);
/* <U[user], V[item]> */
double dorm__factorisation_product(const dorm__factorisation *made, size_t user, size_t item);

#endif
