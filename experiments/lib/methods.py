"""methods.py: a method is one file in experiments/methods, or in the folder
methods/PART of an experiment:

  NAME.ini  settings of `dorm train`
  NAME.py   a Python file with a generator train(train, validation, seed), which
            yields (description, score) for each candidate; score(ranking) returns
            one score per document, and the validation data choose

Its first lines are comments `# key: value`:

  title        its name in tables and figures
  experiments  those that it takes part in (not needed in a part's own folder)
  collections  those that it takes part in, where not all
  scorer       what it ranks by: `linear` (one linear function), or another word
  needs        the Python modules or programs that it needs
  order        its place in the tables
  average      how many of the best candidates are averaged (five without it)
  pool         `same`: the features, starts, number of candidates and averaging are those of DORM's default, and only
               the loss, with what it varies, differs
  series       a setting and how many values it takes from where to where, each the same multiple of the one before it
  letter       `yes`: a form of the paper's own, of which a table shows where its training ends

All methods are tuned alike, on the same validation data: of all candidates, the
five best by the measure in question are averaged, each divided by the deviation
of its scores within queries. dorm does that itself. For Python methods it happens
here, and since some have few candidates, the best one alone is taken where that is
better on the validation data; with `# average: 1` it always is.
"""
import glob
import hashlib
import importlib.util
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile

import numpy as np

import datasets
import letor
import serving

DEPTH = 10
MEASURES = ["ndcg@%d:empty=0" % k for k in range(1, DEPTH + 1)] + [
    "map:empty=0",
    "mrr:threshold=0,empty=0",
    "mrr:threshold=1,empty=0",
    "wta:empty=0",
    "mwta:empty=0",
    "p@10:empty=0",
]
NAMES = ["ndcg@%d" % k for k in range(1, DEPTH + 1)] + ["map", "mrr", "mrr1", "wta", "mwta", "p@10"]


AVERAGE = 5  # as dorm's selection.average

# The measures by which an experiment tunes, where not by NDCG@10.
TUNED_BY = {"figure5": ("mrr",), "figure6": ("mwta", "wta")}


class Unavailable(Exception):
    """Something that a method needs is not installed."""


class Method:
    def __init__(self, path):
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.is_python = path.endswith(".py")
        with open(path) as file:
            self.content = file.read()
        self.keys = dict(re.findall(r"^# ([a-z]+): (.*)$", self.content, re.M))
        self.title = self.keys.get("title", self.name)
        self.scorer = self.keys.get("scorer", "linear")
        self.order = float(self.keys.get("order", 100))
        self.has_same_pool = self.keys.get("pool") == "same"
        self.is_letter = self.keys.get("letter") == "yes"

    def series(self):
        """The setting that `# series:` gives, as a list of one; empty without it."""
        if "series" not in self.keys:
            return []
        key, first, last, count = self.keys["series"].split()
        return [(key, ", ".join("%.3g" % value for value in np.geomspace(float(first), float(last), int(count))))]

    def takes_part(self, experiment, collection):
        own = os.path.basename(os.path.dirname(self.path)) == experiment
        collections = self.keys.get("collections", collection).split()
        return (own or experiment in self.keys.get("experiments", "").split()) and collection in collections

    def selections(self, collection, select):
        """The measures by which the candidates of a Python method are chosen, all in
        one job: those that the experiments in which it takes part ask for."""
        own = os.path.basename(os.path.dirname(self.path))
        experiments = self.keys.get("experiments", "").split() + [own]
        wanted = {"ndcg@10", select}
        if collection not in datasets.UCI:
            wanted |= {measure for name in experiments for measure in TUNED_BY.get(name, ())}
        return sorted(wanted)

    def missing(self):
        """What it needs and is not installed; empty where everything is."""
        absent = []
        for need in self.keys.get("needs", "").split():
            if not shutil.which(need) and not importlib.util.find_spec(need):
                absent.append(need)
        return absent


