/* factorisation.h: what factorisation.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_RATINGS_FACTORISATION_H
#define DORM_COLLABORATIVE_RATINGS_FACTORISATION_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* Plain alternating least squares, ridges 8. */
dorm__factorisation_options dorm__factorisation_als(size_t rank, uint64_t seed, size_t num_threads);
double dorm__factorisation_product(const dorm__factorisation *made, size_t user, size_t item);

#endif
