"""study.py: runs the jobs of an experiment two at a time, keeps what they found,
and writes the results.

A job is a dictionary: "run" names a function of a module here, the rest are its
arguments. Its result is kept in the work folder ($DORM_WORK, or
build/experiments) under a key made of the job, of dorm's binaries and of this
folder's code, so that an interrupted run goes on where it stopped and
experiments share what they have in common.
"""
import argparse
import glob
import hashlib
import importlib
import json
import multiprocessing
import os
import platform
import subprocess
import sys
import time
import traceback

import datasets
import methods

WORKERS = 2


def _hash_files(paths):
    digest = hashlib.sha256()
    for path in sorted(paths):
        with open(path, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def program_hash():
    """Of dorm and its library, also behind libtool's wrapper."""
    program = os.environ["DORM"]
    behind = os.path.join(os.path.dirname(program), ".libs")
    inner = [
        path for path in (os.path.join(behind, "dorm"), os.path.join(behind, "libdorm.so")) if os.path.exists(path)
    ]
    return _hash_files(inner or [program])


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
        parser.add_argument("--quick", action="store_true", help="little data and few splits: a smoke run")
        parser.add_argument("--data", help="only these collections, separated by commas: " + ", ".join(collections))
        options = parser.parse_args()
        self.name, self.title = name, title
        self.quick = options.quick
        self.began = time.time()
        self.settings = {}
        self.notes = []
        self.blocks = []
        self.rows = []  # of results.tsv
        self.collections = options.data.split(",") if options.data else list(collections)
        self.collections = [c for c in collections if c in self.collections]
        self._require_data()
        self.work = datasets.work()
        # $DORM_RESULTS for all experiments; else quick runs leave the folder's results alone
        where = os.environ.get("DORM_RESULTS") or (os.path.join(self.work, "quick") if self.quick else None)
        self.output = (
            os.path.join(where, name) if where else os.path.join(os.environ["DORM_PROJECT"], "experiments", name)
        )
        os.makedirs(self.output, exist_ok=True)
        code = glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.py"))
        relevant = [
            path for path in code if os.path.basename(path) in ("letor.py", "datasets.py", "methods.py", "solves.py")
        ]
        self.version = program_hash() + _hash_files(relevant)

    def _require_data(self):
        """Says of every collection that is not there what to fetch, and ends."""
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
            if missing not in self.notes:
                self.notes.append("left out: " + missing)
        return [None if "unavailable" in result else result for result in results]

    def _run_waiting(self, waiting, num_kept):
        failures = []
        with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
            needed = sorted(
                {(j["collection"], j["split"], j["queries"], j["quick"]) for j in waiting.values()},
                key=lambda need: (need[0], need[1], need[2]),
            )
            whole = [need for need in needed if need[0] == "artificial"]
            for need in sorted({(c, s, 0, q) for c, s, _, q in whole}):
                self._say("%s: generating data" % self.name)
                pool.apply(_prepare, (need,))
            pool.map(_prepare, needed, chunksize=1)
            tasks = sorted(
                waiting.items(),
                key=lambda item: (item[1]["collection"], item[1]["queries"], item[1]["split"], item[1]["kind"]),
            )
            progress = Progress(self, [job for _, job in tasks], num_kept)
            for path, job, result, seconds, failure in pool.imap_unordered(_work_on, tasks, chunksize=1):
                if failure:
                    failures.append((job, failure))
                elif "unavailable" in result:
                    self._keep(path, result)
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

    def finish(self):
        """Prints the tables; writes results.json and results.tsv."""
        import blocks

        text = "\n\n".join(blocks.as_text(block) for block in self.blocks if block["kind"] == "table")
        if self.notes:
            text += "\n\n" + "\n".join(self.notes)
        print(text)
        record = {
            "experiment": self.name,
            "title": self.title,
            "quick": self.quick,
            "seconds": round(time.time() - self.began, 1),
            "seed": datasets.SEED,
            "settings": self.settings,
            "notes": self.notes,
            "blocks": self.blocks,
        }
        record.update(provenance())
        with open(os.path.join(self.output, "results.json"), "w") as file:
            json.dump(record, file, indent=1)
            file.write("\n")
        if self.rows:
            with open(os.path.join(self.output, "results.tsv"), "w") as file:
                for row in self.rows:
                    file.write("\t".join(str(cell) for cell in row) + "\n")


class Progress:
    """A line on standard error from time to time, with what is left by the mean
    seconds of the jobs of each kind so far."""

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


def provenance():
    """Commit, machine and date of a result."""
    project = os.environ["DORM_PROJECT"]

    def git(*arguments):
        try:
            done = subprocess.run(
                ["git", "-C", project] + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
            return done.stdout.strip() if done.returncode == 0 else ""
        except OSError:
            return ""

    model = ""
    try:
        with open("/proc/cpuinfo") as file:
            model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        pass
    results = [":!experiments/*.json", ":!experiments/*.tsv", ":!experiments/*.svg", ":!*.md"]
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *results)
    return {
        "commit": git("rev-parse", "--short=12", "HEAD") + (" with changes" if changed else ""),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": "%s, %d processors, %s %s"
        % (model or platform.machine(), os.cpu_count() or 0, platform.system(), platform.machine()),
    }
