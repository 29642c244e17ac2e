/*
 * dorm.h: direct optimization of ranking measures.
 *
 * The library learns to rank. It trains linear models by a structured SVM whose loss is the ranking measure itself (Le
 * and Smola, "Direct Optimization of Ranking Measures", 2007), boosted trees, nets, and blends of them.
 *
 * Conventions
 *  - Handles are opaque. A call stores a new handle through a pointer (dorm_dataset **dataset), and the caller frees it
 *    by the *_free function of its type. Freeing NULL is allowed. A pointer that a function returns belongs to its
 *    first argument or is static, unless the function says otherwise.
 *  - Every call that can fail returns a dorm_status. If it is not DORM_OK, the context holds one sentence with the
 *    reason (dorm_context_message), and the output argument is NULL unless its function says otherwise.
 *  - An argument may be NULL only if its function allows it. Otherwise the call returns DORM_BAD_USAGE, and the message
 *    names the argument. If the context is NULL, there is no message. Functions that return a value or a text return 0,
 *    NaN or NULL for a NULL handle and for a number out of range. Pointers through which they return more values may be
 *    NULL.
 *  - A struct that the caller allocates, for options or for a result, begins with struct_size. The caller sets it to
 *    the size of the struct, as in
 *        dorm_read_options options = {.struct_size = sizeof options, .sort_queries = 1};
 *    Structs only grow at the end, so a program works with later versions of the library. An unknown struct_size
 *    returns DORM_BAD_USAGE. Structs that the library allocates are used by pointer.
 *  - Names mean the same everywhere. *_info_at(index) returns a row of a static table, NULL after the last.
 *    *_describe(handle) describes an open handle or a model.
 *  - The library never exits, prints, reads the environment or changes the locale. One context serves one thread at a
 *    time. Different contexts are independent. Several threads may read the same data set or model at the same time.
 *  - Numbers in files are read and written in the same way in every locale.
 *
 * This header includes one header for each subject. A program may instead include only the headers that it needs.
 *
 * Start here: twelve functions train a model and use it (manual/library.md shows them in a program).
 *
 *   dorm_context_new        make a context for the calls of one thread (freed by dorm_context_free)
 *   dorm_context_message    return the message of the last failure
 *   dorm_dataset_read       read data from a file (freed by dorm_dataset_free)
 *   dorm_dataset_new        make data from arrays
 *   dorm_settings_new       make settings with their defaults (freed by dorm_settings_free)
 *   dorm_settings_set       set one of them, by its key: "loss.name", "ndcg@10"
 *   dorm_train              train candidates and a model (freed by dorm_training_free)
 *   dorm_training_model     return the model
 *   dorm_model_write        write a model to a file
 *   dorm_model_read         read a model from a file (freed by dorm_model_free)
 *   dorm_model_score        compute one score for each document, higher is better
 *   dorm_evaluate           evaluate scores by a measure: mean, standard error, value for each query
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

/* Models and training. */
#include "dorm/model.h"
#include "dorm/probe.h"
#include "dorm/training.h"

/* Objectives of training, and measures of rankings. */
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
