"""runner.py: lists, runs and resumes the experiments, and shows their results.

An experiment is a folder with a program `run` and a README. It consists of one or several parts. A part NAME is a
section `## NAME: what it is` of the README and a script beside it: NAME.sh, or NAME.py, which is a study (study.py).
Its results are kept beside it in NAME.tsv (blocks.py). The head of the script may have lines
  needs: COLLECTION...   the data that it needs (PLACES in datasets.py)
  modules: NAME...       the Python modules that it needs
  runs: full             it has no quick run
  runs: alone            `all` leaves it out
  processors: 2          it keeps two processors busy, as every study does
  minutes: N             that it takes on two processors that do nothing else; `all` takes at most two hours

A script is called without arguments, or with --quick. It prints its tables, and writes the file results.tsv, and
whatever else it has, to $DORM_RESULTS/NAME. There the runner adds output.txt, which holds what was printed, and
run.json, which holds commit, date, machine, OpenBLAS's kernels and seconds. After a run of the whole part, a
results.tsv that differs from NAME.tsv replaces it. Seconds are not in results.tsv, so a run that finds the same figures
again changes no file of the sources. With kernels that did not make the kept results, a run replaces none (agreement.py).

Studies run first, one after the other, and then scripts, two at a time. What a part prints on standard output is shown
when it ends.
"""
import argparse
import concurrent.futures
import ctypes
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time

import agreement
import blocks
import datasets
import ledger
import study

PROJECT = os.environ["DORM_PROJECT"]
HERE = os.path.join(PROJECT, "experiments")
RESULTS = os.environ["DORM_RESULTS"]


class Part:
    """One script of an experiment."""

    def __init__(self, folder, name, description, section):
        self.folder, self.name, self.description, self.section = folder, name, description, section
        self.experiment = os.path.relpath(folder, HERE)
        script = os.path.join(folder, name + ".sh")
        self.is_study = not os.path.exists(script)
        self.script = os.path.join(folder, name + ".py") if self.is_study else script
        self.kept = os.path.join(folder, name + ".tsv")
        with open(self.script) as file:
            text = file.read()
        self.needs, self.modules, runs, processors, minutes = (
            re.findall(r"\S+", " ".join(re.findall(r"^(?:# )?%s: (.*)$" % key, text, re.M)))
            for key in ("needs", "modules", "runs", "processors", "minutes")
        )
        self.minutes = int(minutes[0]) if minutes else None
        self.only_full, self.only_alone = "full" in runs, "alone" in runs
        self.is_parallel = self.is_study or "2" in processors

    def share(self):
        """The minutes of two processors that it takes; a script that keeps one of them busy shares them with another."""
        return (self.minutes or 0) / (1 if self.is_parallel else study.WORKERS)

    def missing(self):
        """What it needs and is not there: sentences of MissingData."""
        found = []
        for need in self.needs:
            try:
                datasets.require(need)
            except datasets.MissingData as error:
                found.append((need, str(error)))
        return found

    def sources(self):
        """The files in its folder on which its results may depend: all but scripts and methods of other parts."""
        others = {name[:-4] for name in os.listdir(self.folder) if name.endswith(".tsv")} - {self.name}
        paths = []
        for base, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name not in others]
            paths += [
                os.path.join(base, name)
                for name in names
                if name.endswith((".ini", ".py", ".sh")) and (base != self.folder or name.rsplit(".", 1)[0] not in others)
            ]
        return paths


def parts():
    """All parts: those of papers first; within a folder in the order of its README."""
    folders = [base for base, _, names in os.walk(HERE) if "run" in names and base != HERE]
    found = []
    for folder in sorted(folders, key=lambda path: (os.path.dirname(path) == HERE, path)):
        with open(os.path.join(folder, "README.md")) as file:
            sections = re.split(r"^## ", file.read(), flags=re.M)[1:]
        for section in sections:
            heading, _, body = section.partition("\n")
            name, _, description = heading.partition(": ")
            if any(os.path.exists(os.path.join(folder, name + ending)) for ending in (".py", ".sh")):
                found.append(Part(folder, name, description, body))
    return found


class Book:
    """Which experiments are done, and how long each took; kept in the work folder."""

    def __init__(self, quick):
        self.path = os.path.join(datasets.work(), "done-quick.json" if quick else "done.json")
        self.lock = threading.Lock()
        try:
            with open(self.path) as file:
                self.entries = json.load(file)
        except (OSError, ValueError):
            self.entries = {}

    def seconds(self, name):
        return self.entries.get(name, {}).get("seconds")

    def is_done(self, experiment):
        has_results = os.path.exists(os.path.join(RESULTS, experiment.name, "results.tsv"))
        return has_results and self.entries.get(experiment.name, {}).get("version") == version(experiment)

    def enter(self, experiment, seconds):
        with self.lock:  # two experiments may end at the same time
            self.entries[experiment.name] = {"version": version(experiment), "seconds": seconds}
            with open(self.path + ".new", "w") as file:
                json.dump(self.entries, file, indent=1)
            os.replace(self.path + ".new", self.path)


