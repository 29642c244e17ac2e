/* settings_table.c: defines every setting once. Parsing, --help, the manual pages and the header of a model file follow
 * from this table. */
#include "settings/settings.h"

#include <string.h>

#define NO_BOUNDS 0, 0 /* for values that are not numbers */

const dorm_setting_info dorm__setting_table[DORM__NUM_SETTINGS] = {
    [DORM__DATA_TRAIN] = {"data.train", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                          "training data: LETOR / SVMlight text, plain or gzip", "data sets are arguments"},
    [DORM__DATA_VALIDATION] = {"data.validation", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                               "validation data, by which dorm chooses among the candidates (empty: none)",
                               "data sets are arguments"},
    [DORM__DATA_TEST] = {"data.test", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                         "test data, on which the finished model is measured by selection.measure (empty: none)",
                         "dorm_evaluate measures scores"},
    [DORM__DATA_NORMALISATION] = {"data.normalisation", DORM_SETTING_CHOICE, 1, NO_BOUNDS,
                                  "none, minmax, zscore, global-minmax, global-zscore", "minmax",
                                  "how each feature is normalised: to [0, 1] or to mean 0 and deviation 1, within each "
                                  "query, or globally with the numbers of the training data, which the model keeps; of "
                                  "several the one whose model is best on the validation data",
                                  NULL},
    [DORM__DATA_RANK_BLOCK] = {"data.rank_block", DORM_SETTING_NUMBER, 1, 0, 1e6, NULL, "auto",
                               "factors of the rank block, which is each feature's rank within its query; 0: no rank "
                               "block (auto: 0, 0.5 with validation data or folds, otherwise 0)",
                               NULL},
    [DORM__DATA_FEATURES] = {"data.features", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "",
                             "ids of the features to use, as in 1-20, 33 (empty: all)", NULL},
    [DORM__DATA_SORT_QUERIES] = {"data.sort_queries", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "no, yes", "no",
                                 "whether the lines of a query may be apart in a data file; they are then brought "
                                 "together",
                                 "dorm_read_options has sort_queries"},
    [DORM__DATA_STORAGE] =
        {"data.storage", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "auto, dense, sparse, file", "auto",
         "how feature values are kept: all of them, only those other than 0 (auto: by their density), or all of them "
         "in a file in the folder that the environment variable TMPDIR names (or else /var/tmp), for data larger than "
         "memory",
         "dorm_read_options and dorm_arrays have storage"},
    [DORM__DATA_CACHE] = {"data.cache", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "no, yes", "no",
                          "keep FILE.dorm-cache beside each data file, and read it as long as FILE is unchanged",
                          "dorm_read_options has use_cache"},
    [DORM__DATA_WEIGHTS] = {"data.weights", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "yes, queries, documents, no", "yes",
                            "weights in FILE.weight beside a data file: yes uses them if they are there, queries or "
                            "documents needs weights of these; a model names the weights that it was trained with",
                            "dorm_read_options has ignore_weights"},
    [DORM__DATA_SUBTOPICS] =
        {"data.subtopics", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
         "subtopics that documents are relevant to, lines `query subtopic document judgement`, for "
         "alpha_ndcg, err_ia and subtopic_recall (empty: none are known)",
         "dorm_dataset_read_subtopics reads them"},
    [DORM__DATA_FROM] = {"data.from", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                         "model that training goes on from, in the features and normalisation of that model: svm stays "
                         "near its weights, trees are added to its trees, nets begin at its net (empty: none)",
                         NULL},
    [DORM__DATA_COLUMNS] = {"data.columns", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "",
                            "names of the columns of CSV and TSV files that are features, separated by commas, in the "
                            "order of their ids (empty: all but query, label and document; the model keeps them)",
                            NULL},
    [DORM__DATA_CATEGORICAL] = {"data.categorical", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "",
                                "ids of features, as in 1-3, 8, whose values are categories: trees split them by sets, "
                                "as they are in the data (empty: none)",
                                NULL},
    [DORM__FEATURES_CROSS] =
        {"features.cross", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "",
         "two lists of ids, as in 1-5 x 20-40: the products of a feature of the one and a feature "
         "of the other are features too, for example those of users and of documents; 1-5 x 20-40 into 300 hashes "
         "them to 300 features (empty: none)",
         NULL},
    [DORM__DATA_CLICKS] = {"data.clicks", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                           "log of clicks on the training data, whose labels they replace: lines `query doc position "
                           "click` (empty: none)",
                           "dorm_dataset_set_clicks takes clicks"},
    [DORM__DATA_VALIDATION_CLICKS] = {"data.validation_clicks", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                                      "log of clicks on the validation data, whose labels they replace (empty: none)",
                                      "dorm_dataset_set_clicks takes clicks"},
    [DORM__CLICKS_PROPENSITY] =
        {"clicks.propensity", DORM_SETTING_SPEC, 0, 0, 10,
         "auto, none, power:<number>, file:<path>, harvest, em, affine", "auto",
         "how likely users look at a position: all 1, 1/position^number, the numbers of a file (one per line from "
         "position 1 on), estimated from documents shown at several positions, estimated by regression on features, "
         "or, affine, "
         "estimated with trust in the top positions "
         "(auto: harvest where documents were moved, else em)",
         "dorm_click_options has propensity, eta and path"},
    [DORM__CLICKS_CURVE] =
        {"clicks.curve", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "auto, power, free", "auto",
         "estimated propensities: the power law that fits best, the estimates of each position, or what a test decides",
         "dorm_click_options has curve"},
    [DORM__KERNEL_KERNEL] = {"kernel.kernel", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "linear",
                             "kernel of the scoring function: linear, polynomial, rbf, laplacian, histogram, gram, and "
                             "their sums and products, as in linear + rbf:scale=0.3|1 or rbf(1-20) * linear(21-46)",
                             NULL},
    [DORM__KERNEL_RANK] = {"kernel.rank", DORM_SETTING_INTEGER, 1, 0, 1e6, NULL, "200",
                           "rank of the approximation of the Gram matrix; 0: the whole matrix", NULL},
    [DORM__TRAINING_TRAINER] =
        {"training.trainer", DORM_SETTING_CHOICE, 1, NO_BOUNDS, "auto, svm, ridge, smooth, adarank, trees, net", "auto",
         "trainers that make the candidates (auto: svm and trees, which are blended): svm is the structured SVM, which "
         "starts from ridge "
         "regressions and has them among its candidates; ridge is ridge regression alone; smooth is "
         "pairwise logistic regression, ListNet or SmoothRank (smooth.cost); adarank is AdaRank, the boosting of "
         "single features; trees "
         "are boosted regression trees; net is a net trained by gradients on scores "
         "(LambdaRank)",
         NULL},
    [DORM__TRAINING_LAMBDA] =
        {"training.lambda", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "ranknet-weight-pairs",
         "the lambda-function that nets, and trees with the objective lambda, follow, as in ranknet or "
         "ranknet-weight-pairs of map (dorm lambdas lists them; without 'of MEASURE' it is that of selection.measure); "
         "several are separated by |",
         NULL},
    [DORM__TRAINING_PATIENCE] =
        {"training.patience", DORM_SETTING_INTEGER, 0, 0, 1e6, NULL, "auto",
         "rounds of boosting, or epochs of a net, without a better value of selection.measure on the validation data "
         "after which it stops; 0: never (auto: 60 for trees, 30 for nets; with net.schedule = donmez 0)",
         NULL},
    [DORM__TRAINING_SEED] =
        {"training.seed", DORM_SETTING_INTEGER, 1, 0, 1e15, NULL, "1, 2, 3",
         "seeds of all random numbers: the trainer net makes a net of each, everything else takes the first", NULL},
    [DORM__TRAINING_BUDGET] = {"training.budget", DORM_SETTING_NUMBER, 0, 0, 1e9, NULL, "600",
                               "seconds that trees and, if it was set or the trainer is auto, linear models may take: "
                               "each has its share, and "
                               "what it has reached is kept if that does not suffice; 0: no limit",
                               NULL},
    [DORM__TRAINING_INCREASING] = {"training.increasing", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "",
                                   "ids of features, as in 1-3, 8, with which scores may only rise (svm, ridge, trees)",
                                   NULL},
    [DORM__TRAINING_DECREASING] = {"training.decreasing", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "",
                                   "ids of features with which scores may only fall", NULL},
    [DORM__TREES_OBJECTIVE] =
        {"trees.objective", DORM_SETTING_CHOICE, 1, NO_BOUNDS, "dorm, lambda, ordinal, classification, regression",
         "dorm",
         "what boosted trees are fitted to: the gradients on scores of the lambda-function dorm, or of "
         "training.lambda (LambdaMART); whether the label is at least each level, the label as a "
         "class, or the gain 2^y - 1 (McRank)",
         NULL},
    [DORM__TREES_RAW_VALUES] = {"trees.raw_values", DORM_SETTING_CHOICE, 1, NO_BOUNDS, "no, yes", "no",
                                "whether trees see values as they are in the data, not as data.normalisation says",
                                NULL},
    [DORM__TREES_START] =
        {"trees.start", DORM_SETTING_SPEC, 1, NO_BOUNDS, "none, ridge, file:<path>", "none",
         "scores at which boosting starts: 0, or those of ridge regression or of a linear model from a "
         "file, beside which the trees then stand in the model; not for ordinal and classification",
         NULL},
    [DORM__TREES_REGRESSION_SHARE] = {"trees.regression_share", DORM_SETTING_NUMBER, 1, 0, 1e6, NULL, "0.1",
                                      "weight of the squared error to the labels, centred within queries, beside the "
                                      "gradients of the objectives lambda and dorm",
                                      NULL},
    [DORM__TREES_TREES] =
        {"trees.trees", DORM_SETTING_INTEGER, 0, 1, 1e6, NULL, "800",
         "rounds of boosting, each with a tree for every bag and output of the objective; with validation "
         "data the best number of rounds is kept",
         NULL},
    [DORM__TREES_LEAVES] = {"trees.leaves", DORM_SETTING_INTEGER, 1, 2, 65536, NULL, "4, 10",
                            "largest number of leaves of a tree", NULL},
    [DORM__TREES_LEARNING_RATE] = {"trees.learning_rate", DORM_SETTING_NUMBER, 1, 1e-6, 1, NULL, "0.05, 0.2",
                                   "factor of what each tree adds (shrinkage)", NULL},
    [DORM__TREES_BINS] =
        {"trees.bins", DORM_SETTING_INTEGER, 0, 2, 256, NULL, "256",
         "largest number of bins that the values of a feature are put into; 256: 255 and one for missing "
         "values (experiments/paper/mcrank needs fewer)",
         NULL},
    [DORM__TREES_MIN_DOCS_IN_LEAF] = {"trees.min_docs_in_leaf", DORM_SETTING_INTEGER, 1, 1, 1e9, NULL, "30",
                                      "smallest number of documents in a leaf", NULL},
    [DORM__TREES_ROW_SHARE] = {"trees.row_share", DORM_SETTING_NUMBER, 1, 1e-6, 1, NULL, "0.7",
                               "share of the documents that each tree is fitted to, drawn at random", NULL},
    [DORM__TREES_FEATURE_SHARE] = {"trees.feature_share", DORM_SETTING_NUMBER, 1, 1e-6, 1, NULL, "0.5",
                                   "share of the features that each tree may use, drawn at random", NULL},
    [DORM__NET_HIDDEN] = {"net.hidden", DORM_SETTING_INTEGER, 1, 0, 1e4, NULL, "10",
                          "hidden tanh units of a net; 0: a single layer, whose scores are linear", NULL},
    [DORM__NET_LEARNING_RATE] = {"net.learning_rate", DORM_SETTING_NUMBER, 1, 1e-300, 1e300, NULL, "auto",
                                 "learning rate (auto: 0.01; with schedule donmez 0.001, 0.01, 0.1)", NULL},
    [DORM__NET_SCHEDULE] = {"net.schedule", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "adam, donmez", "adam",
                            "how weights follow the gradients: by Adam, or by plain steps with the schedule of Donmez, "
                            "Svore and Burges",
                            NULL},
    [DORM__NET_EPOCHS] = {"net.epochs", DORM_SETTING_INTEGER, 0, 1, 1e6, NULL, "auto",
                          "passes over the training data, at most; with validation data the best epoch is kept (auto: "
                          "300 with validation data, otherwise 100; with schedule donmez 700)",
                          NULL},
    [DORM__NET_BATCH] = {"net.batch", DORM_SETTING_INTEGER, 0, 0, 1e9, NULL, "auto",
                         "queries after which weights move; 0: all (auto: 10; with schedule donmez 1)", NULL},
    [DORM__NET_START] = {"net.start", DORM_SETTING_SPEC, 0, NO_BOUNDS, "random, ridge, file:<path>", "auto",
                         "where a net starts: at random weights, at ridge regression, or at a linear model from a "
                         "file (auto: ridge; with schedule donmez random)",
                         NULL},
    [DORM__SMOOTH_COST] =
        {"smooth.cost", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "ranknet",
         "the cost on scores that a linear model minimises, a lambda-function that has one: ranknet (pairwise logistic "
         "regression), softmax (ListNet), perturbed, smoothrank (of selection.measure unless it says otherwise); "
         "several "
         "are separated by |",
         NULL},
    [DORM__SMOOTH_C] = {"smooth.C", DORM_SETTING_NUMBER, 1, 1e-12, 1e12, NULL, "1, 10, 100, 1000",
                        "weight of the mean cost of a query against the squared norm |w - w0|^2/2", NULL},
    [DORM__ADARANK_ROUNDS] = {"adarank.rounds", DORM_SETTING_INTEGER, 1, 1, 1e6, NULL, "1, 2, 5, 10, 20, 50, 100, 200",
                              "rounds of boosting after which AdaRank makes a candidate, rising", NULL},
    [DORM__LOSS_NAME] =
        {"loss.name", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "ndcg",
         "the loss and its parameters, as in ndcg:gain=exp2,discount=log2, or that of a module, as in from "
         "./my_loss.so or my_loss:power=2 from ./my_loss.so",
         NULL},
    [DORM__LOSS_TRUNCATION] = {"loss.truncation", DORM_SETTING_INTEGER, 1, 0, 1e9, NULL, "auto",
                               "number of positions that count; 0: all (auto: as loss.name says)", NULL},
    [DORM__RANKING_POSITION_WEIGHTS] = {"ranking.position_weights", DORM_SETTING_SPEC, 1, 0, 1e3,
                                        "loss, power:<number>, log, loglog, file:<path>", "loss",
                                        "weights c of the positions in the feature map: those of the loss, (p+2)^-d, "
                                        "1/log(p+3), 1/log log(p+3), or a file with one number per line (a path that "
                                        "contains a comma is written in quotes)",
                                        NULL},
    [DORM__RANKING_POSITION_FUNCTIONS] =
        {"ranking.position_functions", DORM_SETTING_INTEGER, 0, 1, 100, NULL, "1",
         "number of scoring functions: with K, each of the first K-1 positions adds one of its own to the one that all "
         "positions share, and rankings are found as assignments",
         NULL},
    [DORM__RANKING_REFERENCE] =
        {"ranking.reference", DORM_SETTING_SPEC, 1, 0, 1e9, "listed, averaged, ideal, current, mu:<number>, none",
         "auto",
         "reference ranking, which the most violated ranking is compared with (auto: mu:0.3, mu:1 with validation data "
         "or folds, otherwise mu:0.3; none for structured losses, which have their own)",
         NULL},
    [DORM__RANKING_ROUNDS] =
        {"ranking.rounds", DORM_SETTING_INTEGER, 0, 0, 1000, NULL, "4",
         "rounds of the convex-concave procedure for references that depend on the scores; 0: the start alone", NULL},
    [DORM__SOLVER_C] = {"solver.C", DORM_SETTING_NUMBER, 1, 1e-12, 1e12, NULL, "1, 3, 10, 30, 100",
                        "weight of the losses against the squared norm |w|^2/2", NULL},
    [DORM__SOLVER_GAP] = {"solver.gap", DORM_SETTING_NUMBER, 0, 1e-10, 1, NULL, "0.01",
                          "relative duality gap at which a solve stops", NULL},
    /* Training to small gaps, as in experiments/defaults/convergence.sh, needs a larger number. */
    [DORM__SOLVER_MAX_ITERATIONS] = {"solver.max_iterations", DORM_SETTING_INTEGER, 0, 1, 1e9, NULL, "1000",
                                     "largest number of oracle passes for one convex problem", NULL},
    /* experiments/defaults/oracles.sh and experiments/beyond/diversity.sh compare the methods. */
    [DORM__SOLVER_ORACLE] = {"solver.oracle", DORM_SETTING_CHOICE, 0, NO_BOUNDS,
                             "auto, sort, runs, shortest-path, hungarian, moves, shortcut, lp, mip", "auto",
                             "how the most violated ranking is found (auto: the cheapest exact method); with "
                             "diversity.groups shortcut is a sort or an assignment, and lp and mip are GLPK's linear "
                             "and mixed-integer programmes",
                             NULL},
    [DORM__SOLVER_ORACLE_CHECK] = {"solver.oracle_check", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "no, yes", "no",
                                   "prove the optimality of every most violated ranking again before it is used", NULL},
    [DORM__SOLVER_START] = {"solver.start", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "ridge, gains, zero, from", "ridge",
                            "where training starts: ridge regression, centred per query, on the labels r or on the "
                            "gains 2^r - 1, which is itself a candidate; w = 0; or the model of data.from, where "
                            "training with solver.rho > 0 always starts",
                            NULL},
    [DORM__SOLVER_RHO] = {"solver.rho", DORM_SETTING_NUMBER, 1, 0, 1e9, NULL, "1",
                          "factors of the weights w0 of data.from around which the norm is taken, |w - rho w0|^2/2; "
                          "0: the usual norm",
                          NULL},
    [DORM__SOLVER_RIDGE] =
        {"solver.ridge", DORM_SETTING_NUMBER, 1, 1e-12, 1e12, NULL, "auto",
         "ridge of the start, times the mean variance of a feature (auto: 0.15, or 0.3 with a rank block; 0.15, 1.5 "
         "and 15 if there are validation data or folds, and fewer than 50 training documents per feature)",
         NULL},
    [DORM__SOLVER_THREADS] = {"solver.threads", DORM_SETTING_INTEGER, 0, 0, 1024, NULL, "0",
                              "number of threads; 0: one per processor", NULL},
    [DORM__SOLVER_SHARDS] =
        {"solver.shards", DORM_SETTING_INTEGER, 0, 1, 1e5, NULL, "auto",
         "shards that the queries are dealt into by their documents: the model depends on them, not "
         "on threads or processes; auto: by the number of queries",
         NULL},
    [DORM__SOLVER_MAX_SECONDS] =
        {"solver.max_seconds", DORM_SETTING_NUMBER, 0, 0, 1e9, NULL, "0",
         "seconds that training may take; 0: no limit. The candidates made by then give the model", NULL},
    [DORM__DIVERSITY_GROUPS] = {"diversity.groups", DORM_SETTING_SPEC, 0, 0, 1e9,
                                "none, given, host, feature:<number>, docid:<pattern>, file:<path>", "none",
                                "groups of documents of which only few may stand among the first positions: documents "
                                "with the same host in their id, the same value of a feature, the same part of the id "
                                "(in parentheses in the pattern), or a group in a file",
                                NULL},
    [DORM__DIVERSITY_TOP] =
        {"diversity.top", DORM_SETTING_INTEGER, 0, 1, 1e9, NULL, "auto",
         "number of first positions to which the groups apply (auto: the truncation of the loss, or 10)", NULL},
    [DORM__DIVERSITY_CAPACITY] = {"diversity.capacity", DORM_SETTING_NUMBER, 0, 1e-9, 1e9, NULL, "1",
                                  "largest total weight of the documents of a group among these positions; a document "
                                  "has weight 1 unless the file says otherwise",
                                  NULL},
    [DORM__SELECTION_MEASURE] = {"selection.measure", DORM_SETTING_TEXT, 0, NO_BOUNDS, NULL, "auto",
                                 "measure on the validation data (auto: that of the loss)", NULL},
    [DORM__SELECTION_AVERAGE] = {"selection.average", DORM_SETTING_INTEGER, 0, 1, 1e6, NULL, "5",
                                 "the model is the mean of this many best candidates", NULL},
    [DORM__SELECTION_BLEND] =
        {"selection.blend", DORM_SETTING_NUMBER, 1, 0, 1, NULL, "0.5, 0, 0.25, 0.75, 1",
         "share of trees and nets in the mean where there are linear models or kernels too: the first "
         "number, unless another is better on the validation data, or on the held-out queries of all folds, by "
         "more than one standard error",
         NULL},
    /* The experiment experiments/paper/lambdarank/lambdarank.py needs the value no, with which the loss alone decides.
     */
    [DORM__SELECTION_START] = {"selection.start", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "yes, no", "yes",
                               "whether the ridge start is a candidate", NULL},
    [DORM__SELECTION_FOLDS] =
        {"selection.folds", DORM_SETTING_INTEGER, 0, 0, 1000, NULL, "auto",
         "number of folds of the queries, those of validation data among them, for "
         "cross-validation; the model is trained on all queries (auto: 5 where trees are trained without "
         "validation data and without an earlier model, and there are as many queries, otherwise 0)",
         NULL},
    [DORM__SELECTION_RETRAIN] = {"selection.retrain", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "no, yes", "no",
                                 "train the chosen candidates again on training and validation data together", NULL},
    [DORM__STREAM_EVERY] = {"stream.every", DORM_SETTING_INTEGER, 0, 1, 1e15, NULL, "1000",
                            "queries of a stream between two reports, at each of which the model and the checkpoint "
                            "are written",
                            NULL},
    [DORM__RATINGS_FILE] = {"ratings.file", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                            "ratings: user, item, rating and optionally time, separated by tabs, commas or ::",
                            "dorm_ratings_read reads them"},
    [DORM__RATINGS_HELD_OUT] = {"ratings.held_out", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                                "ratings to predict, in the same form (empty: those that ratings.split holds out)",
                                "dorm_ratings_read reads them"},
    [DORM__RATINGS_USERS] = {"ratings.users", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                             "attributes of users: id, tags and name:number, one user per line",
                             "dorm_attributes_read reads them"},
    [DORM__RATINGS_ITEMS] = {"ratings.items", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                             "attributes of items, in the same form", "dorm_attributes_read reads them"},
    [DORM__RATINGS_SPLIT] = {"ratings.split", DORM_SETTING_SPEC, 0, 1, 1e9, "none, given:<number>, users:<t/i/m>",
                             "none",
                             "hold out nothing; or, for every user, all ratings but this many; or half of the ratings "
                             "of t training users, with i input users and the m items that have most ratings",
                             NULL},
    [DORM__RATINGS_FOLDS] =
        {"ratings.folds", DORM_SETTING_INTEGER, 0, 1, 100, NULL, "5",
         "folds of each user's ratings; each fold is predicted from the others (1: from all, for baselines)", NULL},
    [DORM__RATINGS_REPEATS] = {"ratings.repeats", DORM_SETTING_INTEGER, 0, 1, 100, NULL, "3",
                               "how many times ratings are divided into folds; features are means over these", NULL},
    [DORM__RATINGS_FEATURES] =
        {"ratings.features", DORM_SETTING_CHOICE, 1, NO_BOUNDS,
         "bias, gain-bias, popularity, item-affinity, user-affinity, joint-affinity",
         "bias, gain-bias, popularity, item-affinity, user-affinity, joint-affinity",
         "features to make; ids count from 1 in the order of the choices, and features that are not made are 0", NULL},
    [DORM__RATINGS_KERNELS] = {"ratings.kernels", DORM_SETTING_CHOICE, 1, NO_BOUNDS,
                               "identity, attributes, correlation", "identity, attributes, correlation",
                               "terms of the kernel between users, and of the kernel between items", NULL},
    [DORM__RATINGS_WRITE] = {"ratings.write", DORM_SETTING_CHOICE, 1, NO_BOUNDS, "features, ratings, kernels",
                             "features",
                             "what is written: LETOR files, the ratings after the split, Gram matrices of both kernels",
                             "dorm_dataset_write, dorm_ratings_write and dorm_rating_kernels_write write them"},
    [DORM__RATINGS_OUTPUT] = {"ratings.output", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "ratings",
                              "beginning of the names of the files that are written",
                              "every function that writes takes a path"},
    [DORM__FACTORIZATION_RANK] = {"factorization.rank", DORM_SETTING_INTEGER, 0, 1, 1000, NULL, "10",
                                  "length of the vectors of users and items", NULL},
    [DORM__FACTORIZATION_START] =
        {"factorization.start", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "squared-error, random", "squared-error",
         "where the factorisation starts and what it is drawn to: a squared-error factorisation, or random vectors "
         "drawn to 0, without offsets of items and with ranking.reference = listed (Le and Smola 2007, section 5.2)",
         NULL},
    [DORM__FACTORIZATION_PENALTY] =
        {"factorization.penalty", DORM_SETTING_NUMBER, 0, 1e-6, 1e9, NULL, "30",
         "weight of the squared distance from the start, against the sum of the users' losses", NULL},
    [DORM__FACTORIZATION_ROUNDS] =
        {"factorization.rounds", DORM_SETTING_INTEGER, 0, 0, 1000, NULL, "1",
         "rounds, each with one step for the users and one for the items; held-out ratings may end them earlier", NULL},
    [DORM__OUTPUT_MODEL] = {"output.model", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "model.dorm", "file of the model",
                            "dorm_model_write writes models"},
    [DORM__OUTPUT_CANDIDATES] = {"output.candidates", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                                 "file of tab-separated values with all candidates and all their numbers (empty: "
                                 "none); - is standard output, which then gets nothing else",
                                 "dorm_training_candidate has them"},
    [DORM__OUTPUT_CHECKPOINT] = {"output.checkpoint", DORM_SETTING_PATH, 0, NO_BOUNDS, NULL, "",
                                 "file from which a training that was stopped can go on (empty: none)", NULL},
    [DORM__OUTPUT_CHECKPOINT_SECONDS] = {"output.checkpoint_seconds", DORM_SETTING_NUMBER, 0, 0, 1e9, NULL, "600",
                                         "seconds between checkpoints; 0: after every oracle pass", NULL},
    [DORM__OUTPUT_RESUME] = {"output.resume", DORM_SETTING_CHOICE, 0, NO_BOUNDS, "no, yes, overwrite", "no",
                             "if output.checkpoint exists: refuse to train, go on from it, or start anew and replace "
                             "it",
                             NULL},
};

