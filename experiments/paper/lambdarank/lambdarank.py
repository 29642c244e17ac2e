"""lambdarank.py: the tables and figures of "On the Local Optimality of LambdaRank" (Donmez, Svore and Burges 2009), and
what they say of DORM. nets.py trains the nets, and optima.py probes their weights."""
import math
import os

import blocks
import nets
import optima
import summary
from nets import MEASURES, NAMES, PARTITIONS, QUICK, RATES, TRAINED, difference, figure5_sizes, net, part, run_all, score

LAMBDAS = ["ranknet-weight-pairs", "misranked-pairs", "local-gradient", "local-cost", "spring-smooth", "discrete-bounded",
           "ranknet"]
PAPERS_LAMBDA = {"map": "ranknet-weight-pairs", "mrr": "misranked-pairs"}  # which of them the paper's RankNetWeightPairs is
# What the paper prints: validation values of the λ-functions, the first of which is RankNetWeightPairs, in the order of
# LAMBDAS, and test values of Tables 3 and 4, a row for each test measure, by training measure in the order of MEASURES.
PAPER_LAMBDAS = {
    "map": ["0.462 ± 0.0048", "0.435 ± 0.0048", "0.427 ± 0.0049", "0.424 ± 0.0048", "0.401 ± 0.0049"],
    "mrr": ["0.524 ± 0.0059", "0.512 ± 0.0059", "0.515 ± 0.0060", "0.498 ± 0.0058", "0.471 ± 0.0059"]}
PAPER_TESTS = {
    3: {"ndcg": "0.723 0.722 0.718 0.704", "ndcg@10": "0.442 0.422 0.435 0.403", "map": "0.335 0.335 0.337 0.314",
        "mrr": "0.546 0.548 0.546 0.526"},
    4: {"ndcg": "0.726 0.724 0.723 0.709", "ndcg@10": "0.452 0.448 0.447 0.415", "map": "0.341 0.338 0.343 0.322",
        "mrr": "0.550 0.547 0.550 0.539"}}
PAPER_ERRORS = {"ndcg": "0.001", "ndcg@10": "0.002", "map": "0.002", "mrr": "0.004"}


def paper_of_lambda(measure, name):
    """The value of a λ-function in the paper's Table 1 or 2."""
    if name == PAPERS_LAMBDA[measure]:
        return PAPER_LAMBDAS[measure][0]
    index = LAMBDAS.index(name) - 1
    return PAPER_LAMBDAS[measure][index] if 1 <= index < len(PAPER_LAMBDAS[measure]) else ""


# ---- Tables 1 and 2 ---------------------------------------------------------------------------


def tables_1_and_2():
    jobs = {}
    for data, parts in (("mq2008-", PARTITIONS), ("artificial-", [1])):
        for measure in ("map", "mrr"):
            for name in LAMBDAS:
                for p in parts:
                    spec = name if name == "ranknet" else "%s of %s" % (name, measure)
                    jobs[data, measure, name, p] = {
                        "train": part(data, p, "train", measure), "validation": part(data, p, "validation", measure),
                        "settings": net(0, measure, "training.lambda=" + spec, "training.patience=100", "net.learning_rate=" + ",".join(RATES)),
                        "evals": {name: [part(data, p, name, measure), measure] for name in ("validation", "test")}}
    found = run_all(jobs, "Tables 1 and 2")
    made = []
    for number, measure in enumerate(("map", "mrr"), 1):
        rows = []
        for data, parts in (("mq2008-", PARTITIONS), ("artificial-", [1])):
            for name in LAMBDAS:
                row = [data[:-1], name]
                for where in ("validation", "test"):
                    one = [found[data, measure, name, p]["evals"][where] for p in parts]
                    base = [found[data, measure, PAPERS_LAMBDA[measure], p]["evals"][where] for p in parts]
                    row += [score(one), difference(one, base) if name != PAPERS_LAMBDA[measure] else ""]
                rows.append(row + [paper_of_lambda(measure, name)])
        columns = ["data", "λ-function", "validation " + NAMES[measure], "less " + PAPERS_LAMBDA[measure],
                   "test " + NAMES[measure], "less %s on test" % PAPERS_LAMBDA[measure], "the paper, validation"]
        made.append(blocks.table("lambdarank-table%d" % number, "Table %d: %s of λ-functions, single layer" % (
            number, NAMES[measure]), columns, rows))
    return made


# ---- Tables 3 and 4 -----------------------------------------------------------------------------------


def paper_of_test(number, test, trained):
    if trained not in MEASURES:
        return ""
    return PAPER_TESTS[number][test].split()[MEASURES.index(trained)] + " ± " + PAPER_ERRORS[test]


