"""solves.py: jobs that look at single solves of dorm instead of at a method."""
import os
import tempfile

import datasets
import methods

REPEATS = 3


def run_job(job):
    """{path, settings, collection, split, queries, quick} -> dorm's record of every
    candidate, from the fastest of a few trainings, which differ in seconds only."""
    paths = datasets.parts(job["collection"], job["split"], job["queries"], job["quick"])
    with tempfile.TemporaryDirectory(dir=datasets.work()) as scratch:
        log = os.path.join(scratch, "log")
        command = [
            os.environ["DORM"],
            "train",
            job["path"],
            "--quiet",
            "--log",
            log,
            "-s",
            "data.train=" + datasets.text(paths["train"]),
            "-s",
            "output.model=" + os.path.join(scratch, "model"),
            "-s",
            "solver.threads=1",
        ]
        for key, value in job["settings"]:
            command += ["-s", "%s=%s" % (key, value)]
        found = []
        for _ in range(REPEATS):
            methods.run(command, allowed="nothing was learned")  # w = 0 may be the optimum
            found.append(methods.candidates(log))
        return {"candidates": min(found, key=lambda candidates: sum(c["solve_seconds"] for c in candidates))}


def make_job(method, collection, split, queries, quick, settings):
    job = methods.make_job(method, collection, split, queries, "ndcg@10", quick)
    job["run"] = "solves.run_job"
    job["settings"] = settings
    return job