static const dorm__gone_setting gone_settings[] = {
    {"data.bits", NULL, "use data.storage = file"},
    {"data.folder", NULL, "the environment variable TMPDIR names the folder"},
    {"ratings.features", "factors", "the others rank as well without it"},
    {"ratings.features", "small-factors", "the others rank as well without it"},
    {"ratings.features", "neighbours", "the others rank as well without it"},
    {"ratings.features", "item-mean", "the others rank as well without it"},
    {"ratings.features", "squared-error", "use dorm factorize with factorization.rounds = 0"},
    {"ratings.minimum", NULL, "ratings below 0 are an error"},
    {"ratings.maximum", NULL, "ratings have no upper bound"},
    {"ratings.duplicates", NULL, "a second rating of an item by the same user is an error"},
    {"ratings.rank", NULL, "the vectors of users and items in the affinities have length 20"},
    {"ratings.least_rest", NULL, "a split drops users with fewer than 10 held-out ratings"},
    {"ratings.least_item", NULL, "a split keeps all items"},
    {"factorization.scale", NULL, "the scores at the start are scaled by 0.1"},
    {"selection.rule", NULL, "the best candidates are averaged; selection.average = 1 takes the best one"},
    {"adarank.repeats", NULL, "no feature is chosen twice in a row"},
    {"trees.expected", NULL, "ordinal and classification rank by the expected label"},
    {"clicks.propensity", "chain", "use harvest, which compares all pairs of positions"},
    {"clicks.propensity", "power", "use power:ETA, as in power:1"},
    {"clicks.propensity", "file", "use file:PATH"},
    {"clicks.eta", NULL, "use clicks.propensity = power:ETA"},
    {"clicks.file", NULL, "use clicks.propensity = file:PATH"},
    {"clicks.clip", NULL, "smaller propensities are raised to 0.01"},
    {"clicks.gains", NULL, "a click is divided by the mean propensity of its document over the shown rankings"},
    {"kernel.landmarks", NULL, "pivots are the documents with the largest residuals"},
    {"stream.method", NULL, "streams take subgradient steps"},
    {"stream.window", NULL, "streams keep no queries"},
    {"stream.visits", NULL, "streams learn from each query once"},
    {"stream.horizon", NULL, "solver.C is divided by the number of queries so far"},
    {"stream.skip", NULL, "a resumed stream skips the lines of files, and no lines of pipes"},
    {"solver.C_scale", NULL, "solver.C is divided by the number of queries that train"},
    {"solver.solver", NULL, "each query has a slack and a working set"},
    {"solver.working_set", NULL, "rankings without weight may fill 2048 megabytes"},
    {"trees.shrinkage", NULL, "it is now trees.learning_rate"},
    {"trees.least_documents", NULL, "it is now trees.min_docs_in_leaf"},
    {"trees.documents", NULL, "it is now trees.row_share"},
    {"trees.features", NULL, "it is now trees.feature_share"},
    {"trees.lambda", NULL, "it is now training.lambda"},
    {"net.lambda", NULL, "it is now training.lambda"},
    {"trees.patience", NULL, "it is now training.patience"},
    {"net.patience", NULL, "it is now training.patience"},
    {"solver.weight_min", NULL, "use training.increasing, the features whose weights are at least 0"},
    {"solver.weight_max", NULL, "use training.decreasing, the features whose weights are at most 0"},
    {"solver.bounded", NULL, "use training.increasing and training.decreasing"},
    {"features.cross_size", NULL, "use features.cross = 1-5 x 20-40 into N"},
    {"diversity.oracle", NULL, "use solver.oracle"},
    {"ratings.user_kernel", NULL, "use ratings.kernels, for users and items"},
    {"ratings.item_kernel", NULL, "use ratings.kernels, for users and items"},
    {"loss.module", NULL, "use loss.name = from PATH, or loss.name = NAME from PATH"},
    {"trees.bags", NULL, "use selection.folds, whose trees are averaged"},
    {"net.penalty", NULL, "the weights of nets have no penalty"},
    {"net.rate", NULL, "it is now net.learning_rate"},
    {"output.checkpoint_minutes", NULL, "use output.checkpoint_seconds, in seconds"},
    {"solver.time_limit", NULL, "use solver.max_seconds, in seconds"},
    {"kernel.seed", NULL, "use training.seed"},
    {"trees.seed", NULL, "use training.seed"},
    {"net.seed", NULL, "use training.seed"},
    {"selection.seed", NULL, "use training.seed"},
    {"ratings.seed", NULL, "use training.seed"},
    {"smooth.gap", NULL, "minimisations stop at a relative gap of 1e-6"},
    {"smooth.max_iterations", NULL, "minimisations make at most 1000 passes, and 100 for costs that are not convex"},
    {"smooth.width", NULL, "smoothrank begins at 4 times the spread of the scores of ridge regression"},
    {"smooth.steps", NULL, "smoothrank has 6 widths"},
    {"diversity.unknown", NULL, "groups in JSON lines may name documents that the data lack"},
    {"diversity.overlap", NULL, "a file may put a document into several groups"},
    {"diversity.time_limit", NULL, "a mixed-integer programme may take 10 seconds"},
};

/* Whether `word` is one of the words in `text`, which commas and blanks separate. */
static bool has_word(const char *text, const char *word)
{
  for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
    size_t size = strcspn(text, ", ");
    if (size == strlen(word) && strncmp(text, word, size) == 0)
      return true;
    text += size;
  }
  return false;
}

const dorm__gone_setting *dorm__gone_setting_find(const char *key, const char *text)
{
  for (size_t i = 0; i < sizeof gone_settings / sizeof *gone_settings; i++)
    if (strcmp(gone_settings[i].key, key) == 0 && (!gone_settings[i].word || has_word(text, gone_settings[i].word)))
      return &gone_settings[i];
  return NULL;
}

size_t dorm__setting_of_key(const char *key)
{
  size_t i = 0;
  while (i < DORM__NUM_SETTINGS && strcmp(dorm__setting_table[i].key, key) != 0)
    i++;
  return i;
}

const dorm_setting_info *dorm_setting_info_at(size_t index)
{
  return index < DORM__NUM_SETTINGS ? &dorm__setting_table[index] : NULL;
}