def tables_3_and_4():
    jobs = {}
    for data, parts in (("mq2008-", PARTITIONS), ("artificial-", [1])):
        for size in ("small", "train"):
            for trained in TRAINED:
                for p in parts:
                    jobs[data, size, trained, p] = {
                        "train": part(data, p, size, trained), "validation": part(data, p, "validation", trained),
                        "settings": net(10, trained, "net.learning_rate=" + ",".join(RATES), "training.patience=100"),
                        "evals": {m: [part(data, p, "test", m), m] for m in MEASURES}}
    found = run_all(jobs, "Tables 3 and 4")
    made = []
    for number, size in ((3, "small"), (4, "train")):
        rows = []
        for data, parts in (("mq2008-", PARTITIONS), ("artificial-", [1])):
            for test in MEASURES:
                for trained in TRAINED:
                    one = [found[data, size, trained, p]["evals"][test] for p in parts]
                    own = [found[data, size, test, p]["evals"][test] for p in parts]
                    pairs = [found[data, size, trained, p]["pairs"] for p in parts]
                    rows.append([data[:-1], NAMES[test], NAMES[trained], score(one),
                                 difference(one, own) if trained != test else "", "%d" % (sum(pairs) / len(pairs)),
                                 paper_of_test(number, test, trained)])
        made.append(blocks.table(
            "lambdarank-table%d" % number, "Table %d: test measures of nets with two layers, %s training data" % (
                number, "few" if size == "small" else "all"),
            ["data", "test", "train", "test score", "less the matching one", "effective pairs", "the paper"], rows))
    return made


# ---- Figure 5 ------------------------------------------------------------------------------------------


def figure_5():
    jobs = {}
    for size in figure5_sizes():
        for trained in TRAINED:
            jobs[size, trained] = {
                "train": part("artificial-", 1, "first%d" % size, trained),
                "validation": part("artificial-", 1, "validation", trained),
                "settings": net(10, trained, "net.learning_rate=" + ",".join(RATES), "training.patience=100"),
                "evals": {"mrr": [part("artificial-", 1, "test", "mrr"), "mrr"]}}
    found = run_all(jobs, "Figure 5")
    rows = []
    for trained in TRAINED:
        for size in figure5_sizes():
            result = found[size, trained]
            rows.append([NAMES[trained], str(size), "%.2f" % math.log10(max(1, result["pairs"])),
                         score([result["evals"]["mrr"]])])
    return [blocks.table("lambdarank-figure5", "Figure 5: effective pairs against test MRR, artificial data, two layers",
                         ["train", "queries", "log10 of effective pairs", "test MRR"], rows)]


# ---- DORM ------------------------------------------------------------------------------------------------


