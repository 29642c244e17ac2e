/* factorisation.h: products of rows of the squared-error factorisation in ratings.h. */
#ifndef DORM_COLLABORATIVE_RATINGS_FACTORISATION_H
#define DORM_COLLABORATIVE_RATINGS_FACTORISATION_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* <U[user], V[item]> */
double dorm__factorisation_product(const dorm__factorisation *made, size_t user, size_t item);

#endif
