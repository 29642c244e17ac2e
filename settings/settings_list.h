/* settings_list.h: every setting, once. settings.h makes the names from these rows, and settings_table.c the table:
 *
 *   SETTING(name, key, kind, whether it is a list, least and largest number, choices, default, what a program does
 *           instead if only the command obeys the setting (else NULL), help) */
SETTING(DATA_TRAIN, "data.train", PATH, 0, 0, 0, NULL, "", "data sets are arguments",
        "training data: LETOR / SVMlight text, plain or gzip")
SETTING(DATA_VALIDATION, "data.validation", PATH, 0, 0, 0, NULL, "", "data sets are arguments",
        "validation data, by which dorm chooses among the candidates (empty: none)")
SETTING(DATA_TEST, "data.test", PATH, 0, 0, 0, NULL, "", "dorm_evaluate measures scores",
        "test data, on which the finished model is measured by selection.measure (empty: none)")
SETTING(DATA_NORMALISATION, "data.normalisation", CHOICE, 1, 0, 0, "none, minmax, zscore, global-minmax, global-zscore",
        "minmax", NULL,
        "how each feature is normalised: to [0, 1] or to mean 0 and deviation 1, within each query, or globally with "
        "the numbers of the training data, which the model keeps; of several the one whose model is best on the "
        "validation data")
SETTING(DATA_RANK_BLOCK, "data.rank_block", NUMBER, 1, 0, 1e6, NULL, "auto", NULL,
        "factors of the rank block, which is each feature's rank within its query; 0: no rank block (auto: 0, 0.5 with "
        "validation data or folds, otherwise 0)")
SETTING(DATA_FEATURES, "data.features", TEXT, 0, 0, 0, NULL, "", NULL,
        "ids of the features to use, as in 1-20, 33 (empty: all)")
SETTING(DATA_SORT_QUERIES, "data.sort_queries", CHOICE, 0, 0, 0, "no, yes", "no", "dorm_read_options has sort_queries",
        "whether the lines of a query may be apart in a data file; they are then brought together")
SETTING(DATA_STORAGE, "data.storage", CHOICE, 0, 0, 0, "auto, dense, sparse, file", "auto",
        "dorm_read_options and dorm_arrays have storage",
        "how feature values are kept: all of them, only those other than 0 (auto: by their density), or all of them in "
        "a file in the folder that the environment variable TMPDIR names (or else /var/tmp), for data larger than "
        "memory")
SETTING(DATA_CACHE, "data.cache", CHOICE, 0, 0, 0, "no, yes", "no", "dorm_read_options has use_cache",
        "keep FILE.dorm-cache beside each data file, and read it as long as FILE is unchanged")
SETTING(DATA_WEIGHTS, "data.weights", CHOICE, 0, 0, 0, "yes, queries, documents, no", "yes",
        "dorm_read_options has ignore_weights",
        "weights in FILE.weight beside a data file: yes uses them if they are there, queries or documents needs "
        "weights of these; a model names the weights that it was trained with")
SETTING(DATA_SUBTOPICS, "data.subtopics", PATH, 0, 0, 0, NULL, "", "dorm_dataset_read_subtopics reads them",
        "subtopics that documents are relevant to, lines `query subtopic document judgement`, for alpha_ndcg, err_ia "
        "and subtopic_recall (empty: none are known)")
SETTING(
    DATA_FROM, "data.from", PATH, 0, 0, 0, NULL, "", NULL,
    "model from which training continues, with its features and normalisation: svm stays near its weights, trees are "
    "added to its trees, nets begin at its net (empty: none)")
SETTING(DATA_COLUMNS, "data.columns", TEXT, 0, 0, 0, NULL, "", NULL,
        "names of the columns of CSV and TSV files that are features, separated by commas, in the order of their ids "
        "(empty: all but query, label and document; the model keeps them)")
SETTING(DATA_CATEGORICAL, "data.categorical", TEXT, 0, 0, 0, NULL, "", NULL,
        "ids of features, as in 1-3, 8, whose values are categories: trees split them by sets, as they are in the data "
        "(empty: none)")
SETTING(DATA_CLICKS, "data.clicks", PATH, 0, 0, 0, NULL, "", "dorm_dataset_set_clicks takes clicks",
        "log of clicks on the training data, whose labels they replace: lines `query doc position click` (empty: none)")
