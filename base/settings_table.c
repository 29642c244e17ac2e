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
    [DORM__DATA_NORMALISATION] = {"data.normalisation", DORM_SETTING_CHOICE, 0, 0, 0, "minmax, none", "minmax",
                                  "of each feature within its query: minmax to [0, 1], or none"},
    [DORM__DATA_RANK_BLOCK] = {"data.rank_block", DORM_SETTING_NUMBER, 1, 0, 1e6, NULL, "auto",
                               "factors of the block of within-query ranks of the features, 0 for no block (auto: 0, "
                               "0.5 with validation data, else 0)"},
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
                             "auto, sort, runs, shortest-path, hungarian", "auto",
                             "how the most violated ranking is found"},
    [DORM__SOLVER_START] = {"solver.start", DORM_SETTING_CHOICE, 0, 0, 0, "ridge, zero", "ridge",
                            "where training starts: query-centred ridge regression on the labels, itself a candidate, "
                            "or zero"},
    [DORM__SOLVER_RIDGE] = {"solver.ridge", DORM_SETTING_NUMBER, 1, 1e-12, 1e12, NULL, "auto",
                            "ridge of the start, times the mean variance of a feature (auto: 0.15, or 0.3 with a rank "
                            "block)"},
    [DORM__SOLVER_THREADS] = {"solver.threads", DORM_SETTING_INTEGER, 0, 0, 1024, NULL, "0",
                              "threads, 0 for one a processor"},
    [DORM__SELECTION_MEASURE] = {"selection.measure", DORM_SETTING_TEXT, 0, 0, 0, NULL, "auto",
                                 "measure on the validation data (auto: the loss's own)"},
    [DORM__SELECTION_AVERAGE] = {"selection.average", DORM_SETTING_INTEGER, 0, 1, 1e6, NULL, "5",
                                 "the model is the mean of this many best candidates"},
    [DORM__OUTPUT_MODEL] = {"output.model", DORM_SETTING_TEXT, 0, 0, 0, NULL, "model.dorm", "where the model goes"},
};

const dorm_setting_info *dorm_setting_at(size_t index)
{
  return index < DORM__NUM_SETTINGS ? &dorm__setting_table[index] : NULL;
}