def dorm_and_lambdarank():
    """What no paper has: DORM's weights, and LambdaRank from them."""
    plain = ["data.rank_block=0", "selection.average=1"]
    models = {
        "DORM": plain, "DORM, reference ideal": plain + ["ranking.reference=ideal", "selection.start=no"],
        "ridge": plain + ["training.trainer=ridge"], "ranking SVM": plain + ["loss.name=rsvm", "selection.start=no",
                                                                           "selection.measure=ndcg@10"],
        "LambdaRank": net(0, "ndcg@10", "net.learning_rate=" + ",".join(RATES), "training.patience=100"),
        "LambdaRank, converged": net(0, "ndcg@10")}
    jobs = {}
    for name, settings in models.items():
        for p in PARTITIONS:
            train_part, test = part("mq2008-", p, "train", "ndcg"), part("mq2008-", p, "test", "ndcg")
            job = {"train": train_part, "settings": settings, "measure": "ndcg@10",
                   "evals": {"train": [train_part, "ndcg@10"], "test": [test, "ndcg@10"]},
                   "probes": [[train_part, "ndcg@10", "--no-single", *optima.steps_option()[2:], "--steps", "0.001,0.01,0.1,0.5,1"]]}
            job.update({"rates": RATES} if "converged" in name else {"validation": part("mq2008-", p, "validation", "ndcg")})
            jobs[name, p] = job
    found = run_all(jobs, "local optimality of linear models")
    rows = []
    for name in models:
        shares = [[100 * row["better"] / result["probes"][0]["directions"]["moves"]
                   for row in result["probes"][0]["directions"]["rows"][5:]] for result in (found[name, p] for p in PARTITIONS)]
        rows.append([name] + [score([found[name, p]["evals"][w] for p in PARTITIONS]) for w in ("train", "test")] +
                    ["%.1f" % (sum(share[r] for share in shares) / len(shares)) for r in range(5)])
    tables = [blocks.table("lambdarank-dorm", "NDCG@10 on MQ2008 and percent of directions that raise it on the training data, "
                           "by steps in units of |w|", ["model", "training", "test", "0.001", "0.01", "0.1", "0.5", "1"], rows)]
    jobs = {}
    for p in PARTITIONS:
        train_part, test = part("mq2008-", p, "train", "ndcg"), part("mq2008-", p, "test", "ndcg")
        common = {"train": train_part, "measure": "ndcg@10", "first": plain,
                  "evals": {"train": [train_part, "ndcg@10"], "test": [test, "ndcg@10"]}}
        start = net(0, "ndcg@10", "net.start=file:@first")
        validation = part("mq2008-", p, "validation", "ndcg")
        jobs["converged", p] = dict(common, settings=start, rates=RATES, first=plain + ["data.validation=" + validation])
        jobs["stopped by validation", p] = dict(common, settings=start + ["net.learning_rate=" + ",".join(RATES), "training.patience=100"],
                                                validation=validation)
    found = run_all(jobs, "LambdaRank from DORM's weights")
    rows = []
    for kind in ("converged", "stopped by validation"):
        row = [kind]
        for where in ("train", "test"):
            before = [found[kind, p]["first"][where] for p in PARTITIONS]
            after = [found[kind, p]["evals"][where] for p in PARTITIONS]
            row += [score(before), difference(after, before)]
        rows.append(row)
    tables.append(blocks.table("lambdarank-from-dorm", "LambdaRank from DORM's weights: NDCG@10 on MQ2008",
                               ["LambdaRank", "training, DORM", "change", "test, DORM", "change on test"], rows))
    return tables


def with_defaults(name, title, measure, methods):
    """A table of test measures. methods: {name: (settings, the one to compare with)}."""
    jobs = {}
    for data, parts in (("artificial-", [1]), ("mq2008-", PARTITIONS)):  # the longest job first
        for method, (settings, _) in methods.items():
            settings = settings + (["trees.trees=10"] if QUICK and "trees" in method else [])
            for p in parts:
                jobs[data, method, p] = {
                    "train": part(data, p, "train", measure), "validation": part(data, p, "validation", measure),
                    "settings": settings, "evals": {"test": [part(data, p, "test", measure), measure]}}
    found = run_all(jobs, title)
    rows = []
    for data, parts in (("mq2008-", PARTITIONS), ("artificial-", [1])):
        values = {method: [found[data, method, p]["evals"]["test"] for p in parts] for method in methods}
        for method, (_, base) in methods.items():
            rows.append([data[:-1], method, score(values[method]),
                         difference(values[method], values[base]) if base else "", base or ""])
    return [blocks.table(name, title, ["data", "method", measure.upper(), "less", "less this"], rows)]


def side_by_side():
    trees, layer, layers = ["training.trainer=trees"], ["training.trainer=net", "net.hidden=0"], ["training.trainer=net"]
    methods = {"DORM": ([], None), "DORM trees": (trees, "DORM"), "LambdaRank, single layer": (layer, "DORM"),
               "LambdaRank, two layers": (layers, "DORM")}
    of_mrr = {}
    for name, settings in (("trees", trees), ("single layer", layer), ("two layers", layers)):
        settings = settings + ["selection.measure=mrr", "training.lambda=%s of mrr"]
        for function, base in (("ranknet-weight-pairs", None), ("misranked-pairs", name + ", ranknet-weight-pairs")):
            of_mrr["%s, %s" % (name, function)] = ([s.replace("%s", function) for s in settings], base)
    return (with_defaults("lambdarank-methods", "Test NDCG@10 with dorm's defaults", "ndcg@10", methods) +
            with_defaults("lambdarank-mrr", "Test MRR with dorm's defaults by both λ-functions of MRR", "mrr", of_mrr))


def main():
    nets.prepare()
    later, tables = tables_3_and_4() + figure_5(), tables_1_and_2()
    made = tables + optima.figures_1_to_4() + optima.section_8() + later + dorm_and_lambdarank() + side_by_side()
    made.append(summary.all_comparisons("lambdarank", made))
    print(blocks.printed(made))
    output = os.path.join(os.environ["DORM_RESULTS"], "lambdarank")
    os.makedirs(output, exist_ok=True)
    blocks.write(os.path.join(output, "results.tsv"),
                 {"experiment": "lambdarank, nets trained by λ-gradients, and local optima of measures"}, made)


main()