SETTING(DATA_VALIDATION_CLICKS, "data.validation_clicks", PATH, 0, 0, 0, NULL, "",
        "dorm_dataset_set_clicks takes clicks",
        "log of clicks on the validation data, whose labels they replace (empty: none)")
SETTING(FEATURES_CROSS, "features.cross", TEXT, 0, 0, 0, NULL, "", NULL,
        "two lists of ids, as in 1-5 x 20-40: the products of a feature of the one and a feature of the other are "
        "features too, for example of a user and a document; 1-5 x 20-40 into 300 hashes them to 300 features "
        "(empty: none)")
SETTING(CLICKS_PROPENSITY, "clicks.propensity", SPEC, 0, 0, 10,
        "auto, none, power:<number>, file:<path>, harvest, em, affine", "auto",
        "dorm_click_options has propensity, eta and path",
        "how likely users look at a position: all 1, 1/position^number, the numbers of a file (one per line from "
        "position 1 on), estimated from documents shown at several positions, estimated by regression on features, or, "
        "affine, estimated with trust in the top positions (auto: harvest if documents were moved, else em)")
SETTING(CLICKS_CURVE, "clicks.curve", CHOICE, 0, 0, 0, "auto, power, free", "auto", "dorm_click_options has curve",
        "estimated propensities: the power law that fits best, the estimates of each position, or what a test decides")
SETTING(KERNEL_KERNEL, "kernel.kernel", TEXT, 0, 0, 0, NULL, "linear", NULL,
        "kernel of the scoring function: linear, polynomial, rbf, laplacian, histogram, gram, and their sums and "
        "products, as in linear + rbf:scale=0.3|1 or rbf(1-20) * linear(21-46)")
SETTING(KERNEL_RANK, "kernel.rank", INTEGER, 1, 0, 1e6, NULL, "200", NULL,
        "rank of the approximation of the Gram matrix; 0: the whole matrix")
SETTING(TRAINING_TRAINER, "training.trainer", CHOICE, 1, 0, 0, "auto, svm, ridge, smooth, adarank, trees, net", "auto",
        NULL,
        "trainers that make the candidates (auto: svm and trees, which are blended): svm is the structured SVM, which "
        "starts from ridge regressions and has them among its candidates; ridge is ridge regression alone; smooth is "
        "pairwise logistic regression, ListNet or SmoothRank (smooth.cost); adarank is AdaRank, the boosting of single "
        "features; trees are boosted regression trees; net is a net trained by gradients on scores (LambdaRank)")
SETTING(TRAINING_LAMBDA, "training.lambda", TEXT, 0, 0, 0, NULL, "ranknet-weight-pairs", NULL,
        "the lambda-function that nets, and trees with the objective lambda, follow, as in ranknet or "
        "ranknet-weight-pairs of map (dorm lambdas lists them; without 'of MEASURE' it is of selection.measure); "
        "several are separated by |")
SETTING(TRAINING_PATIENCE, "training.patience", INTEGER, 0, 0, 1e6, NULL, "auto", NULL,
        "rounds of boosting, or epochs of a net, without a better value of selection.measure on the validation data "
        "after which it stops; 0: never (auto: 60 for trees, 30 for nets; with net.schedule = donmez 0)")
SETTING(TRAINING_SEED, "training.seed", INTEGER, 1, 0, 1e15, NULL, "1, 2, 3", NULL,
        "seeds of all random numbers: the trainer net makes a net of each, everything else takes the first")
SETTING(TRAINING_BUDGET, "training.budget", NUMBER, 0, 0, 1e9, NULL, "600", NULL,
        "seconds that trees and, if it was set or the trainer is auto, linear models may take: each has its share, and "
        "what it has reached is kept if that does not suffice; 0: no limit")
SETTING(TRAINING_INCREASING, "training.increasing", TEXT, 0, 0, 0, NULL, "", NULL,
        "ids of features, as in 1-3, 8, with which scores may only rise (svm, ridge, trees)")
SETTING(TRAINING_DECREASING, "training.decreasing", TEXT, 0, 0, 0, NULL, "", NULL,
        "ids of features with which scores may only fall")
