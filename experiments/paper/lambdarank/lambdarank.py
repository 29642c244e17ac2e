"""lambdarank.py: the tables and figures of "On the Local Optimality of LambdaRank" (Donmez, Svore and Burges 2009), and
what they say of DORM. Jobs run two at a time; the result of each is kept in the work folder under a key made of the job and
of dorm's binaries, so that an interrupted run continues where it stopped."""
import concurrent.futures
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile

import blocks
import datasets
import study
import summary

WORKERS = 2
QUICK = "--quick" in sys.argv
WHOLE = "--whole" in sys.argv
DORM = os.environ["DORM"]
MQ2008 = os.path.join(os.environ["DORM_DATA"], "mq2008")
WORK = os.path.join(datasets.work(), "lambdarank" + ("-quick" if QUICK else "-whole" if WHOLE else ""))
VERSION = study.program_hash()

PARTITIONS = range(1, 2 if QUICK else 11)
ARTIFICIAL = [60, 60, 60] if QUICK else [10000, 5000, 10000] if WHOLE else [500, 250, 1000]
FEATURES = 300
MEASURES = ["ndcg", "ndcg@10", "map", "mrr"]
# The paper trains for MRR by equations 10 and 11, dorm's default by all pairs whose swap changes MRR.
TWO_SIDED = "mrr, all pairs"
TRAINED = MEASURES + [TWO_SIDED]
NAMES = {"ndcg": "NDCG", "ndcg@10": "NDCG@10", "map": "MAP", "mrr": "MRR", TWO_SIDED: "MRR, all pairs"}
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
HIDDEN = [0, 10]
LAYERS = {0: "single layer", 10: "two layers"}
RATES = ["0.003"] if QUICK else ["0.0003", "0.003", "0.03"]
STEPS = [i / 10 for i in range(1, 11)]  # the paper's
EPOCHS = 5 if QUICK else 700


def is_binary(trained):
    return trained in ("map", "mrr", TWO_SIDED)


def measure_of(trained):
    return "mrr" if trained == TWO_SIDED else trained


# ---- Data ------------------------------------------------------------------------------------


