"""runner.py: lists, runs and resumes the experiments.

An experiment is a folder with a program `run`. Its README may have lines
  experiment: what it is, in a line
  needs: a folder or file below the data folder        (several lines allowed)
  runs: full                                           (left out of --quick)
`run` is called without arguments, or with --quick, which it must know by name to
be part of a quick run. What it prints is kept; what it writes is its own
affair (lib/study.py: results.json in its folder).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

import datasets
import study

PROJECT = os.environ["DORM_PROJECT"]
HERE = os.path.join(PROJECT, "experiments")


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
        self.is_study = os.path.exists(os.path.join(self.folder, "experiment.py"))

    def missing(self):
        return [need for need in self.needs if not os.path.exists(os.path.join(os.environ["DORM_DATA"], need))]

    def sources(self):
        """Files that its result depends on."""
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
    """What is done and how long it took, in the work folder."""

    def __init__(self, quick):
        self.path = os.path.join(datasets.work(), "done-quick.json" if quick else "done.json")
        try:
            with open(self.path) as file:
                self.entries = json.load(file)
        except (OSError, ValueError):
            self.entries = {}

    def seconds(self, name):
        return self.entries.get(name, {}).get("seconds")

    def is_done(self, experiment):
        return self.entries.get(experiment.name, {}).get("version") == version(experiment)

    def enter(self, experiment, seconds):
        self.entries[experiment.name] = {"version": version(experiment), "seconds": seconds}
        with open(self.path + ".new", "w") as file:
            json.dump(self.entries, file, indent=1)
        os.replace(self.path + ".new", self.path)


def version(experiment):
    """Changes when the result might: scripts, too, train configurations of methods/."""
    shared = []
    for folder in ("lib", "methods") if experiment.is_study else ("methods",):
        base = os.path.join(HERE, folder)
        shared += [
            os.path.join(base, name)
            for name in os.listdir(base)
            if name.endswith((".py", ".ini")) and name not in ("runner.py", "report.py", "page.py", "gnuplot.py")
        ]
    return study.program_hash() + study._hash_files(shared + experiment.sources())


def show(found, book):
    width = max(len(e.name) for e in found)
    for e in found:
        missing = e.missing()
        state = "needs " + ", ".join(missing) if missing else "done" if book.is_done(e) else ""
        print("%-*s  %s%s" % (width, e.name, e.description, "  [%s]" % state if state else ""))


def run_one(experiment, quick, data, output):
    command = [os.path.join(experiment.folder, "run")]
    environment = dict(os.environ)
    if experiment.is_study:
        command += ["--quick"] * quick + (["--data", data] if data else [])
    elif quick:
        environment["DORM_QUICK"] = "1"
        command.append("--quick")
    with open(output + ".new", "w") as file:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            for line in process.stdout:
                sys.stdout.write(line)
                sys.stdout.flush()
                file.write(line)
        if process.returncode == 0:
            os.replace(output + ".new", output)
    return process.returncode


def main():
    parser = argparse.ArgumentParser(
        prog="experiments/run",
        description="Lists (without a name), runs and resumes the "
        "experiments. An interrupted run goes on where it stopped.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments, or all")
    parser.add_argument("--quick", action="store_true", help="a smoke run on little data; leaves the results alone")
    parser.add_argument("--data", help="collections to use, where an experiment has several")
    parser.add_argument("--again", action="store_true", help="also what is done already")
    options = parser.parse_args()
    known = {e.name: e for e in experiments()}
    book = Book(options.quick)
    if not options.names:
        show(list(known.values()), book)
        return 0
    chosen = []
    for name in options.names:
        if name == "all":
            for e in known.values():
                if options.quick and e.only_full:
                    print("%s: has no quick run, left out" % e.name, file=sys.stderr)
                else:
                    chosen.append(e)
        elif name in known:
            chosen.append(known[name])
        else:
            print(
                "experiments/run: there is no experiment '%s'; there are %s" % (name, ", ".join(known)), file=sys.stderr
            )
            return 2
    outputs = os.path.join(datasets.work(), "output-quick" if options.quick else "output")
    os.makedirs(outputs, exist_ok=True)
    failed = []
    waiting = [e for e in chosen if options.again or options.data or not book.is_done(e)]
    for e in chosen:
        if e not in waiting:
            print("%s: done before (--again runs it again)" % e.name, file=sys.stderr)
    for k, e in enumerate(waiting):
        rest = [book.seconds(other.name) for other in waiting[k:]]
        left = ""
        if all(rest):
            left = ", about %s left in all" % study.duration(sum(rest))
        print(
            "== %s (%d of %d%s): %s" % (e.name, k + 1, len(waiting), left, e.description), file=sys.stderr, flush=True
        )
        began = time.time()
        code = run_one(e, options.quick, options.data, os.path.join(outputs, e.name + ".txt"))
        seconds = time.time() - began
        if code:
            failed.append(e.name)
            print("== %s failed with %d" % (e.name, code), file=sys.stderr)
        else:
            if not options.data:
                book.enter(e, round(seconds, 1))
            print("== %s took %s" % (e.name, study.duration(seconds)), file=sys.stderr)
    if failed:
        print("experiments/run: failed: %s" % ", ".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