SETTING(TREES_OBJECTIVE, "trees.objective", CHOICE, 1, 0, 0, "dorm, lambda, ordinal, classification, regression",
        "dorm", NULL,
        "what boosted trees are fitted to: the gradients on scores of the lambda-function dorm, or of training.lambda "
        "(LambdaMART); whether the label is at least each level, the label as a class, or the gain 2^y - 1 (McRank)")
SETTING(TREES_RAW_VALUES, "trees.raw_values", CHOICE, 1, 0, 0, "no, yes", "no", NULL,
        "whether trees see values as they are in the data, not as data.normalisation says")
SETTING(TREES_START, "trees.start", SPEC, 1, 0, 0, "none, ridge, file:<path>", "none", NULL,
        "scores at which boosting starts: 0, or the scores of ridge regression or of a linear model from a file, which "
        "the model then contains beside the trees; not for ordinal and classification")
SETTING(TREES_REGRESSION_SHARE, "trees.regression_share", NUMBER, 1, 0, 1e6, NULL, "0.1", NULL,
        "weight of the squared error to the labels, centred within queries, beside the gradients of the objectives "
        "lambda and dorm")
SETTING(TREES_TREES, "trees.trees", INTEGER, 0, 1, 1e6, NULL, "800", NULL,
        "rounds of boosting, each with a tree for every bag and output of the objective; with validation data the best "
        "number of rounds is kept")
SETTING(TREES_LEAVES, "trees.leaves", INTEGER, 1, 2, 65536, NULL, "4, 10", NULL, "largest number of leaves of a tree")
SETTING(TREES_LEARNING_RATE, "trees.learning_rate", NUMBER, 1, 1e-6, 1, NULL, "0.05, 0.2", NULL,
        "factor of what each tree adds (shrinkage)")
SETTING(TREES_BINS, "trees.bins", INTEGER, 0, 2, 256, NULL, "256", NULL,
        "largest number of bins that the values of a feature are put into; 256: 255 and one for missing values "
        "(experiments/paper/mcrank needs fewer)")
SETTING(TREES_MIN_DOCS_IN_LEAF, "trees.min_docs_in_leaf", INTEGER, 1, 1, 1e9, NULL, "30", NULL,
        "smallest number of documents in a leaf")
SETTING(TREES_L2, "trees.l2", NUMBER, 1, 0, 1e9, NULL, "0", NULL,
        "L2 penalty of leaf values: added to the sum of curvatures in each leaf and in the gain of a split, where dorm "
        "and lambda have 0.1 anyway")
SETTING(TREES_ROW_SHARE, "trees.row_share", NUMBER, 1, 1e-6, 1, NULL, "0.7", NULL,
        "share of the documents that each tree is fitted to, drawn at random")
SETTING(TREES_FEATURE_SHARE, "trees.feature_share", NUMBER, 1, 1e-6, 1, NULL, "0.5", NULL,
        "share of the features that each tree may use, drawn at random")
SETTING(NET_HIDDEN, "net.hidden", INTEGER, 1, 0, 1e4, NULL, "10", NULL,
        "hidden tanh units of a net; 0: a single layer, whose scores are linear")
SETTING(NET_LEARNING_RATE, "net.learning_rate", NUMBER, 1, 1e-300, 1e300, NULL, "auto", NULL,
        "learning rate (auto: 0.01; with schedule donmez 0.001, 0.01, 0.1)")
SETTING(NET_SCHEDULE, "net.schedule", CHOICE, 0, 0, 0, "adam, donmez", "adam", NULL,
        "how weights follow the gradients: by Adam, or by plain steps with the schedule of Donmez, Svore and Burges")
SETTING(NET_EPOCHS, "net.epochs", INTEGER, 0, 1, 1e6, NULL, "auto", NULL,
        "passes over the training data, at most; with validation data the best epoch is kept (auto: 300 with "
        "validation data, otherwise 100; with schedule donmez 700)")
SETTING(NET_BATCH, "net.batch", INTEGER, 0, 0, 1e9, NULL, "auto", NULL,
        "queries after which weights move; 0: all (auto: 10; with schedule donmez 1)")
SETTING(NET_START, "net.start", SPEC, 0, 0, 0, "random, ridge, file:<path>", "auto", NULL,
        "start of a net: random weights, ridge regression, or a linear model from a file (auto: ridge; with schedule "
        "donmez random)")