def find(experiment, collection=None):
    """The methods of an experiment (on a collection), in the order of their `# order:`, then by name."""
    project = os.path.join(os.environ["DORM_PROJECT"], "experiments")
    paths = glob.glob(os.path.join(project, "methods", "*")) + glob.glob(
        os.path.join(project, "**", "methods", experiment, "*"), recursive=True
    )
    methods = [Method(path) for path in paths if path.endswith((".ini", ".py"))]
    chosen = [m for m in methods if m.takes_part(experiment, collection or m.keys.get("collections", "any").split()[0])]
    return sorted(chosen, key=lambda method: (method.order, method.name))


def get(experiment, name):
    for method in find(experiment):
        if method.name == name:
            return method
    raise KeyError("%s has no method %s" % (experiment, name))


# ---- One job: train a method on one split, tuned by one measure --------------------

_loaded = {}


def _load(base):
    if base not in _loaded:
        if len(_loaded) >= 6:
            _loaded.clear()
        _loaded[base] = datasets.load(base)
    return _loaded[base]


def cpu_seconds():
    """The processor seconds of this process and of the programs that it ran."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def run_job(job):
    """{path, collection, split, queries, quick, selections} -> {"seconds": processor
    seconds to train and choose, "by": {measure to tune by: {one of NAMES: one value
    per test query}}}."""
    method = Method(job["path"])
    if method.missing():
        raise Unavailable("%s needs %s" % (method.title, " and ".join(method.missing())))
    paths = datasets.parts(job["collection"], job["split"], job["queries"], job["quick"])
    with tempfile.TemporaryDirectory(dir=datasets.work()) as scratch:
        os.environ["DORM_SCRATCH"] = scratch  # liblinear.py writes there
        train = _train_python if method.is_python else _train_dorm
        result = train(method, job, paths, scratch)
        if job.get("weigh") and not method.is_python:
            model = os.path.join(scratch, "model")
            result["bytes"] = os.path.getsize(model)
            result["score_seconds"] = serving.seconds_per_document(serving.model(model), _load(paths["test"]))
        test = datasets.text(paths["test"])
        result["by"] = {
            select: evaluate(os.path.join(scratch, "scores." + select), test, scratch, job.get("names", NAMES))
            for select in job["selections"]
        }
    return result


def pick(result, select):
    """The part of a job's result for which one measure chose the candidates."""
    return result and {**{key: result[key] for key in result if key != "by"}, "measures": result["by"][select]}


def _train_dorm(method, job, paths, scratch):
    model = os.path.join(scratch, "model")
    log = os.path.join(scratch, "log")
    command = [os.environ["DORM"], "train", method.path, "--quiet", "--log", log]
    for key, value in [
        ("data.train", datasets.text(paths["train"])),
        ("data.validation", datasets.text(paths["validation"])),
        ("solver.threads", 1),
        ("output.model", model),
    ] + method.series() + sorted(job.get("settings", {}).items()):
        command += ["-s", "%s=%s" % (key, value)]
    (select,) = job["selections"]
    command += ["-s", "selection.measure=" + letor.SELECTION[select][1]]
    before = cpu_seconds()
    run(command)
    seconds = cpu_seconds() - before
    run(
        [
            os.environ["DORM"],
            "predict",
            model,
            datasets.text(paths["test"]),
            "-o",
            os.path.join(scratch, "scores." + select),
        ]
    )
    return {"seconds": seconds, "tried": len(candidates(log)), "candidates": candidates(log), "end": end(log, model)}


def end(log, model):
    """Where training ended: of the candidate that was chosen, where it is one alone, C, primal and dual value divided by C,
    and |w|; and the risk at w = 0, which is the primal value of the first pass, divided by C, where training starts
    there."""
    events = [json.loads(line) for line in open(log)]
    first = next((e for e in events if e["event"] == "iteration" and e["iterations"] == 1), None)
    number = next(e for e in events if e["event"] == "selection")["candidates"][0]
    chosen = next(e for e in events if e["event"] == "candidate" and e["candidate"] == number)
    if not first or not chosen.get("C"):
        return None
    with open(model) as file:
        weights = [float(line.split()[2]) for line in file if line.startswith("feature ")]
    return {
        "C": chosen["C"],
        "primal": chosen["primal"] / chosen["C"],
        "dual": chosen["dual"] / chosen["C"],
        "norm": float(np.linalg.norm(weights)),
        "zero": first["primal"] / first["C"],
    }


