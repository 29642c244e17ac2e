/*
 * dorm.h: direct optimization of ranking measures.
 *
 * The library learns to rank: linear models by a structured SVM whose loss is
 * the ranking measure itself (Le and Smola, "Direct Optimization of Ranking
 * Measures", 2007), boosted trees, nets, and blends of them.
 *
 * Conventions
 *  - Handles are opaque. The caller frees each handle that a call stores through a
 *    pointer to it (dorm_dataset **dataset), by the *_free of its type; freeing
 *    NULL is allowed. Pointers that a function returns belong to its first
 *    argument, or are static, unless the function says otherwise.
 *  - Every call that can fail returns a dorm_status. If that is not DORM_OK,
 *    the context holds one sentence that says why (dorm_context_message), and
 *    the output argument is NULL unless its function says otherwise.
 *  - An argument may be NULL only where its function says so. Otherwise the call
 *    is DORM_BAD_USAGE, and the message names the argument; without a context it
 *    is DORM_BAD_USAGE alone. Functions that return a value or a text return 0,
 *    NaN or NULL for a handle that is NULL and for a number out of range; pointers
 *    through which they return more values may be NULL.
 *  - A struct that the caller allocates, as options or for a result, begins with
 *    struct_size, which the caller sets to its size, as in
 *        dorm_read_options options = {.struct_size = sizeof options, .sort_queries = 1};
 *    Structs only grow at the end, so a program works with later versions of the
 *    library; a size that no version had is DORM_BAD_USAGE. Structs that the
 *    library allocates are used by pointer.
 *  - The same words mean the same everywhere: *_info_at(index) is a row of a static table, NULL after the last;
 *    *_describe(handle) describes an open handle or a model.
 *  - The library never exits, prints, reads the environment or changes the
 *    locale. One context serves one thread at a time; different contexts are
 *    independent. Several threads may read the same data set or model at the
 *    same time.
 *  - Numbers in files are read and written in the same way in every locale.
 *
 * This header includes one header for each subject; a program may include those
 * that it needs instead.
 *
 * Start here: twelve functions train a model and use it (manual/library.md has them in a program).
 *
 *   dorm_context_new        a context for the calls of one thread; dorm_context_free
 *   dorm_context_message    the sentence of the last failure
 *   dorm_dataset_read       data from a file; dorm_dataset_free
 *   dorm_dataset_new        data from arrays
 *   dorm_settings_new       settings with their defaults; dorm_settings_free
 *   dorm_settings_set       one of them, by its key: "loss.name", "ndcg@10"
 *   dorm_train              a training: candidates and a model; dorm_training_free
 *   dorm_training_model     its model
 *   dorm_model_write        a model into a file
 *   dorm_model_read         a model from a file; dorm_model_free
 *   dorm_model_score        one score for each document, higher is better
 *   dorm_evaluate           a measure of scores: its mean, its standard error, its value for each query
 */
#ifndef DORM_DORM_H
#define DORM_DORM_H

/* Calls and their settings. */
#include "dorm/context.h"
#include "dorm/processes.h"
#include "dorm/settings.h"

/* Data. */
#include "dorm/clicks.h"
#include "dorm/dataset.h"
#include "dorm/diversity.h"
#include "dorm/trec.h"

/* Models and how they are made. */
#include "dorm/model.h"
#include "dorm/probe.h"
#include "dorm/training.h"

/* What training can optimise, and what a ranking is worth. */
#include "dorm/kernels.h"
#include "dorm/lambdas.h"
#include "dorm/losses.h"
#include "dorm/measures.h"
#include "dorm/policies.h"

/* Ratings of items by users. */
#include "dorm/factors.h"
#include "dorm/ratings.h"

/* The interface of modules. */
#include "dorm/plugin.h"

#endif