SETTING(SMOOTH_COST, "smooth.cost", TEXT, 0, 0, 0, NULL, "ranknet", NULL,
        "the cost on scores that a linear model minimises, a lambda-function that has one: ranknet (pairwise logistic "
        "regression), softmax (ListNet), perturbed, smoothrank (of selection.measure unless it says otherwise); "
        "several are separated by |")
SETTING(SMOOTH_C, "smooth.C", NUMBER, 1, 1e-12, 1e12, NULL, "1, 10, 100, 1000", NULL,
        "weight of the mean cost of a query against the squared norm |w - w0|^2/2")
SETTING(
    LOSS_NAME, "loss.name", TEXT, 0, 0, 0, NULL, "ndcg", NULL,
    "the loss and its parameters, as in ndcg:gain=exp2,discount=log2, or the loss of a module, as in from ./my_loss.so "
    "or my_loss:power=2 from ./my_loss.so")
SETTING(LOSS_TRUNCATION, "loss.truncation", INTEGER, 1, 0, 1e9, NULL, "auto", NULL,
        "number of positions that count; 0: all (auto: as loss.name says)")
SETTING(RANKING_POSITION_WEIGHTS, "ranking.position_weights", SPEC, 1, 0, 1e3,
        "loss, power:<number>, log, loglog, file:<path>", "loss", NULL,
        "weights c of the positions in the feature map: as in the loss, (p+2)^-d, 1/log(p+3), 1/log log(p+3), or a "
        "file with one number per line (a path that contains a comma is written in quotes)")
SETTING(RANKING_POSITION_FUNCTIONS, "ranking.position_functions", INTEGER, 0, 1, 100, NULL, "1", NULL,
        "number of scoring functions: with K, each of the first K-1 positions adds one of its own to the one that all "
        "positions share, and rankings are found as assignments")
SETTING(RANKING_REFERENCE, "ranking.reference", SPEC, 1, 0, 1e9, "listed, averaged, ideal, current, mu:<number>, none",
        "auto", NULL,
        "reference ranking, which the most violated ranking is compared with (auto: mu:0.3, mu:1 with validation data "
        "or folds, otherwise mu:0.3; none for structured losses, which have their own)")
SETTING(RANKING_ROUNDS, "ranking.rounds", INTEGER, 0, 0, 1000, NULL, "4", NULL,
        "rounds of the convex-concave procedure for references that depend on the scores; 0: the start alone")
SETTING(SOLVER_C, "solver.C", NUMBER, 1, 1e-12, 1e12, NULL, "1, 3, 10, 30, 100", NULL,
        "weight of the losses against the squared norm |w|^2/2")
SETTING(SOLVER_GAP, "solver.gap", NUMBER, 0, 1e-10, 1, NULL, "0.01", NULL,
        "relative duality gap at which a solve stops")
/* Training to small gaps, as in experiments/defaults/convergence.sh, needs a larger number. */
SETTING(SOLVER_MAX_ITERATIONS, "solver.max_iterations", INTEGER, 0, 1, 1e9, NULL, "1000", NULL,
        "largest number of oracle passes for one convex problem")
/* experiments/defaults/oracles.sh and experiments/beyond/diversity.sh compare the methods. */
SETTING(SOLVER_ORACLE, "solver.oracle", CHOICE, 0, 0, 0,
        "auto, sort, runs, shortest-path, hungarian, moves, shortcut, lp, mip", "auto", NULL,
        "how the most violated ranking is found (auto: the cheapest exact method); with diversity.groups shortcut is a "
        "sort or an assignment, and lp and mip are GLPK's linear and mixed-integer programmes")
SETTING(SOLVER_ORACLE_CHECK, "solver.oracle_check", CHOICE, 0, 0, 0, "no, yes", "no", NULL,
        "prove the optimality of every most violated ranking again before it is used")
SETTING(
    SOLVER_START, "solver.start", CHOICE, 0, 0, 0, "ridge, gains, zero, from", "ridge", NULL,
    "start of training: ridge regression, centred per query, on the labels r or on the gains 2^r - 1, which is itself "
    "a candidate; w = 0; or the model of data.from, from which training with solver.rho > 0 always starts")
