/*
 * settings_table.c: every setting, once. Parsing, --help, the manual and the
 * model header all come from this table.
 */
#include "base/base.h"

const dorm_setting_info dorm__setting_table[DORM__NUM_SETTINGS] = {
    [DORM__DATA_TRAIN] = {"data.train", DORM_SETTING_TEXT, 0, 0, 0, NULL, "",
                          "training data: LETOR / SVMlight text, plain or gzip"},
    [DORM__DATA_VALIDATION] = {"data.validation", DORM_SETTING_TEXT, 0, 0, 0, NULL, "",
                               "validation data; chooses among the candidates (empty: none)"},
    [DORM__DATA_NORMALISATION] = {"data.normalisation", DORM_SETTING_CHOICE, 0, 0, 0,
                                  "minmax, zscore, none, global-minmax, global-zscore", "minmax",
                                  "of each feature: to [0, 1] or to mean 0 and deviation 1, within its query, or "
                                  "globally by the training data, whose numbers the model keeps"},
    [DORM__DATA_RANK_BLOCK] = {"data.rank_block", DORM_SETTING_NUMBER, 1, 0, 1e6, NULL, "auto",
                               "factors of the block of within-query ranks of the features, 0 for no block (auto: 0, "
                               "0.5 with validation data, else 0)"},
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
    [DORM__LOSS_NAME] = {"loss.name", DORM_SETTING_TEXT, 0, 0, 0, NULL, "ndcg",
                         "the loss and its parameters, as in ndcg:gain=exp2,discount=log2"},
    [DORM__LOSS_MODULE] = {"loss.module", DORM_SETTING_TEXT, 0, 0, 0, NULL, "",
                           "path of a loss module, ./my_loss.so; its loss is loss.name, or the one it has"},
    [DORM__LOSS_TRUNCATION] = {"loss.truncation", DORM_SETTING_INTEGER, 1, 0, 1e9, NULL, "auto",
                               "positions that count, 0 for all (auto: what loss.name says)"},
    [DORM__RANKING_POSITION_WEIGHTS] = {"ranking.position_weights", DORM_SETTING_SPEC, 1, 0, 1e3,
                                        "loss, power:<number>, log, loglog, file:<path>", "loss",
                                        "weights c of the positions in the feature map: the loss's own, (p+2)^-d, "
                                        "1/log(p+3), 1/log log(p+3), or one number a line"},
    [DORM__RANKING_REFERENCE] = {"ranking.reference", DORM_SETTING_SPEC, 1, 0, 1e9,
                                 "listed, averaged, ideal, current, mu:<number>", "auto",
                                 "ranking that the worst one is held against (auto: mu:0.3, mu:1 with validation data, "
                                 "else mu:0.3)"},
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
                             "auto, sort, runs, topk, shortest-path, hungarian", "auto",
                             "how the most violated ranking is found"},
    [DORM__SOLVER_ORACLE_CHECK] = {"solver.oracle_check", DORM_SETTING_CHOICE, 0, 0, 0, "no, yes", "no",
                                   "prove every most violated ranking anew before it is used"},
    [DORM__SOLVER_START] = {"solver.start", DORM_SETTING_CHOICE, 0, 0, 0, "ridge, zero", "ridge",
                            "where training starts: query-centred ridge regression on the labels, itself a candidate, "
                            "or zero"},
    [DORM__SOLVER_RIDGE] = {"solver.ridge", DORM_SETTING_NUMBER, 1, 1e-12, 1e12, NULL, "auto",
                            "ridge of the start, times the mean variance of a feature (auto: 0.15, or 0.3 with a rank "
                            "block)"},
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
    [DORM__OUTPUT_MODEL] = {"output.model", DORM_SETTING_TEXT, 0, 0, 0, NULL, "model.dorm", "where the model goes"},
    [DORM__OUTPUT_CHECKPOINT] = {"output.checkpoint", DORM_SETTING_TEXT, 0, 0, 0, NULL, "",
                                 "file that a long training can go on from (empty: none)"},
    [DORM__OUTPUT_CHECKPOINT_MINUTES] = {"output.checkpoint_minutes", DORM_SETTING_NUMBER, 0, 0, 1e9, NULL, "10",
                                         "how often it is written, 0 for after every oracle pass"},
    [DORM__OUTPUT_RESUME] = {"output.resume", DORM_SETTING_CHOICE, 0, 0, 0, "no, yes", "no",
                             "go on from output.checkpoint where it exists"},
};

const dorm_setting_info *dorm_setting_at(size_t index)
{
  return index < DORM__NUM_SETTINGS ? &dorm__setting_table[index] : NULL;
}
