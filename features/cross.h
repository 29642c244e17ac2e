/* cross.h: products of features as features of a data set. */
#ifndef DORM_FEATURES_CROSS_H
#define DORM_FEATURES_CROSS_H

#include "features/features.h"

/* Fails if none of the features of the data is in one of the lists, so that there are no products. */
dorm_status dorm__cross_check(dorm_context *context, const dorm__cross *cross, const dorm_dataset *dataset);
/* Shows the data set with the products behind its own features, stored as it is. *crossed borrows all but ids and
 * values, which dorm__cross_clear frees. DORM_BAD_DATA where an id of the data set is that of a product. */
dorm_status dorm__cross_dataset(dorm_context *context, const dorm__cross *cross, const dorm_dataset *dataset,
                                dorm_dataset *crossed);
void dorm__cross_clear(dorm_dataset *crossed);

#endif