def dorm(*arguments):
    done = subprocess.run([DORM, *arguments], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError("dorm %s: %s" % (" ".join(arguments), done.stderr))
    return done.stdout + done.stderr


def write_binary(path, least):
    """The same data with labels 1 from `least` on, else 0."""
    with open(path) as file, open(path + ".binary", "w") as binary:
        for line in file:
            label, rest = line.split(" ", 1)
            binary.write("%d %s" % (float(label) >= least, rest))


def write_first(path, count, to):
    """The first queries of a file."""
    seen = []
    with open(path) as file, open(to, "w") as out:
        for line in file:
            query = line.split()[1]
            if not seen or seen[-1] != query:
                seen.append(query)
            if len(seen) > count:
                return
            out.write(line)


def part(data, number, name, measure):
    """The file of a part of a partition, as a measure sees it."""
    return os.path.join(WORK, "%s%d.%s" % (data, number, name)) + (".binary" if is_binary(measure) else "")


def prepare():
    """Ten random partitions of MQ2008 into 60, 20 and 20 percent; one set of artificial data."""
    done = os.path.join(WORK, "data-is-there")
    if os.path.exists(done):
        return
    os.makedirs(WORK, exist_ok=True)
    whole = os.path.join(WORK, "mq2008")
    with open(whole, "w") as out:
        for fold in range(1, 6):
            with open(os.path.join(MQ2008, "Fold%d" % fold, "test.txt")) as file:
                out.write(file.read())
    for p in PARTITIONS:
        train, validation, test = (part("mq2008-", p, name, "ndcg") for name in ("train", "validation", "test"))
        dorm("split", whole, train + "=60", validation + "=20", test + "=20", "--seed", str(p))
        write_first(train, 40 if QUICK else 157, part("mq2008-", p, "small", "ndcg"))
        for name in ("train", "small", "validation", "test"):
            write_binary(part("mq2008-", p, name, "ndcg"), 1)
    for number, (name, queries) in enumerate(zip(("train", "validation", "test"), ARTIFICIAL), 1):
        path = part("artificial-", 1, name, "ndcg")
        dorm("generate", "artificial", "--queries", str(queries), "-d", "50", "-f", str(FEATURES), "--part", str(number),
             "-o", path)
        write_binary(path, 2)
    for name, count in [("small", ARTIFICIAL[0] // 3)] + [("first%d" % n, n) for n in figure5_sizes()]:
        write_first(part("artificial-", 1, "train", "ndcg"), count, part("artificial-", 1, name, "ndcg"))
        write_binary(part("artificial-", 1, name, "ndcg"), 2)
    open(done, "w").close()


def figure5_sizes():
    return [ARTIFICIAL[0] * k // 16 for k in (1, 2, 4, 8, 16)]


# ---- Jobs ------------------------------------------------------------------------------------


def per_query(model, data, measure, folder):
    path = os.path.join(folder, "eval")
    dorm("eval", model, data, "-m", measure, "-t", "1", "-j", path)
    with open(path) as file:
        return json.loads(file.readline())["per_query"]


def train(job, settings, model):
    """Returns what is printed on standard error."""
    arguments = [job["train"]] + ([job["validation"]] if job.get("validation") else [])
    for setting in settings + ["solver.threads=1", "output.model=" + model]:
        arguments += ["-s", setting]
    return dorm("train", "-s", "training.trainer=svm", *arguments)


def effective_pairs(log):
    """The effective pairs of the candidate that was kept, whose line ends with a star."""
    pairs = [int(line.split(" kept; ")[1].split()[0]) for line in log.splitlines() if "effective pairs" in line]
    kept = [line.split() for line in log.splitlines() if line.endswith(" *")]
    return pairs[int(kept[0][0]) - 1] if pairs and kept else 0


def run_job(job):
    """job: {train, validation, settings} and, optional, first: settings of a model trained before, which settings may
    call @first; rates: trains with each, and keeps what is best on the training data; evals: {name: [data, measure]};
    probes: [[data, measure, options...]]."""
    with tempfile.TemporaryDirectory() as folder:
        model, first = os.path.join(folder, "model"), os.path.join(folder, "first")
        if job.get("first"):
            train(job, job["first"], first)
        settings = [setting.replace("@first", first) for setting in job["settings"]]
        best = None
        for rate in job.get("rates", [None]):
            log = train(job, settings + (["net.learning_rate=" + rate] if rate else []), model)
            if rate:
                values = per_query(model, job["train"], job["measure"], folder).values()
                value = sum(values) / len(values)
                if best is None or value > best:
                    best = value
                    os.replace(model, model + ".best")
        if best is not None:
            os.replace(model + ".best", model)
        found = {"pairs": effective_pairs(log), "evals": {}, "first": {}, "probes": []}
        for name, (data, measure) in job.get("evals", {}).items():
            found["evals"][name] = per_query(model, data, measure, folder)
            if job.get("first"):
                found["first"][name] = per_query(first, data, measure, folder)
        for data, measure, *options in job.get("probes", []):
            found["probes"].append(json.loads(dorm("probe", model, data, "-m", measure, "-t", "1", "-j", *options)))
        return found


def remembered(job):
    key = hashlib.sha256((json.dumps(job, sort_keys=True) + VERSION).encode()).hexdigest()
    path = os.path.join(WORK, "job-" + key)
    if not os.path.exists(path):
        found = run_job(job)
        with open(path + ".new", "w") as file:
            json.dump(found, file)
        os.replace(path + ".new", path)
    with open(path) as file:
        return json.load(file)


def run_all(jobs, what):
    print("lambdarank: %s, %d jobs" % (what, len(jobs)), file=sys.stderr, flush=True)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return dict(zip(jobs, pool.map(remembered, jobs.values())))


def net(hidden, trained, *settings):
    """LambdaRank as in the paper's section 7, one candidate a rate. A λ-function among the settings replaces the one of
    `trained`."""
    return ["training.trainer=net", "net.hidden=%d" % hidden, "net.schedule=donmez", "training.seed=1", "net.start=random",
            "net.epochs=%d" % EPOCHS, "data.rank_block=0", "selection.measure=" + measure_of(trained),
            "selection.average=1", *(["training.lambda=misranked-pairs of mrr"] if trained == "mrr" else []), *settings]


def paper_of_lambda(measure, name):
    """The value of a λ-function in the paper's Table 1 or 2."""
    if name == PAPERS_LAMBDA[measure]:
        return PAPER_LAMBDAS[measure][0]
    index = LAMBDAS.index(name) - 1
    return PAPER_LAMBDAS[measure][index] if 1 <= index < len(PAPER_LAMBDAS[measure]) else ""


# ---- Numbers ---------------------------------------------------------------------------------


def by_query(found):
    """{query: value}, the mean over the partitions that have the query in question."""
    values = {}
    for one in found:
        for query, value in one.items():
            values.setdefault(query, []).append(value)
    return {query: sum(all_values) / len(all_values) for query, all_values in values.items()}


def score(found):
    mean, error = summary.mean_error(list(by_query(found).values()))
    return "%.4f ± %.4f" % (mean, error)


def difference(one, other):
    """one less other, paired, with the two-sided p-value of the t-test."""
    one, other = by_query(one), by_query(other)
    mean, error = summary.mean_error([one[query] - other[query] for query in one])
    p = summary.student_tail(abs(mean / error), len(one) - 1) if error > 0 else 1.0
    return "%+.4f ± %.4f (p %s)" % (mean, error, "< 1e-12" if p < 1e-12 else "= %.2g" % p)


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


# ---- Figures 1 to 4, 6: local optimality -----------------------------------------------------------


def rising(moves, first, last):
    """Of the rows first to last - 1: how many moves are better, and how many better or equal, as the paper counts."""
    return [(row["better"], row["better"] + row["equal"]) for row in moves["rows"][first:last]]


def curve_figure(id, title, probe):
    rows = [["direction %d" % (c + 1)] + ["%.4f" % value for value in [probe["value"]] + curve[: len(STEPS)]]
            for c, curve in enumerate(probe["curves"])]
    return blocks.figure(id, title, "step", "measure", ["direction"] + ["%g" % x for x in [0] + STEPS], rows, at=[0] + STEPS)


def steps_option():
    return ["--steps", ",".join("%g" % step for step in STEPS), "--directions", "20" if QUICK else "459"]


def figures_1_to_4():
    jobs = {}
    for data in ("mq2008-", "artificial-"):
        for trained in TRAINED:
            for hidden in HIDDEN:
                measure = measure_of(trained)
                train_part = part(data, 1, "train", measure)
                # single weights at two steps: of two layers of 300 inputs there are 3,020
                probes = [[train_part, measure, "--no-single", *steps_option()],
                          [train_part, measure, "--directions", "1", "--steps", "0.1,1"]]
                common = {"train": train_part, "measure": measure, "probes": probes}
                jobs[data, trained, hidden, "converged"] = dict(common, settings=net(hidden, trained), rates=RATES)
                jobs[data, trained, hidden, "stopped"] = dict(
                    common, settings=net(hidden, trained, "net.learning_rate=" + ",".join(RATES), "training.patience=100"),
                    validation=part(data, 1, "validation", measure))
        train_part = part(data, 1, "train", "ndcg")
        jobs[data, "ndcg", 0, "random"] = {
            "train": train_part, "settings": net(0, "ndcg", "net.learning_rate=1e-12", "net.epochs=1"),
            "probes": [[train_part, "ndcg", "--no-single", *steps_option()],
                       [train_part, "ndcg", "--directions", "1", "--steps", "0.1,1"]]}
    found = run_all(jobs, "Figures 1 to 4 and 6")
    rows, figures = [], []
    for (data, measure, hidden, kind), result in found.items():
        probe, single = result["probes"]
        absolute = rising(probe["directions"], 0, len(STEPS))
        relative = rising(probe["directions"], len(STEPS), 2 * len(STEPS))
        none = [step for step, (count, _) in zip(STEPS, absolute) if not count]
        rows.append([data[:-1], NAMES[measure], LAYERS[hidden], kind, "%.4f" % probe["value"], "%.3g" % probe["norm"],
                     *[str(count) for k in (0, 4, 9) for count in absolute[k]], "%g" % none[0] if none else "above 1",
                     *[str(count) for k in (0, 4) for count in relative[k]],
                     "%d of %d" % (single["singles"]["rows"][0]["better"], single["singles"]["moves"])])
        if kind in ("converged", "random") and measure != TWO_SIDED:
            number = 6 if kind == "random" else MEASURES.index(measure) + 1
            figures.append(curve_figure(
                "lambdarank-figure%d-%s-%d" % (number, data[:-1], hidden),
                "Figure %d: training %s along four directions, %s, %s" % (
                    number, NAMES[measure], data[:-1], LAYERS[hidden] if kind == "converged" else "random weights"), probe))
    columns = ["data", "measure", "net", "weights", "value", "|w|", "step 0.1", "0.1, not lower", "0.5", "0.5, not lower", "1",
               "1, not lower", "none from", "0.1 |w|", "0.1 |w|, not lower", "0.5 |w|", "0.5 |w|, not lower", "single, 0.1"]
    return [blocks.table("lambdarank-optimality", "Local optimality: how many of 459 directions raise the training measure, "
                         "and how many do not lower it, as the paper counts", columns, rows)] + figures


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
                   "probes": [[train_part, "ndcg@10", "--no-single", *steps_option()[2:], "--steps", "0.001,0.01,0.1,0.5,1"]]}
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
    prepare()
    later, tables = tables_3_and_4() + figure_5(), tables_1_and_2()
    made = tables + figures_1_to_4() + later + dorm_and_lambdarank() + side_by_side()
    made.append(summary.all_comparisons("lambdarank", made))
    print(blocks.printed(made))
    output = os.path.join(os.environ["DORM_RESULTS"], "lambdarank")
    os.makedirs(output, exist_ok=True)
    blocks.write(os.path.join(output, "results.tsv"),
                 {"experiment": "lambdarank, nets trained by λ-gradients, and local optima of measures"}, made)


main()
