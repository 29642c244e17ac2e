/*
 * options.h: the settings of a ranking factorisation, as numbers and enums. The other files of this folder take this
 * struct. factors.c and factors_file.c only copy the settings to the model's file and read them back.
 */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_OPTIONS_H
#define DORM_COLLABORATIVE_FACTORIZATION_OPTIONS_H

#include "solver/solver.h"

typedef struct dorm__factorization_options {
  size_t rank;
  size_t num_rounds; /* at most */
  bool is_random;    /* starts from random vectors */
  double scale;      /* of the scores at the start */
  double penalty;    /* L */
  double gap;        /* relative, of the item step */
  bool has_offsets;  /* of items (section 5.2 of the paper has none) */
  bool is_fixed;     /* the reference is an ideal ranking, ties by position in the list */
  double mu;         /* of a reference that depends on the scores */
  uint64_t seed;
  size_t num_threads;
  dorm__position_weights position_weights; /* owned */
  const char *selection_measure;           /* spec, borrowed from the settings, or NULL for the measure of the loss */
  dorm__loss *loss;                        /* owned */
} dorm__factorization_options;

/* Reads the options from settings. Of a list of values the first one counts. DORM_BAD_USAGE if the reference is neither
 * `listed` nor mu. */
dorm_status dorm__factorization_options_from(dorm_context *context, const dorm_settings *settings,
                                             dorm__factorization_options *options);
/* Reads the options from the settings of trained factors. DORM_BAD_USAGE if a setting in use came from a model file and
 * names a file. */
dorm_status dorm__factorization_options_again(dorm_context *context, const dorm_settings *record,
                                              dorm__factorization_options *options);
void dorm__factorization_options_clear(dorm__factorization_options *options);

#endif
