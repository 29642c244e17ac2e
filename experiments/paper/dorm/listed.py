"""listed.py: the ranking SVM by a solver that lists all pairs, beside dorm's, which lists none, and beside DORM; one solve
each for one C."""
import os
import shutil
import subprocess
import tempfile

import numpy as np

import datasets
import liblinear
import methods

GAP = "1e-3"
EPSILON = "0.01"  # how far liblinear's dual coordinates may be from their optimum
DORM = {
    "DORM (NDCG), c = (i+1)^-1/2": ["loss.name=ndcg", "ranking.reference=listed", "ranking.position_weights=power:0.5"],
    "ranking SVM, no pairs listed": ["loss.name=rsvm:pairs=sum"],
}
LISTED = "ranking SVM, pairs listed (liblinear)"


def pairs(ranking):
    """The documents of each pair, the more relevant one first."""
    found = []
    for documents in ranking.queries():
        r = ranking.r[documents]
        better, worse = np.nonzero(r[:, None] > r[None, :])
        found.append(documents.start + np.stack([better, worse]))
    return np.concatenate(found, axis=1)


def solve_listed(path, epsilon, C):
    """Processor seconds, and the weights. liblinear's hinge in the dual, without bias."""
    model = path + ".model"
    command = ["liblinear-train", "-q", "-s", "3", "-c", repr(C), "-e", epsilon, path, model]
    before = methods.cpu_seconds()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = methods.cpu_seconds() - before
    with open(model) as file:
        return seconds, np.loadtxt(file.read().split("\nw\n")[1].split())


def run_listed(ranking, C, folder):
    better, worse = pairs(ranking)
    x = ranking.blocks[0][1].astype(float)
    differences, sign = x[better] - x[worse], np.where(np.arange(len(better)) % 2, -1.0, 1.0)  # two classes are needed
    per_pair = C / len(np.unique(ranking.query[better]))  # dorm's C, too, is divided by the queries that have pairs
    path = os.path.join(folder, "pairs")
    liblinear.write(differences * sign[:, None], sign, path)
    reading, _ = solve_listed(path, "1e9", per_pair)
    seconds, w = solve_listed(path, EPSILON, per_pair)
    w = np.pad(w, (0, x.shape[1] - len(w)))
    hinge = np.maximum(0, 1 - differences @ w).sum()
    return {"pairs": len(better), "seconds": seconds - reading, "primal": 0.5 * w @ w + per_pair * hinge}


def run_dorm(settings, text, C, folder):
    log = os.path.join(folder, "log")
    settings = settings + ["training.trainer=svm", "data.train=" + text, "solver.threads=1", "data.rank_block=0",
                           "solver.gap=" + GAP, "solver.C=%r" % C, "ranking.rounds=1", "selection.start=no",
                           "solver.start=zero", "selection.folds=0", "output.model=" + os.path.join(folder, "model")]
    command = [os.environ["DORM"], "train", "--quiet", "--log", log]
    methods.run(command + [word for s in settings for word in ("-s", s)], allowed="nothing was learned")
    last = [c for c in methods.candidates(log) if c["round"]][-1]
    return {"seconds": last["solve_seconds"], "primal": last["primal"]}


def run(job):
    """{collection, split, queries, C} -> {title: {seconds, primal, and pairs if they are listed}}"""
    if not shutil.which("liblinear-train"):
        raise methods.Unavailable("%s needs liblinear-train" % LISTED)
    path = datasets.parts(job["collection"], job["split"], job["queries"], job["quick"])["train"]
    with tempfile.TemporaryDirectory(dir=datasets.work()) as folder:
        found = {name: run_dorm(settings, datasets.text(path), job["C"], folder) for name, settings in DORM.items()}
        found[LISTED] = run_listed(datasets.load(path), job["C"], folder)
        return found