def version(experiment):
    """Changes when the results might. Scripts, too, train configurations of methods/."""
    shared = []
    for folder in ("lib", "methods") if experiment.is_study else ("methods",):
        base = os.path.join(HERE, folder)
        shared += [
            os.path.join(base, name)
            for name in os.listdir(base)
            if name.endswith((".py", ".ini")) and name not in ("runner.py", "agreement.py", "report.py", "prose.py", "gnuplot.py")
        ]
    return study.program_hash() + study._hash_files(shared + experiment.sources())


def show(found, book):
    width = max(len(e.name) for e in found)
    folder = None
    for e in found:
        if e.experiment != folder:
            folder = e.experiment
            print(folder)
        missing = [need for need, _ in e.missing()]
        states = ["%d min" % e.minutes] if e.minutes else []
        states += ["not in `all`"] * e.only_alone
        states += ["needs " + ", ".join(missing)] if missing else ["done"] * book.is_done(e)
        print("  %-*s  %s%s" % (width, e.name, e.description, "".join("  [%s]" % state for state in states)))
    print("`all` takes about %.0f minutes on two processors" % sum(e.share() for e in found if not e.only_alone))


def show_results(chosen):
    """Prints the tables and figures that are kept."""
    for e in chosen:
        if not os.path.exists(e.kept):
            say("%s: no results are kept" % e.name)
            continue
        about, found = blocks.read(e.kept)
        print("# %s\n" % about["experiment"])
        print("\n\n".join(blocks.as_text(block) for block in blocks.resolve(found) if block["kind"] != "data") + "\n")


def run_one(experiment, quick, data):
    """Runs it and returns its exit status."""
    absent = [name for name in experiment.modules if not importlib.util.find_spec(name)]
    for name in absent:
        say("%s: there is no Python module %s: apt-get install python3-%s, or name another Python by PYTHON"
            % (experiment.name, name, name))
    lacking = [] if experiment.is_study else experiment.missing()  # a study looks for its collections
    for _, sentence in lacking:
        say("%s: %s" % (experiment.name, sentence))
    if absent or lacking:
        return 2 if absent else 3
    command = [sys.executable if experiment.is_study else "sh", experiment.script] + ["--quick"] * quick
    if experiment.is_study and data:
        command += ["--data", data]
    folder = os.path.join(RESULTS, experiment.name)
    os.makedirs(folder, exist_ok=True)
    output = os.path.join(folder, "output.txt")
    began = time.time()
    with open(output + ".new", "w") as file:
        code = subprocess.run(command, stdout=file).returncode
    with open(output + ".new") as file:
        sys.stdout.write(file.read())
        sys.stdout.flush()
    if code == 0:
        os.replace(output + ".new", output)
        with open(os.path.join(folder, "run.json"), "w") as file:
            json.dump({**provenance(), "seconds": round(time.time() - began, 1)}, file, indent=1)
            file.write("\n")
    return code


def keep(experiment):
    """Copies new results of a whole run into the experiment's own folder."""
    new = os.path.join(RESULTS, experiment.name, "results.tsv")
    whole = os.path.join(datasets.work(), "results")
    if os.path.realpath(RESULTS) != os.path.realpath(whole) or not os.path.exists(new):
        return
    if os.path.exists(experiment.kept):
        if open(experiment.kept).read() == open(new).read():
            say("== %s: found the kept results again" % experiment.name)
            return
        if kernels() not in (agreement.KERNELS, "unknown"):
            compare(experiment, new)
            return
    shutil.copyfile(new, experiment.kept)
    say("== %s: wrote %s" % (experiment.name, os.path.relpath(experiment.kept, PROJECT)))


def compare(experiment, new):
    """Says whether results by other kernels are the kept ones but for rounding."""
    found = agreement.differences(experiment.kept, new)
    if not found:
        say("== %s: found the kept results again, within their standard errors (kernels %s)" % (experiment.name, kernels()))
    for sentence in found:
        say("== %s: %s" % (experiment.name, sentence))


def kernels():
    """The kernels that OpenBLAS chooses for this processor, on which the last digits of results depend."""
    try:
        name = ctypes.CDLL("libopenblas.so.0").openblas_get_corename
    except (OSError, AttributeError):
        return "unknown"
    name.restype = ctypes.c_char_p
    return name().decode()