SETTING(SOLVER_RHO, "solver.rho", NUMBER, 1, 0, 1e9, NULL, "1", NULL,
        "factors of the weights w0 of data.from around which the norm is taken, |w - rho w0|^2/2; 0: the usual norm")
SETTING(SOLVER_RIDGE, "solver.ridge", NUMBER, 1, 1e-12, 1e12, NULL, "auto", NULL,
        "ridge of the start, times the mean variance of a feature (auto: 0.15, or 0.3 with a rank block; 0.15, 1.5 and "
        "15 if there are validation data or folds, and fewer than 50 training documents per feature)")
SETTING(SOLVER_THREADS, "solver.threads", INTEGER, 0, 0, 1024, NULL, "0", NULL,
        "number of threads; 0: one per processor")
SETTING(SOLVER_SHARDS, "solver.shards", INTEGER, 0, 1, 1e5, NULL, "auto", NULL,
        "shards into which the queries are split by their documents: the model depends on them, not on threads or "
        "processes; auto: by the number of queries")
SETTING(SOLVER_MAX_SECONDS, "solver.max_seconds", NUMBER, 0, 0, 1e9, NULL, "0", NULL,
        "seconds that training may take; 0: no limit. The candidates made by then give the model")
SETTING(DIVERSITY_GROUPS, "diversity.groups", SPEC, 0, 0, 1e9,
        "none, given, host, feature:<number>, docid:<pattern>, file:<path>", "none", NULL,
        "groups of documents of which only few may be among the first positions: documents with the same host in "
        "their id, the same value of a feature, the same part of the id (in parentheses in the pattern), or a group in "
        "a file")
SETTING(DIVERSITY_TOP, "diversity.top", INTEGER, 0, 1, 1e9, NULL, "auto", NULL,
        "number of first positions to which the groups apply (auto: the truncation of the loss, or 10)")
SETTING(DIVERSITY_CAPACITY, "diversity.capacity", NUMBER, 0, 1e-9, 1e9, NULL, "1", NULL,
        "largest total weight of the documents of a group among these positions; a document has weight 1 unless the "
        "file says otherwise")
SETTING(SELECTION_MEASURE, "selection.measure", TEXT, 0, 0, 0, NULL, "auto", NULL,
        "measure on the validation data (auto: the measure of the loss)")
SETTING(SELECTION_AVERAGE, "selection.average", INTEGER, 0, 1, 1e6, NULL, "5", NULL,
        "the model is the mean of this many best candidates")
SETTING(SELECTION_BLEND, "selection.blend", NUMBER, 1, 0, 1, NULL, "0.5, 0, 0.25, 0.75, 1", NULL,
        "share of trees and nets in the mean if there are linear models or kernels too: the first number, unless "
        "another is better on the validation data, or on the held-out queries of all folds, by more than one standard "
        "error")
/* experiments/paper/lambdarank/lambdarank.py needs the value no, with which the loss alone decides. */
SETTING(SELECTION_START, "selection.start", CHOICE, 0, 0, 0, "yes, no", "yes", NULL,
        "whether the ridge start is a candidate")
SETTING(SELECTION_FOLDS, "selection.folds", INTEGER, 0, 0, 1000, NULL, "auto", NULL,
        "number of folds of the queries, with the validation data, for cross-validation; the model is trained on all "
        "queries (auto: 5 if trees are trained without validation data and without an earlier model, and there are as "
        "many queries, otherwise 0)")
SETTING(SELECTION_RETRAIN, "selection.retrain", CHOICE, 0, 0, 0, "no, yes", "no", NULL,
        "train the chosen candidates again on training and validation data together")
SETTING(STREAM_EVERY, "stream.every", INTEGER, 0, 1, 1e15, NULL, "1000", NULL,
        "queries of a stream between two reports, at each of which the model and the checkpoint are written")
SETTING(RATINGS_FILE, "ratings.file", PATH, 0, 0, 0, NULL, "", "dorm_ratings_read reads them",
        "ratings: user, item, rating and optionally time, separated by tabs, commas or ::")
SETTING(RATINGS_HELD_OUT, "ratings.held_out", PATH, 0, 0, 0, NULL, "", "dorm_ratings_read reads them",
        "ratings to predict, in the same form (empty: the ratings that ratings.split holds out)")
