"""runner.py: lists, runs and resumes the experiments.

An experiment is a folder with a program `run`. Its README may have lines
  experiment: what the experiment is, in one line
  needs: a folder or file below the data folder        (several lines are allowed)
  runs: full                                           (it is left out of --quick)
  runs: alone                                          (it is left out of `all`)
  processors: 2                                        (it keeps two processors busy, as every study does)
`run` is called without arguments, or with --quick; a program that does not contain
this word takes no part in quick runs. It prints its tables, and writes the file
results.tsv (blocks.py), and whatever else it has, to $DORM_RESULTS/NAME. There the
runner adds output.txt, which holds what was printed, and run.json, which holds
commit, date, machine and seconds.

Of a run of the whole experiment, results.tsv is then compared with the file of this
name in the experiment's own folder. Where they differ, the new one is copied there,
and what was printed goes into its README, between `<!-- results -->` and
`<!-- end -->`. Seconds are not in results.tsv, so that a run which finds the same
figures again changes no file of the sources.

A study keeps two processors busy, a script one. Studies therefore run first, one after
the other, and then scripts, two at a time. What an experiment prints on standard output
is shown when it ends.
"""
import argparse
import concurrent.futures
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time

import datasets
import study

PROJECT = os.environ["DORM_PROJECT"]
HERE = os.path.join(PROJECT, "experiments")
RESULTS = os.environ["DORM_RESULTS"]


class Experiment:
    def __init__(self, name):
        self.name = name
        self.folder = os.path.join(HERE, name)
        readme = os.path.join(self.folder, "README.md")
        text = open(readme).read() if os.path.exists(readme) else ""
        said = re.search(r"^experiment: (.*)$", text, re.M)
        title = re.search(r"^# (.*)$", text, re.M)
        self.description = said.group(1) if said else title.group(1) if title else ""
        self.needs = re.findall(r"^needs: (.*)$", text, re.M)
        with open(os.path.join(self.folder, "run"), errors="replace") as file:
            has_quick = "quick" in file.read() or os.path.exists(os.path.join(self.folder, "experiment.py"))
        self.only_full = not has_quick or bool(re.search(r"^runs: full$", text, re.M))
        self.only_alone = bool(re.search(r"^runs: alone$", text, re.M))
        self.is_study = os.path.exists(os.path.join(self.folder, "experiment.py"))
        self.is_parallel = self.is_study or bool(re.search(r"^processors: 2$", text, re.M))

    def missing(self):
        return [need for need in self.needs if not os.path.exists(os.path.join(os.environ["DORM_DATA"], need))]

    def sources(self):
        """The files in its folder on which its results depend."""
        paths = []
        for base, _, names in os.walk(self.folder):
            paths += [
                os.path.join(base, name)
                for name in names
                if name == "run" or name.endswith((".ini", ".py", ".txt", ".sh", ".c"))
            ]
        return paths


def experiments():
    return [
        Experiment(name) for name in sorted(os.listdir(HERE)) if os.access(os.path.join(HERE, name, "run"), os.X_OK)
    ]


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
            if name.endswith((".py", ".ini")) and name not in ("runner.py", "report.py", "prose.py", "gnuplot.py")
        ]
    return study.program_hash() + study._hash_files(shared + experiment.sources())


def show(found, book):
    width = max(len(e.name) for e in found)
    for e in found:
        missing = e.missing()
        states = ["not in `all`"] * e.only_alone
        states += ["needs " + ", ".join(missing)] if missing else ["done"] * book.is_done(e)
        print("%-*s  %s%s" % (width, e.name, e.description, "".join("  [%s]" % state for state in states)))


def run_one(experiment, quick, data):
    """Runs it and returns its exit status."""
    command = [os.path.join(experiment.folder, "run")] + ["--quick"] * quick
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


def keep(experiment, also_seconds):
    """Copies new results into the experiment's own folder, and says so."""
    new = os.path.join(RESULTS, experiment.name, "results.tsv")
    kept = os.path.join(experiment.folder, "results.tsv")
    whole = os.path.join(datasets.work(), "results")
    if os.path.realpath(RESULTS) != os.path.realpath(whole) or not os.path.exists(new):
        return
    is_same = os.path.exists(kept) and open(kept).read() == open(new).read()
    if is_same and not also_seconds:
        say("== %s: found the kept results again" % experiment.name)
        return
    shutil.copyfile(new, kept)
    readme = os.path.join(experiment.folder, "README.md")
    with open(readme) as file:
        old = file.read()
    with open(os.path.join(RESULTS, experiment.name, "output.txt")) as file:
        printed = "\n".join(line.rstrip() for line in file).strip("\n")
    marked = "<!-- results -->\n```\n%s\n```\n<!-- end -->" % printed
    text, count = re.subn(r"<!-- results -->.*<!-- end -->", lambda _: marked, old, flags=re.S)
    if not count:
        raise SystemExit("%s has no lines `<!-- results -->` and `<!-- end -->` to put the results between" % readme)
    with open(readme, "w") as file:
        file.write(text)
    say("== %s: wrote its README.md and results.tsv" % experiment.name)


def provenance():
    """Commit, date and machine of a run."""

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
    results = [":!experiments/*/results.tsv", ":!*.md"]
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *results)
    return {
        "commit": git("rev-parse", "--short=12", "HEAD") + (" with changes" if changed else ""),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": "%s, %d processors, %s %s"
        % (model or platform.machine(), os.cpu_count() or 0, platform.system(), platform.machine()),
    }


def choose(names, known, quick):
    """The experiments of these names, of which one may be `all`; None where a name is none."""
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
            say("experiments/run: there is no experiment '%s'; there are %s" % (name, ", ".join(known)))
            return None
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
        keep(e, self.options.seconds)


def main():
    parser = argparse.ArgumentParser(
        prog="experiments/run",
        description="Lists (without a name), runs and resumes the experiments. An interrupted run continues "
        "where it stopped.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments, or `all`")
    parser.add_argument("--quick", action="store_true", help="a smoke run; leaves the kept results alone")
    parser.add_argument("--data", help="only these collections, separated by commas; leaves the kept results alone")
    parser.add_argument("--again", action="store_true", help="also run experiments that are done already")
    parser.add_argument("--seconds", action="store_true", help="write the READMEs even where only seconds are new")
    options = parser.parse_args()
    known = {e.name: e for e in experiments()}
    book = Book(options.quick)
    if not options.names:
        show(list(known.values()), book)
        return 0
    chosen = choose(options.names, known, options.quick)
    if chosen is None:
        return 2
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
