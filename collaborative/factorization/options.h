/*
 * options.h: what the settings say about a ranking factorisation, as numbers and enums. The other files of this folder
 * take this struct; factors.c and factors_file.c only copy the settings into the model's file and read them back.
 */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_OPTIONS_H
#define DORM_COLLABORATIVE_FACTORIZATION_OPTIONS_H

#include "solver/solver.h"

typedef struct dorm__factorization_options {
  size_t rank;
  size_t num_rounds; /* the most */
  bool is_random;    /* whether the start is */
  double scale;      /* of the scores at the start */
  double penalty;    /* L */
  double gap;        /* relative, of the items' step */
  bool has_offsets;  /* of items; section 5.2 of the paper has none */
  bool is_fixed;     /* whether the reference is: an ideal ranking, ties by position in the list */
  double mu;         /* of a reference that follows the scores */
  uint64_t seed;
  size_t num_threads;
  dorm__position_weights position_weights; /* owned */
  const char *selection_measure;           /* spec, borrowed from the settings; NULL: the measure of the loss */
  dorm__loss *loss;                        /* owned */
} dorm__factorization_options;

/* The first value of each list of settings counts. DORM_BAD_USAGE if the reference is neither `listed` nor mu. */
dorm_status dorm__factorization_options_from(dorm_context *context, const dorm_settings *settings,
                                             dorm__factorization_options *options);
/* The same for settings that factors were made by. DORM_BAD_USAGE if a setting in use was read and names a file. */
dorm_status dorm__factorization_options_again(dorm_context *context, const dorm_settings *record,
                                              dorm__factorization_options *options);
void dorm__factorization_options_clear(dorm__factorization_options *options);

#endif
