"""study.py: runs the jobs of an experiment two at a time, keeps what they found,
and writes the results.

A job is a dictionary: "run" names a function of a module in this folder, and the
rest are its arguments. The result of a job is kept in the work folder ($DORM_WORK,
or build/experiments) under a key made of the job, of dorm's binaries and of this
folder's code, so that an interrupted run continues where it stopped and
experiments share the jobs that they have in common.
"""
import argparse
import glob
import hashlib
import importlib
import json
import multiprocessing
import os
import sys
import time
import traceback

import blocks
import datasets
import methods
import summary

WORKERS = 2


def _hash_file(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read())


def _hash_files(paths):
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(_hash_file(path).digest())
    return digest.hexdigest()


def program_hash():
    """The hash of dorm and its library; where DORM is libtool's wrapper, of the
    binaries that the wrapper starts."""
    program = os.environ["DORM"]
    folder = os.path.join(os.path.dirname(program), ".libs")
    inner = [os.path.join(folder, name) for name in ("dorm", "libdorm.so")]
    return _hash_files([path for path in inner if os.path.exists(path)] or [program])


def _work_on(task):
    key, job = task
    began = time.time()
    try:
        module, name = job["run"].split(".")
        result = getattr(importlib.import_module(module), name)(job)
        return key, job, result, time.time() - began, None
    except methods.Unavailable as missing:
        return key, job, {"unavailable": str(missing)}, time.time() - began, None
    except Exception:
        return key, job, None, time.time() - began, traceback.format_exc()


def _prepare(arguments):
    datasets.prepare(*arguments)