def provenance():
    """Commit, date, machine and OpenBLAS's kernels of a run."""

    def git(*arguments):
        try:
            done = subprocess.run(
                ["git", "-C", PROJECT] + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
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
    results = [":!experiments/*.tsv", ":!*.md"]
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *results)
    return {
        "commit": git("rev-parse", "--short=12", "HEAD") + (" with changes" if changed else ""),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": "%s, %d processors, %s %s, OpenBLAS kernels %s"
        % (model or platform.machine(), os.cpu_count() or 0, platform.system(), platform.machine(), kernels()),
    }


def choose(names, known, quick):
    """The parts of these names, each of a part, of an experiment or `all`; None if a name is unknown."""
    chosen = []
    for name in names:
        if name == "all":
            for e in known.values():
                if e.only_alone:
                    say("%s: left out; `experiments/run %s` runs it" % (e.name, e.name))
                elif quick and e.only_full:
                    say("%s: left out, since it has no quick run" % e.name)
                else:
                    chosen.append(e)
        elif name in known:
            chosen.append(known[name])
        else:
            of_folder = [e for e in known.values() if e.experiment == name]
            if not of_folder:
                say("experiments/run: there is no experiment '%s'; there are %s" % (name, ", ".join(known)))
                return None
            chosen += of_folder
    return chosen


def say(text):
    print(text, file=sys.stderr, flush=True)


class Session:
    """A run of some experiments, some of them two at a time."""

    def __init__(self, options, book, is_partial):
        self.options = options
        self.book = book
        self.is_partial = is_partial
        self.failed = []

    def run(self, waiting):
        """First, one after the other, those that keep two processors busy, then the others."""
        waiting = sorted(waiting, key=lambda e: not e.is_parallel)
        places = ["%d of %d%s" % (k + 1, len(waiting), self._left(waiting[k:])) for k in range(len(waiting))]
        count = sum(e.is_parallel for e in waiting)
        for e, place in zip(waiting[:count], places):
            self._run_one(e, place)
        with concurrent.futures.ThreadPoolExecutor(study.WORKERS) as pool:
            list(pool.map(self._run_one, waiting[count:], places[count:]))

    def _left(self, waiting):
        times = [(self.book.seconds(e.name), 1 if e.is_parallel else study.WORKERS) for e in waiting]
        if not all(seconds for seconds, _ in times):
            return ""
        return ", about %s left in all" % study.duration(sum(seconds / shared for seconds, shared in times))

    def _run_one(self, e, place):
        say("== %s (%s): %s" % (e.name, place, e.description))
        began = time.time()
        code = run_one(e, self.options.quick, self.options.data)
        seconds = time.time() - began
        if code:
            self.failed.append(e.name)
            say("== %s failed with status %d" % (e.name, code))
            return
        if not self.is_partial:
            self.book.enter(e, round(seconds, 1))
        say("== %s took %s" % (e.name, study.duration(seconds)))
        keep(e)


def main():
    parser = argparse.ArgumentParser(
        prog="experiments/run",
        description="Lists (without a name), runs and resumes the experiments. An interrupted run continues "
        "where it stopped.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments, parts of them, `all`, or `claims`")
    parser.add_argument("--quick", action="store_true", help="a smoke run; leaves the kept results alone")
    parser.add_argument("--data", help="only these collections, separated by commas; leaves the kept results alone")
    parser.add_argument("--again", action="store_true", help="also run experiments that are done already")
    parser.add_argument("--show", action="store_true", help="print the kept tables and run nothing")
    options = parser.parse_args()
    if options.names == ["claims"]:
        return ledger.run(PROJECT, "", ledger.papers_beside(PROJECT))
    known = {e.name: e for e in parts()}
    book = Book(options.quick)
    if not options.names:
        show(list(known.values()), book)
        return 0
    chosen = choose(options.names, known, options.quick)
    if chosen is None:
        return 2
    if options.show:
        show_results(chosen)
        return 0
    is_partial = options.data or os.environ.get("DORM_SPLITS")
    waiting = [e for e in dict.fromkeys(chosen) if options.again or is_partial or not book.is_done(e)]
    for e in chosen:
        if e not in waiting:
            say("%s: was done before (--again runs it again)" % e.name)
    session = Session(options, book, is_partial)
    session.run(waiting)
    if session.failed:
        say("experiments/run: failed: %s" % ", ".join(session.failed))
    return 1 if session.failed else 0


if __name__ == "__main__":
    sys.exit(main())
