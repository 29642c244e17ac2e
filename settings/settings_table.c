/*
 * settings_table.c: every setting, once. Parsing, --help, the manual and the
 * model header all come from this table.
 */
#include "settings/settings.h"

#include <string.h>

const dorm_setting_info dorm__setting_table[DORM__NUM_SETTINGS] = {
    [DORM__DATA_TRAIN] = {"data.train", DORM_SETTING_PATH, 0, 0, 0, NULL, "",
                          "training data: LETOR / SVMlight text, plain or gzip"},
    [DORM__DATA_VALIDATION] = {"data.validation", DORM_SETTING_PATH, 0, 0, 0, NULL, "",
                               "validation data; chooses among the candidates (empty: none)"},
    [DORM__DATA_NORMALISATION] = {"data.normalisation", DORM_SETTING_CHOICE, 0, 0, 0,
                                  "none, minmax, zscore, global-minmax, global-zscore", "minmax",
                                  "of each feature: to [0, 1] or to mean 0 and deviation 1, within its query, or "
                                  "globally by the training data, whose numbers the model keeps"},
    [DORM__DATA_RANK_BLOCK] = {"data.rank_block", DORM_SETTING_NUMBER, 1, 0, 1e6, NULL, "auto",
                               "factors of the block of within-query ranks of the features, 0 for no block (auto: 0, "
                               "0.5 with validation data or folds, else 0)"},
    [DORM__DATA_FEATURES] = {"data.features", DORM_SETTING_TEXT, 0, 0, 0, NULL, "",
                             "ids of the features to use, as in 1-20, 33 (empty: all)"},
    [DORM__DATA_STORAGE] = {"data.storage", DORM_SETTING_CHOICE, 0, 0, 0, "auto, dense, sparse", "auto",
                            "how values are kept: all, or those other than 0 (auto: by density)"},
    [DORM__DATA_CACHE] = {"data.cache", DORM_SETTING_CHOICE, 0, 0, 0, "no, yes", "no",
                          "keep FILE.dorm-cache beside each data file and read it while FILE stays the same"},
    [DORM__KERNEL_KERNEL] =
        {"kernel.kernel", DORM_SETTING_TEXT, 0, 0, 0, NULL, "linear",
         "kernel of the scoring function: linear, polynomial, rbf, laplacian, histogram, gram, their "
         "sums and products, as in linear + rbf:scale=0.3|1 or rbf(1-20) * linear(21-46)"},
    [DORM__KERNEL_RANK] = {"kernel.rank", DORM_SETTING_INTEGER, 1, 0, 1e6, NULL, "200",
                           "rank that the Gram matrix is approximated with, 0 for all of it"},
    [DORM__KERNEL_LANDMARKS] = {"kernel.landmarks", DORM_SETTING_CHOICE, 0, 0, 0, "pivots, kmeans, uniform", "pivots",
                                "what the approximation hangs on: documents with the largest residuals, the centres of "
                                "k-means, or a uniform sample"},
    [DORM__KERNEL_SEED] = {"kernel.seed", DORM_SETTING_INTEGER, 0, 0, 1e15, NULL, "1",
                           "seed of what kernels draw at random"},
    [DORM__TRAINING_TRAINER] = {"training.trainer", DORM_SETTING_CHOICE, 1, 0, 0, "svm, ridge", "svm",
                                "what makes the candidates: the structured SVM, which begins at ridge regressions "
                                "and has them among its candidates, or ridge regression alone"},
    [DORM__LOSS_NAME] = {"loss.name", DORM_SETTING_TEXT, 0, 0, 0, NULL, "ndcg",
                         "the loss and its parameters, as in ndcg:gain=exp2,discount=log2"},
    [DORM__LOSS_MODULE] = {"loss.module", DORM_SETTING_PATH, 0, 0, 0, NULL, "",
                           "path of a loss module, ./my_loss.so; its loss is loss.name, or the one it has"},
    [DORM__LOSS_TRUNCATION] = {"loss.truncation", DORM_SETTING_INTEGER, 1, 0, 1e9, NULL, "auto",
                               "positions that count, 0 for all (auto: what loss.name says)"},
    [DORM__RANKING_POSITION_WEIGHTS] = {"ranking.position_weights", DORM_SETTING_SPEC, 1, 0, 1e3,
                                        "loss, power:<number>, log, loglog, file:<path>", "loss",
                                        "weights c of the positions in the feature map: the loss's own, (p+2)^-d, "
                                        "1/log(p+3), 1/log log(p+3), or one number a line"},
    [DORM__RANKING_REFERENCE] = {"ranking.reference", DORM_SETTING_SPEC, 1, 0, 1e9,
                                 "listed, averaged, ideal, current, mu:<number>, none", "auto",
                                 "ranking that the worst one is held against (auto: mu:0.3, mu:1 with validation data "
                                 "or folds, else mu:0.3; none for structured losses, which have their own)"},
    [DORM__RANKING_ROUNDS] = {"ranking.rounds", DORM_SETTING_INTEGER, 0, 0, 1000, NULL, "4",
                              "convex-concave rounds for references that follow the scores; 0: the start alone"},
    [DORM__SOLVER_C] = {"solver.C", DORM_SETTING_NUMBER, 1, 1e-12, 1e12, NULL, "1, 3, 10, 30, 100",
                        "weight of the losses against the squared norm"},
    [DORM__SOLVER_C_SCALE] = {"solver.C_scale", DORM_SETTING_CHOICE, 0, 0, 0, "queries, none", "queries",
                              "divide C by the number of training queries, or by nothing"},
    [DORM__SOLVER_GAP] = {"solver.gap", DORM_SETTING_NUMBER, 0, 1e-10, 1, NULL, "0.01",
                          "relative duality gap to stop at"},
    [DORM__SOLVER_MAX_ITERATIONS] = {"solver.max_iterations", DORM_SETTING_INTEGER, 0, 1, 1e9, NULL, "1000",
                                     "oracle passes a convex problem may take"},
    [DORM__SOLVER_ORACLE] = {"solver.oracle", DORM_SETTING_CHOICE, 0, 0, 0,
                             "auto, sort, runs, shortest-path, hungarian", "auto",
                             "how the most violated ranking is found"},
    [DORM__SOLVER_ORACLE_CHECK] = {"solver.oracle_check", DORM_SETTING_CHOICE, 0, 0, 0, "no, yes", "no",
                                   "prove every most violated ranking anew before it is used"},
    [DORM__SOLVER_START] = {"solver.start", DORM_SETTING_CHOICE, 0, 0, 0, "ridge, gains, zero", "ridge",
                            "where training starts: query-centred ridge regression on the labels r, or on the gains "
                            "2^r - 1, itself a candidate; or zero"},
    [DORM__SOLVER_RIDGE] = {"solver.ridge", DORM_SETTING_NUMBER, 1, 1e-12, 1e12, NULL, "auto",
                            "ridge of the start, times the mean variance of a feature (auto: 0.15, or 0.3 with a rank "
                            "block; 0.15, 1.5 and 15 where there are validation data or folds, and fewer than 50 "
                            "training documents a feature)"},
    [DORM__SOLVER_THREADS] = {"solver.threads", DORM_SETTING_INTEGER, 0, 0, 1024, NULL, "0",
                              "threads, 0 for one a processor"},
    [DORM__SOLVER_SOLVER] = {"solver.solver", DORM_SETTING_CHOICE, 0, 0, 0, "n-slack, one-slack", "n-slack",
                             "a slack and working set for each query, or one for their sum: less memory, more passes"},
    [DORM__SOLVER_WORKING_SET] = {"solver.working_set", DORM_SETTING_NUMBER, 0, 0, 1e9, NULL, "2048",
                                  "megabytes that rankings of no weight may fill before they are dropped"},
    [DORM__SOLVER_TIME_LIMIT] = {"solver.time_limit", DORM_SETTING_NUMBER, 0, 0, 1e9, NULL, "0",
                                 "minutes of training, 0 for no limit; what is there then makes the model"},
    [DORM__SOLVER_WEIGHT_MIN] = {"solver.weight_min", DORM_SETTING_NUMBER, 0, -1e9, 1e9, NULL, "auto",
                                 "least weight of the features in solver.bounded, for example 0 (auto: none)"},
    [DORM__SOLVER_WEIGHT_MAX] = {"solver.weight_max", DORM_SETTING_NUMBER, 0, -1e9, 1e9, NULL, "auto",
                                 "largest weight of the features in solver.bounded (auto: none)"},
    [DORM__SOLVER_BOUNDED] = {"solver.bounded", DORM_SETTING_TEXT, 0, 0, 0, NULL, "",
                              "features with bounds on their weights, as in 1-20, 33 (empty: all)"},
    [DORM__DIVERSITY_GROUPS] = {"diversity.groups", DORM_SETTING_SPEC, 0, 0, 1e9,
                                "none, given, host, feature:<number>, docid:<pattern>, file:<path>", "none",
                                "documents of which few may stand in front together: of the same host of their "
                                "id, value of a feature, part of the id in brackets, or group in a file"},
    [DORM__DIVERSITY_TOP] = {"diversity.top", DORM_SETTING_INTEGER, 0, 1, 1e9, NULL, "auto",
                             "positions for which that holds (auto: the truncation of the loss, or 10)"},
    [DORM__DIVERSITY_CAPACITY] = {"diversity.capacity", DORM_SETTING_NUMBER, 0, 1e-9, 1e9, NULL, "1",
                                  "what the documents of a group may weigh there together; 1 each unless the file "
                                  "says otherwise"},
    [DORM__DIVERSITY_ORACLE] = {"diversity.oracle", DORM_SETTING_CHOICE, 0, 0, 0, "auto, shortcut, lp, mip", "auto",
                                "how rankings are found in training: by sort or assignment, by GLPK's linear or "
                                "mixed-integer programme (auto: the cheapest exact one)"},
    [DORM__DIVERSITY_TIME_LIMIT] = {"diversity.time_limit", DORM_SETTING_NUMBER, 0, 0, 1e9, NULL, "10",
                                    "seconds of one mixed-integer programme, 0 for no limit"},
    [DORM__DIVERSITY_OVERLAP] = {"diversity.overlap", DORM_SETTING_CHOICE, 0, 0, 0, "no, yes", "no",
                                 "whether a document may be in several groups of the file"},
    [DORM__DIVERSITY_UNKNOWN] = {"diversity.unknown", DORM_SETTING_CHOICE, 0, 0, 0, "auto, refuse, ignore", "auto",
                                 "documents of the file that the data lack (auto: refuse, but in JSON lines ignore)"},
    [DORM__SELECTION_MEASURE] = {"selection.measure", DORM_SETTING_TEXT, 0, 0, 0, NULL, "auto",
                                 "measure on the validation data (auto: the loss's own)"},
    [DORM__SELECTION_AVERAGE] = {"selection.average", DORM_SETTING_INTEGER, 0, 1, 1e6, NULL, "5",
                                 "the model is the mean of this many best candidates"},
    [DORM__SELECTION_START] = {"selection.start", DORM_SETTING_CHOICE, 0, 0, 0, "yes, no", "yes",
                               "whether the ridge start counts as a candidate"},
    [DORM__SELECTION_RULE] = {"selection.rule", DORM_SETTING_CHOICE, 0, 0, 0, "average, one-se", "average",
                              "average the best candidates, or take the one of least C within one standard error of "
                              "the best"},
    [DORM__SELECTION_FOLDS] = {"selection.folds", DORM_SETTING_INTEGER, 0, 0, 1000, NULL, "0",
                               "cross-validate over so many parts of the training queries, in place of validation "
                               "data; the model is trained on all of them"},
    [DORM__SELECTION_SEED] = {"selection.seed", DORM_SETTING_INTEGER, 0, 0, 1e15, NULL, "1",
                              "draws the parts of cross-validation"},
    [DORM__SELECTION_RETRAIN] = {"selection.retrain", DORM_SETTING_CHOICE, 0, 0, 0, "no, yes", "no",
                                 "train the chosen candidates again on training and validation data together"},
    [DORM__RATINGS_FILE] = {"ratings.file", DORM_SETTING_PATH, 0, 0, 0, NULL, "",
                            "ratings: user, item, rating and perhaps time, divided by tabs, commas or ::"},
    [DORM__RATINGS_HELD_OUT] = {"ratings.held_out", DORM_SETTING_PATH, 0, 0, 0, NULL, "",
                                "ratings to predict, in the same form (empty: what ratings.split holds out)"},
    [DORM__RATINGS_USERS] = {"ratings.users", DORM_SETTING_PATH, 0, 0, 0, NULL, "",
                             "what is known of users: id, tags and name:number, one user a line"},
    [DORM__RATINGS_ITEMS] = {"ratings.items", DORM_SETTING_PATH, 0, 0, 0, NULL, "", "the same of items"},
    [DORM__RATINGS_MINIMUM] = {"ratings.minimum", DORM_SETTING_NUMBER, 0, 0, 1e9, NULL, "0",
                               "smallest rating; a smaller one is an error"},
    [DORM__RATINGS_MAXIMUM] = {"ratings.maximum", DORM_SETTING_NUMBER, 0, 0, 1e9, NULL, "auto",
                               "largest rating; a larger one is an error (auto: no bound)"},
    [DORM__RATINGS_DUPLICATES] = {"ratings.duplicates", DORM_SETTING_CHOICE, 0, 0, 0, "error, last", "error",
                                  "a second rating of an item by a user: an error, or it replaces the first"},
    [DORM__RATINGS_SPLIT] = {"ratings.split", DORM_SETTING_SPEC, 0, 1, 1e9, "none, given:<number>, users:<t/i/m>",
                             "none",
                             "hold nothing out; or all but so many ratings of every user; or half of the ratings of t "
                             "training users, with i input users and the m most rated items"},
    [DORM__RATINGS_LEAST_ITEM] = {"ratings.least_item", DORM_SETTING_INTEGER, 0, 0, 1e9, NULL, "1",
                                  "split: items with fewer ratings leave"},
    [DORM__RATINGS_LEAST_REST] = {"ratings.least_rest", DORM_SETTING_INTEGER, 0, 1, 1e9, NULL, "10",
                                  "split: users for whom fewer ratings would be held out leave"},
    [DORM__RATINGS_SEED] = {"ratings.seed", DORM_SETTING_INTEGER, 0, 0, 1e15, NULL, "1",
                            "draws split, folds and the start of factorisations"},
    [DORM__RATINGS_FOLDS] = {"ratings.folds", DORM_SETTING_INTEGER, 0, 1, 100, NULL, "5",
                             "parts of a user's ratings, each predicted from the others (1: from all, for baselines)"},
    [DORM__RATINGS_REPEATS] = {"ratings.repeats", DORM_SETTING_INTEGER, 0, 1, 100, NULL, "3",
                               "how often ratings are dealt into parts; features are means"},
    [DORM__RATINGS_FEATURES] = {"ratings.features", DORM_SETTING_CHOICE, 1, 0, 0,
                                "bias, gain-bias, popularity, factors, small-factors, neighbours, item-affinity, "
                                "user-affinity, joint-affinity, item-mean, squared-error",
                                "bias, gain-bias, popularity, factors, small-factors, neighbours, item-affinity, "
                                "user-affinity, joint-affinity",
                                "features to make, with ids from 1 in the order of the choices; others are 0"},
    [DORM__RATINGS_RANK] = {"ratings.rank", DORM_SETTING_INTEGER, 0, 1, 1000, NULL, "20",
                            "of the factorisation among the features"},
    [DORM__RATINGS_USER_KERNEL] = {"ratings.user_kernel", DORM_SETTING_CHOICE, 1, 0, 0,
                                   "identity, attributes, correlation", "identity, attributes, correlation",
                                   "what the kernel between users is the sum of"},
    [DORM__RATINGS_ITEM_KERNEL] = {"ratings.item_kernel", DORM_SETTING_CHOICE, 1, 0, 0,
                                   "identity, attributes, correlation", "identity, attributes, correlation",
                                   "what the kernel between items is the sum of"},
    [DORM__RATINGS_WRITE] = {"ratings.write", DORM_SETTING_CHOICE, 1, 0, 0, "features, ratings, kernels", "features",
                             "what is written: LETOR files, the ratings as split, Gram matrices of both kernels"},
    [DORM__RATINGS_OUTPUT] = {"ratings.output", DORM_SETTING_PATH, 0, 0, 0, NULL, "ratings",
                              "the names of what is written begin with this"},
    [DORM__FACTORIZATION_RANK] = {"factorization.rank", DORM_SETTING_INTEGER, 0, 1, 1000, NULL, "10",
                                  "length of the rows of users and items"},
    [DORM__FACTORIZATION_SCALE] = {"factorization.scale", DORM_SETTING_NUMBER, 0, 1e-6, 1e6, NULL, "0.1",
                                   "of the scores at the start, which count beside losses of at most 1"},
    [DORM__FACTORIZATION_PENALTY] = {"factorization.penalty", DORM_SETTING_NUMBER, 0, 1e-6, 1e9, NULL, "30",
                                     "of the squared distance from the start, beside the sum of the losses of users"},
    [DORM__FACTORIZATION_ROUNDS] =
        {"factorization.rounds", DORM_SETTING_INTEGER, 0, 0, 1000, NULL, "1",
         "rounds of a step of users and one of items; held-out ratings may end them earlier"},
    [DORM__OUTPUT_MODEL] = {"output.model", DORM_SETTING_PATH, 0, 0, 0, NULL, "model.dorm", "where the model goes"},
    [DORM__OUTPUT_CHECKPOINT] = {"output.checkpoint", DORM_SETTING_PATH, 0, 0, 0, NULL, "",
                                 "file that a long training can go on from (empty: none)"},
    [DORM__OUTPUT_CHECKPOINT_MINUTES] = {"output.checkpoint_minutes", DORM_SETTING_NUMBER, 0, 0, 1e9, NULL, "10",
                                         "how often it is written, 0 for after every oracle pass"},
    [DORM__OUTPUT_RESUME] = {"output.resume", DORM_SETTING_CHOICE, 0, 0, 0, "no, yes", "no",
                             "go on from output.checkpoint where it exists"},
};

size_t dorm__setting_of_key(const char *key)
{
  size_t i = 0;
  while (i < DORM__NUM_SETTINGS && strcmp(dorm__setting_table[i].key, key) != 0)
    i++;
  return i;
}

const dorm_setting_info *dorm_setting_at(size_t index)
{
  return index < DORM__NUM_SETTINGS ? &dorm__setting_table[index] : NULL;
}
