"""nets.py: the data, the nets and the numbers of this experiment, which lambdarank.py and optima.py share. Jobs run two at
a time. The result of each is kept in the work folder under a key made of the job and of dorm's binaries, so that an
interrupted run continues where it stopped."""
import concurrent.futures
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile

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
    with open(to, "wb") as out:
        out.writelines(datasets.query_lines(path)[:count])


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
    return dorm("train", "-v", "-s", "training.trainer=svm", *arguments)


def effective_pairs(log):
    """The pairs of the net that was kept: its number is beside the star."""
    pairs = [int(line.split(" kept; ")[1].split()[0]) for line in log.splitlines() if "effective pairs" in line]
    kept = [line.split() for line in log.splitlines() if line.endswith(" *")]
    return pairs[int(kept[0][0]) - 1]


def run_job(job):
    """job: {train, validation, settings} and, optional, first: settings of a model trained before, which settings may
    call @first; first_train: its data if they are others; rates: trains with each, and keeps what is best on the training
    data; evals: {name: [data, measure]}; probes: [[data, measure, options...]]."""
    with tempfile.TemporaryDirectory() as folder:
        model, first = os.path.join(folder, "model"), os.path.join(folder, "first")
        if job.get("first"):
            train({"train": job["first_train"]} if "first_train" in job else job, job["first"], first)
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
        is_net = "training.trainer=net" in job["settings"]
        found = {"pairs": effective_pairs(log) if is_net else 0, "evals": {}, "first": {}, "probes": []}
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