SETTING(RATINGS_USERS, "ratings.users", PATH, 0, 0, 0, NULL, "", "dorm_attributes_read reads them",
        "attributes of users: id, tags and name:number, one user per line")
SETTING(RATINGS_ITEMS, "ratings.items", PATH, 0, 0, 0, NULL, "", "dorm_attributes_read reads them",
        "attributes of items, in the same form")
SETTING(RATINGS_SPLIT, "ratings.split", SPEC, 0, 1, 1e9, "none, given:<number>, users:<t/i/m>", "none", NULL,
        "hold out nothing; or, for every user, all ratings but this many; or half of the ratings of t training users, "
        "with i input users and the m items that have most ratings")
SETTING(RATINGS_FOLDS, "ratings.folds", INTEGER, 0, 1, 100, NULL, "5", NULL,
        "folds of each user's ratings; each fold is predicted from the others (1: from all, for baselines)")
SETTING(RATINGS_REPEATS, "ratings.repeats", INTEGER, 0, 1, 100, NULL, "3", NULL,
        "how many times ratings are divided into folds; features are means over these")
SETTING(RATINGS_FEATURES, "ratings.features", CHOICE, 1, 0, 0,
        "bias, gain-bias, popularity, item-affinity, user-affinity, joint-affinity",
        "bias, gain-bias, popularity, item-affinity, user-affinity, joint-affinity", NULL,
        "features to make; ids count from 1 in the order of the choices, and features that are not made are 0")
SETTING(RATINGS_KERNELS, "ratings.kernels", CHOICE, 1, 0, 0, "identity, attributes, correlation",
        "identity, attributes, correlation", NULL, "terms of the kernel between users, and of the kernel between items")
SETTING(RATINGS_WRITE, "ratings.write", CHOICE, 1, 0, 0, "features, ratings, kernels", "features",
        "dorm_dataset_write, dorm_ratings_write and dorm_rating_kernels_write write them",
        "what is written: LETOR files, the ratings after the split, Gram matrices of both kernels")
SETTING(RATINGS_OUTPUT, "ratings.output", PATH, 0, 0, 0, NULL, "ratings", "every function that writes takes a path",
        "beginning of the names of the files that are written")
SETTING(FACTORIZATION_RANK, "factorization.rank", INTEGER, 0, 1, 1000, NULL, "10", NULL,
        "length of the vectors of users and items")
SETTING(FACTORIZATION_START, "factorization.start", CHOICE, 0, 0, 0, "squared-error, random", "squared-error", NULL,
        "start of the factorisation, to which it is drawn: a squared-error factorisation, or random vectors drawn to "
        "0, without offsets of items and with ranking.reference = listed (Le and Smola 2007, section 5.2)")
SETTING(FACTORIZATION_PENALTY, "factorization.penalty", NUMBER, 0, 1e-6, 1e9, NULL, "30", NULL,
        "weight of the squared distance from the start, against the sum of the users' losses")
SETTING(FACTORIZATION_ROUNDS, "factorization.rounds", INTEGER, 0, 0, 1000, NULL, "1", NULL,
        "rounds, each with one step for the users and one for the items; held-out ratings may end them earlier")
SETTING(OUTPUT_MODEL, "output.model", PATH, 0, 0, 0, NULL, "model.dorm", "dorm_model_write writes models",
        "file of the model")
SETTING(OUTPUT_CANDIDATES, "output.candidates", PATH, 0, 0, 0, NULL, "", "dorm_training_candidate has them",
        "file of tab-separated values with all candidates and all their numbers (empty: none); - is standard output, "
        "which then gets nothing else")
SETTING(OUTPUT_CHECKPOINT, "output.checkpoint", PATH, 0, 0, 0, NULL, "", NULL,
        "file from which a training that was stopped can continue (empty: none)")
SETTING(OUTPUT_CHECKPOINT_SECONDS, "output.checkpoint_seconds", NUMBER, 0, 0, 1e9, NULL, "600", NULL,
        "seconds between checkpoints; 0: after every oracle pass")
SETTING(OUTPUT_RESUME, "output.resume", CHOICE, 0, 0, 0, "no, yes, overwrite", "no", NULL,
        "if output.checkpoint exists: refuse to train, continue from it, or start anew and replace it")