def candidates(log):
    """The records of the candidates in dorm's log."""
    kept = (
        "reference",
        "position_weights",
        "C",
        "round",
        "rank_block",
        "iterations",
        "columns",
        "support_vectors",
        "gap",
        "primal",
        "dual",
        "solve_seconds",
        "qp_seconds",
        "oracle_seconds",
        "score_seconds",
        "validation",
    )
    found = []
    with open(log) as file:
        for line in file:
            if '"event":"candidate"' in line:
                event = json.loads(line)
                found.append({key: event[key] for key in kept if key in event})
    return found


def run(command, allowed=None):
    """Runs it and returns what it prints. Fails if it does, unless its message contains the text `allowed`."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode and not (allowed and allowed in done.stderr):
        raise RuntimeError("%s\n%s" % (" ".join(command), done.stderr[-2000:]))
    return done.stdout


def _module(method):
    spec = importlib.util.spec_from_file_location("method_" + method.name.replace("-", "_"), method.path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _train_python(method, job, paths, scratch):
    train, validation, test = (_load(paths[part]) for part in datasets.PARTS)
    module = _module(method)
    for ranking in (train, validation, test):
        ranking.blocks  # made once for all methods, and not counted in their seconds
    before = cpu_seconds()
    made = [
        (description, score, np.asarray(score(validation), float))
        for description, score in module.train(train, validation, datasets.SEED + job["split"])
    ]
    seconds = cpu_seconds() - before
    chosen = {}
    for select in job["selections"]:
        measure = letor.SELECTION[select][0]
        before = cpu_seconds()
        order = np.argsort([-measure(validation, scores) for _, _, scores in made], kind="stable")
        best = [made[k] for k in order[: int(method.keys.get("average", AVERAGE))]]
        spreads = [letor.spread_within_queries(train, np.asarray(score(train), float)) for _, score, _ in best]
        together = sum(scores / (spread or 1) for (_, _, scores), spread in zip(best, spreads))
        if measure(validation, best[0][2]) >= measure(validation, together):
            best = best[:1]
        if select == "ndcg@10":
            seconds += cpu_seconds() - before
        total = sum(np.asarray(score(test), float) / (spread or 1) for (_, score, _), spread in zip(best, spreads))
        np.savetxt(os.path.join(scratch, "scores." + select), total, fmt="%.17g")
        chosen[select] = [candidate[0] for candidate in best]
    found = {"seconds": seconds, "tried": len(made), "chosen": chosen}
    if job.get("weigh"):
        found["bytes"] = sum(score.num_bytes for _, score, _ in best)
        found["score_seconds"] = serving.seconds_per_document(
            lambda ranking: sum(score(ranking) for _, score, _ in best), test
        )
    return found


def evaluate(scores, data, scratch, names=NAMES):
    """dorm's measures of a file of scores, those of `names`: name -> one value per query."""
    table = os.path.join(scratch, "queries")
    command = [os.environ["DORM"], "eval", "--scores", scores, data, "--per-query", table]
    for name in names:
        command += ["-m", MEASURES[NAMES.index(name)]]
    run(command)
    with open(table) as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return {name: [float(row[1 + k]) for row in rows] for k, name in enumerate(names)}


def make_job(
    method, collection, split, queries=0, select="ndcg@10", quick=False, settings=None, weigh=False, names=None
):
    """A job for Study.run. It holds everything that its result depends on. With `weigh` the result also has the bytes
    of the model and its seconds per document (serving.py); `names` are its measures, all without."""
    job = {
        "run": "methods.run_job",
        "path": method.path,
        "collection": collection,
        "split": split,
        "queries": queries,
        "quick": quick,
        "kind": method.name,
        "selections": method.selections(collection, select) if method.is_python else [select],
    }
    if settings:
        job["settings"] = settings
    if weigh:
        job["weigh"] = True
    if names:
        job["names"] = names
    job["depends"] = hashlib.sha256((method.content + datasets.fingerprint(collection)).encode()).hexdigest()
    return job