class Study:
    """One experiment, as started by its `run`."""

    def __init__(self, name, title, collections):
        parser = argparse.ArgumentParser(prog=name, description=title)
        parser.add_argument("--quick", action="store_true", help="a smoke run on little data and one split")
        parser.add_argument("--data", help="only these collections, separated by commas: " + ", ".join(collections))
        options = parser.parse_args()
        self.name, self.title = name, title
        self.quick = options.quick
        self.settings = {}
        self.left_out = []
        self.blocks = []
        self.observations = []  # rows of observations.tsv
        self.comparisons = []  # (what is compared, difference, its error, p)
        self.collections = options.data.split(",") if options.data else list(collections)
        self.collections = [c for c in collections if c in self.collections]
        self._require_data()
        self.work = datasets.work()
        self.output = os.path.join(os.environ["DORM_RESULTS"], name)
        os.makedirs(self.output, exist_ok=True)
        code = glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.py"))
        relevant = [
            path for path in code if os.path.basename(path) in ("letor.py", "datasets.py", "methods.py", "solves.py")
        ]
        self.version = program_hash() + _hash_files(relevant)

    def _require_data(self):
        """Names what to fetch for every collection that is missing, and ends."""
        missing = []
        for collection in self.collections:
            try:
                datasets.require(collection)
            except datasets.MissingData as error:
                missing.append("%s: %s" % (self.name, error))
        if missing:
            print("\n".join(missing), file=sys.stderr)
            raise SystemExit(3)

    # ---- Jobs ------------------------------------------------------------------

    def job(self, module, collection, split, queries, kind="main", **more):
        """A job of the function `run` of one of the experiment's own modules, under whose code the result is kept, too."""
        return {
            "run": module.__name__ + ".run",
            "collection": collection,
            "split": split,
            "queries": queries,
            "quick": self.quick,
            "kind": kind,
            "depends": _hash_file(module.__file__).hexdigest(),
            **more,
        }

    def _path(self, job):
        text = json.dumps(job, sort_keys=True) + self.version
        return os.path.join(self.work, "jobs", hashlib.sha256(text.encode()).hexdigest() + ".json")

    def run(self, jobs):
        """Results in the order of the jobs; None where the method is not available."""
        os.makedirs(os.path.join(self.work, "jobs"), exist_ok=True)
        paths = [self._path(job) for job in jobs]
        waiting = {path: job for path, job in zip(paths, jobs) if not os.path.exists(path)}
        if waiting:
            self._run_waiting(waiting, len(set(paths)) - len(waiting))
        results = []
        for path in paths:
            with open(path) as file:
                results.append(json.load(file))
        for missing in sorted({r["unavailable"] for r in results if "unavailable" in r}):
            if missing not in self.left_out:
                self.left_out.append(missing)
        return [None if "unavailable" in result else result for result in results]

    def _run_waiting(self, waiting, num_kept):
        failures = []
        with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
            needed = sorted(
                {(j["collection"], j["split"], j["queries"], j["quick"]) for j in waiting.values()},
                key=lambda need: (need[0], need[1], need[2]),
            )
            whole = [need for need in needed if need[0] in datasets.ARTIFICIAL]
            for need in sorted({(c, s, 0, q) for c, s, _, q in whole}):
                self._say("%s: generating data" % self.name)
                pool.apply(_prepare, (need,))
            pool.map(_prepare, needed, chunksize=1)
            tasks = sorted(waiting.items(), key=self._order)
            progress = Progress(self, [job for _, job in tasks], num_kept)
            for path, job, result, seconds, failure in pool.imap_unordered(_work_on, tasks, chunksize=1):
                if failure:
                    failures.append((job, failure))
                else:
                    self._keep(path, result)
                progress.done(job, seconds)
        if failures:
            job, failure = failures[0]
            print(
                "%s: %d jobs failed; the first: %s\n%s" % (self.name, len(failures), json.dumps(job), failure),
                file=sys.stderr,
            )
            raise SystemExit(1)

    @staticmethod
    def _order(task):
        """Trees first, which take longest, then the largest training sets, so that no worker waits long for the last job of
        the other; 0 queries are all."""
        job = task[1]
        grows_trees = "path" in job and methods.Method(job["path"]).scorer == "trees"
        return job["collection"], not grows_trees, -(job["queries"] or float("inf")), job["split"], job["kind"]

    @staticmethod
    def _keep(path, result):
        temporary = path + ".%d" % os.getpid()
        with open(temporary, "w") as file:
            json.dump(result, file)
        os.replace(temporary, path)

    @staticmethod
    def _say(text):
        print(text, file=sys.stderr, flush=True)

    # ---- Results ----------------------------------------------------------------

    def add(self, block):
        """A table or figure (blocks.py)."""
        self.blocks.append(block)

    def compare(self, what, one, other):
        """The mean of one less other over the pairs, its standard error and its two-sided p-value, which is listed
        under the name `what` in the last table of the page, with Holm's correction for all that are listed."""
        found = summary.paired(one, other)
        difference, *errors = found
        reversed_pair = (-difference, *errors)
        # Some tables show the same two methods, one way round or the other.
        if all(tuple(known) not in (found, reversed_pair) for _, *known in self.comparisons):
            self.comparisons.append((what, *found))
        return found

    def _list_comparisons(self):
        if not self.comparisons:
            return
        corrected = summary.holm([p for *_, p in self.comparisons])
        rows = [
            [what, "%+.4f ± %.4f" % (difference, error), summary.p_text(p), summary.p_text(holm)]
            for (what, difference, error, p), holm in zip(self.comparisons, corrected)
        ]
        self.add(
            blocks.table(
                self.name + "-comparisons",
                "All comparisons of %s" % self.name,
                ["comparison", "difference", "p alone", "p by Holm"],
                rows,
                ["paired t-tests, two-sided; Holm's correction for %d comparisons" % len(rows)],
            )
        )

    def finish(self):
        """Prints the tables, the last of which lists the comparisons. Writes results.tsv, and observations.tsv with all that
        was measured, seconds among it."""
        self._list_comparisons()
        print(blocks.printed(self.blocks, ["left out: " + missing for missing in self.left_out]))
        about = {"experiment": "%s, %s" % (self.name, self.title), "seed": datasets.SEED}
        for key, value in self.settings.items():
            about[key] = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value
        if self.left_out:
            about["left out"] = "; ".join(self.left_out)
        blocks.write(os.path.join(self.output, "results.tsv"), about, self.blocks)
        if self.observations:
            with open(os.path.join(self.output, "observations.tsv"), "w") as file:
                for row in self.observations:
                    file.write("\t".join(str(cell) for cell in row) + "\n")


class Progress:
    """Prints a line on standard error from time to time, with the time that is left,
    estimated from the mean seconds of the jobs of each kind so far."""

    def __init__(self, study, jobs, num_kept):
        self.study = study
        self.left = {}
        for job in jobs:
            kind = self._kind(job)
            self.left[kind] = self.left.get(kind, 0) + 1
        self.spent = {}
        self.count = len(jobs)
        self.num_done = 0
        self.num_kept = num_kept
        self.said = 0

    @staticmethod
    def _kind(job):
        return (job["kind"], job["collection"], job["queries"])

    def done(self, job, seconds):
        kind = self._kind(job)
        self.left[kind] -= 1
        count, total = self.spent.get(kind, (0, 0.0))
        self.spent[kind] = (count + 1, total + seconds)
        self.num_done += 1
        now = time.time()
        if now - self.said < 5 and self.num_done < self.count:
            return
        self.said = now
        mean = sum(total for _, total in self.spent.values()) / self.num_done
        rest = 0.0
        for kind, left in self.left.items():
            known = self.spent.get(kind)
            rest += left * (known[1] / known[0] if known else mean)
        kept = " (%d kept from before)" % self.num_kept if self.num_kept else ""
        self.study._say(
            "%s: %d of %d jobs%s, about %s left"
            % (self.study.name, self.num_done, self.count, kept, duration(rest / WORKERS))
        )


def duration(seconds):
    return "%d s" % round(seconds) if seconds < 90 else "%d min" % round(seconds / 60)
