#!/usr/bin/env python3
"""mutants.py: whether the tests notice small changes of the sources.

A mutant is the library with one operator, constant, condition or statement changed. Mutants are drawn at random, by one
seed, the same number from each folder; each is applied to a copy of the sources, built, and tested, the likeliest tests
first; for what survives these they are run in a build with sanitizers, which see what is read or written outside of an
array, and then all others without. A mutant that no test notices is printed: it wants a test, or less code, or a line in
equivalent.tsv that says why nobody could see a difference.

    mutants.py SOURCES WORK [--count N] [--seed S] [--jobs J] [--only FILE] [--list]

WORK keeps the copies and the results; an interrupted run goes on where it stopped. Exits with 1 where less than --share
(0.95) of the mutants are noticed."""
import argparse
import concurrent.futures
import filecmp
import os
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys

# The folders that mutants come from, and the tests of the command that are likeliest to notice those of a folder.
FOLDERS = {
    "base": "cli/workflow cli/malformed",
    "settings": "cli/workflow cli/malformed cli/pages",
    "data": "cli/malformed cli/workflow cli/letor fuzz/replay",
    "features": "cli/workflow cli/export",
    "losses": "cli/losses cli/eval",
    "measures": "cli/eval cli/letor cli/trec",
    "assignment": "cli/losses cli/diversity",
    "kernels": "cli/kernels",
    "lambdas": "cli/lambdas cli/trees",
    "clicks": "cli/clicks",
    "solver": "cli/losses cli/resume cli/stream",
    "trees": "cli/trees cli/export",
    "nets": "cli/nets",
    "models": "cli/export cli/probe cli/releases",
    "training": "cli/workflow cli/resume cli/smooth cli/adarank",
    "jobs": "cli/workflow cli/resume cli/newcomer",
    "trainers": "cli/workflow cli/smooth cli/adarank cli/trees cli/nets",
    "collaborative": "cli/ratings",
    "cli": "cli/workflow cli/eval cli/malformed cli/export cli/ratings cli/probe",
}
# Files whose tests have other names than the file's folder or a word of its own name.
COMMANDS = {
    "cli/factorize": ["cli/ratings"],
    "cli/recommend": ["cli/ratings"],
    "cli/conventions": ["cli/eval"],
    "cli/gradients": ["cli/lambdas"],
    "cli/log_json": ["cli/data", "cli/workflow"],
    "data/query_reader": ["cli/stream"],
    "cli/predict": ["cli/newcomer_data", "cli/diversity"],
    "cli/ranked": ["cli/newcomer_data"],
    "cli/show": ["cli/newcomer", "cli/export"],
    "cli/candidates": ["cli/newcomer"],
    "cli/settings": ["cli/newcomer", "cli/malformed"],
}
# Threads that wait give their processor away: several tests run at a time.
ENVIRONMENT = {
    "OMP_WAIT_POLICY": "passive",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_PERTURB_": "165",
}
SLOWEST_TEST = 600  # seconds after which a test of the command that does not end counts as noticed
SLOWEST_BUILD = 3600
QUICK = 0.25  # processor seconds of a suite that is worth a try, whatever was changed
# After each stage of tests.
SO_FAR = (
    "survives the likeliest suites",
    "survives the likeliest tests",
    "survives them with sanitizers",
    "survives",
)

# Pairs of a pattern in code and what takes its place. Each place where a pattern matches is one mutant.
CHANGES = [
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" \* (?=\w)", " / "),
    (r" / ", " * "),
    (r"\+= ", "-= "),
    (r"-= ", "+= "),
    (r"\b0(?=[;,)\]])", "1"),
    (r"\b1(?=[;,)\]])", "2"),
    (r"\b2(?=[;,)\]])", "3"),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\bif \((?!!)", "if (!"),
    (r"\bfmax\(", "fmin("),
    (r"\bfmin\(", "fmax("),
]
# Lines whose change shows in no result: memory that is given back, room that is taken, and what a compiler is told.
SKIPPED = re.compile(r"free|alloc|_clear\(|reserve|capacity|#|sizeof|static const char|dorm__seconds|^\s*\*|goto")
STATEMENT = re.compile(r"^  +[a-z][\w>.\[\]-]*( [-+*/]?= .*|\(.*\));$|^  +[a-z][\w>.\[\]-]*(\+\+|--);$")


def code_of(text):
    """The text with comments and literals blanked, of the same length."""

    def blank(match):
        return re.sub(r"[^\n]", "_" if match.group(0)[0] in "\"'" else " ", match.group(0))

    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank, text, flags=re.S)


def sites_of(path, sources):
    """The mutants of a file: (path, line number from 1, column from 0, old text, new text)."""
    with open(os.path.join(sources, path)) as file:
        text = file.read()
    found, depth = [], 0
    for number, (code, line) in enumerate(zip(code_of(text).split("\n"), text.split("\n")), 1):
        if depth and not SKIPPED.search(line):
            if STATEMENT.match(line) and not line.strip().startswith("return"):
                found.append((path, number, 0, line, ";"))
            for pattern, new in CHANGES:
                for match in re.finditer(pattern, code):
                    if new == "if (!":
                        end = closing(line, match.end() - 1)
                        if end:
                            old = line[match.start() : end]
                            found.append((path, number, match.start(), old, "if (!" + old[3:] + ")"))
                    else:
                        found.append((path, number, match.start(), match.group(0), new))
        depth += code.count("{") - code.count("}")
    return found


def closing(line, opening):
    """One past the parenthesis that closes the one at `opening`, or 0 where it is not in the line."""
    depth = 0
    for k in range(opening, len(line)):
        depth += {"(": 1, ")": -1}.get(line[k], 0)
        if not depth:
            return k + 1
    return 0


def changed_line(mutant, line):
    _, _, column, old, new = mutant
    return line[:column] + new + line[column + len(old) :]


def known_by(mutant, sources):
    """A mutant's file and its line after the change, spaces apart: not the number of the line, which moves."""
    with open(os.path.join(sources, mutant[0])) as file:
        return mutant[0], " ".join(changed_line(mutant, file.read().split("\n")[mutant[1] - 1]).split())


def text_of(mutant):
    path, number, column, old, new = mutant
    return "%s:%d:%d: %s -> %s" % (path, number, column, old.strip(), new.strip())


def draw(arguments):
    """Mutants in random order, folders in turn, so that the first N of them are spread evenly."""
    by_folder = []
    for folder in FOLDERS:
        files = [
            os.path.relpath(os.path.join(parent, name), arguments.sources)
            for parent, _, names in os.walk(os.path.join(arguments.sources, folder))
            for name in names
            if name.endswith(".c")
        ]
        found = [site for path in sorted(files) for site in sites_of(path, arguments.sources)]
        random.Random("%s %s" % (arguments.seed, folder)).shuffle(found)
        by_folder.append(found)
    longest = max(len(found) for found in by_folder)
    mixed = [found[k] for k in range(longest) for found in by_folder if k < len(found)]
    return [m for m in mixed if not arguments.only or m[0].startswith(arguments.only)]


class Copy:
    """A copy of the sources with a build folder of its own, and what its tests take without any change."""

    def __init__(self, folder, arguments, sanitizers):
        self.sources, self.build = os.path.join(folder, "sources"), os.path.join(folder, "build")
        self.make, self.sanitizers = arguments.make, sanitizers
        changed = refresh(arguments.sources, self.sources)
        if not os.path.exists(os.path.join(self.build, "config.status")):
            os.makedirs(self.build, exist_ok=True)
            options = ["--enable-sanitizers"] if self.sanitizers else []
            self.must(["../sources/configure", "-q", "CFLAGS=-O1"] + options)
        self.must([self.make, "-s"])
        self.must([self.make, "-s", "check", "TESTS="])
        self.link = self.link_command()
        with open(os.path.join(self.sources, "tests/sources.am")) as file:
            listed = re.search(r"^script_tests = ((?:.*\\\n)*.*)", file.read(), re.M).group(1)
        # Tests of the form of sources, of warnings and of documents do not look at what the library computes.
        listed = ["tests/" + test for test in re.findall(r"%D%/(\S+\.sh)", listed)]
        self.scripts = [test for test in listed if not re.search("house|install/|manual|readme", test)]
        self.suites = self.time_suites(os.path.join(folder, "suites.tsv"), changed)
        self.tested = {name: included_by(self.sources, name) for name in self.suites}

    def time_suites(self, file_name, changed):
        """Processor seconds of each suite, all of which must pass; kept in a file while their sources are the same."""
        kept = {row[0]: float(row[1]) for row in read_lines(file_name)}
        if any(not name.startswith("tests/unit/") and name.endswith((".c", ".h")) for name in changed):
            kept = {}
        seconds = {}
        for name in subprocess.check_output(["./unit", "--list"], cwd=self.build, text=True).split("\n")[:-1]:
            if name not in kept or "tests/unit/%s_test.c" % name.replace(" ", "_") in changed:
                begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                self.must(["./unit", name])
                kept[name] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
            seconds[name] = kept[name]
        write(file_name, "".join("%s\t%g\n" % row for row in seconds.items()))
        return seconds

    def link_command(self):
        """Links the unit tests to a changed object and, for the rest, to the library: quicker than to pack it anew."""
        values = subprocess.run(
            [self.make, "-s", "-f", "Makefile", "-f", "-", "print"],
            input="print:\n\t@echo $(CC) $(CFLAGS) $(AM_LDFLAGS)\n"
            "\t@echo $(filter-out %.la,$(unit_LDADD) $(libdorm_all_la_LIBADD)) $(LIBS)\n",
            cwd=self.build,
            text=True,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout.split("\n")
        return "%s -o unit-changed tests/unit/unit-*.o %%s .libs/libdorm-all.a %s" % (values[0], values[1])

    def must(self, command):
        if not self.run(command, SLOWEST_BUILD):
            sys.exit("mutants.py: in %s, %s fails without any change" % (self.build, " ".join(command)))

    def run(self, command, seconds):
        """Runs a command in the build folder; False where it fails or does not end in so many seconds."""
        process = subprocess.Popen(
            command,
            cwd=self.build,
            env=dict(os.environ, **ENVIRONMENT),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=None if self.sanitizers else limited,
        )
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return False
        finally:  # a test that was ended may leave a program that never ends
            subprocess.run(["pkill", "-KILL", "-s", str(process.pid)])

    def verdict(self, mutant, stages):
        """`noticed by ...`, `survives`, or `does not compile`. Each stage names the first test that fails, or None."""
        path, number = mutant[:2]
        name = os.path.join(self.sources, path)
        with open(name) as file:
            text = file.read()
        lines = text.split("\n")
        lines[number - 1] = changed_line(mutant, lines[number - 1])
        write(name, "\n".join(lines))
        try:
            if not self.builds(path):
                return "does not compile"
            for stage in stages:
                test = stage(self, path)
                if test:
                    return "noticed by %s%s" % (test, " with sanitizers" if self.sanitizers else "")
            return "survives"
        finally:
            write(name, text)

    def builds(self, path):
        if path.startswith("cli/"):
            return self.run([self.make, "-s", "dorm-mpi" if path == "cli/mpi.c" else "dorm"], SLOWEST_BUILD)
        stem = os.path.splitext(path)[0]
        changed = os.path.join(os.path.dirname(path), ".libs", os.path.basename(stem) + ".o")
        return self.run([self.make, "-s", stem + ".lo"], SLOWEST_BUILD) and self.run(
            ["sh", "-c", self.link % changed], SLOWEST_BUILD
        )

    def suites_for(self, path):
        """The suites for a file: those that name it or its folder first, then the quick ones; and how many of them are
        likely or quick."""
        if path.startswith("cli/"):
            return [], 0
        stem = os.path.splitext(path)[0]
        words = {word.rstrip("s") for word in re.findall("[a-z]{4,}", stem)}

        def order(suite):
            headers = self.tested[suite]
            likely = 3 * (stem + ".h" in headers) + any(os.path.dirname(h) == os.path.dirname(path) for h in headers)
            likely += 2 * bool(words & {word.rstrip("s") for word in re.findall("[a-z]+", suite)})
            return -likely, self.suites[suite]

        suites = sorted(self.suites, key=order)
        return suites, sum(order(suite)[0] < 0 or self.suites[suite] < QUICK for suite in suites)

    def near_suites_fail(self, path):
        suites, count = self.suites_for(path)
        return self.suites_fail(suites[:count])

    def other_suites_fail(self, path):
        suites, count = self.suites_for(path)
        return self.suites_fail(suites[count:])

    def suites_fail(self, suites):
        return next((s for s in suites if not self.run(["./unit-changed", s], 60 + 20 * self.suites[s])), None)

    def near_scripts_fail(self, path):
        return self.tests_fail(near(path))

    def other_tests_fail(self, path):
        others = [test for test in self.scripts if test not in near(path)]
        return self.tests_fail(others)

    def tests_fail(self, tests):
        """The first of some tests, by their names in the makefile, that fails twice: not one that fails by chance."""
        tests = [test for test in tests if test in self.scripts or not test.endswith(".sh")]
        return next((test for test in tests if self.test_fails(test) and self.test_fails(test)), None)

    def test_fails(self, test):
        return not self.run([self.make, "-s", "check", "TESTS=" + test], SLOWEST_TEST)


def near(path):
    """The tests of the command that are likeliest to notice a change of a file."""
    stem = os.path.splitext(path)[0]
    words = [path.split("/")[0]] + stem.split("/")[-1].split("_")
    own = COMMANDS.get(stem, ["cli/" + word for word in words])
    tests = own + [test for test in FOLDERS[words[0]].split() + ["faults/oom"] if test not in own]
    return ["tests/%s.sh" % test for test in tests]


def limited():
    """A process that neither takes all memory nor fills the disk."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 30, 2 << 30))


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


def refresh(sources, copy):
    """Makes the copy equal to the sources and returns what changed; equal files keep their times, for make."""
    changed = []

    def place(source, target):
        if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
            changed.append(os.path.relpath(target, copy))

    ignored = shutil.ignore_patterns(".git", "build", "autom4te.cache", "mutants-work", "__pycache__")
    shutil.copytree(sources, copy, ignore=ignored, symlinks=True, copy_function=place, dirs_exist_ok=True)
    return changed


def included_by(sources, suite):
    """The headers of the library that a suite's file names."""
    try:
        with open(os.path.join(sources, "tests/unit/%s_test.c" % suite.replace(" ", "_"))) as file:
            return set(re.findall(r'#include "([^"]*)"', file.read())) - {"base/base.h", "data/data.h"}
    except FileNotFoundError:
        return set()


def read_lines(path):
    try:
        with open(path) as file:
            return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    except FileNotFoundError:
        return []


class Run:
    """The verdicts of a run, kept in a file, so that an interrupted run goes on."""

    def __init__(self, arguments):
        self.results = os.path.join(arguments.work, "results.tsv")
        self.known = {row[0]: row[1] for row in read_lines(self.results)}
        if arguments.again:
            self.known = {text: verdict for text, verdict in self.known.items() if not verdict.startswith("survives")}
        self.arguments, self.copies = arguments, {}
        self.build(False)

    def build(self, sanitizers):
        """Builds the copies, with or without sanitizers. Copies are built, and their suites timed, at the same time, so the
        seconds of a suite may include time of another one."""
        folders = [
            os.path.join(self.arguments.work, ("sanitized%d" if sanitizers else "copy%d") % k)
            for k in range(self.arguments.jobs)
        ]
        self.copies[sanitizers] = queue.Queue()
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            for copy in pool.map(lambda folder: Copy(folder, self.arguments, sanitizers), folders):
                self.copies[sanitizers].put(copy)

    def judge(self, mutants, stages, undecided, sanitizers=False):
        """The verdict of each mutant; `undecided` if no stage notices it."""

        def is_decided(mutant):
            verdict = self.known.get(text_of(mutant))
            return verdict and verdict not in SO_FAR[: SO_FAR.index(undecided)]

        def judge_one(mutant):
            text = text_of(mutant)
            if is_decided(mutant):
                return self.known[text]
            copy = self.copies[sanitizers].get()
            try:
                verdict = copy.verdict(mutant, stages)
            finally:
                self.copies[sanitizers].put(copy)
            self.known[text] = undecided if verdict == "survives" else verdict
            with open(self.results, "a") as file:
                file.write("%s\t%s\n" % (text, self.known[text]))
            print("%s: %s" % (text, self.known[text]), flush=True)
            return self.known[text]

        if sanitizers not in self.copies and not all(map(is_decided, mutants)):
            self.build(sanitizers)
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            return list(pool.map(judge_one, mutants))


def arguments_of_command():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources")
    parser.add_argument("work")
    parser.add_argument("--count", type=int, default=170)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="mutants of files whose name begins so")
    parser.add_argument("--share", type=float, default=0.95)
    parser.add_argument("--again", action="store_true", help="judge again what survived in an earlier run")
    parser.add_argument("--list", action="store_true", help="print the mutants and end")
    parser.add_argument("--make", default="make")
    arguments = parser.parse_args()
    arguments.sources, arguments.work = os.path.abspath(arguments.sources), os.path.abspath(arguments.work)
    return arguments


def main():
    arguments = arguments_of_command()
    here = os.path.dirname(os.path.abspath(__file__))
    equivalent = {tuple(row[:2]) for row in read_lines(os.path.join(here, "equivalent.tsv"))}
    mutants = [m for m in draw(arguments) if known_by(m, arguments.sources) not in equivalent]
    if arguments.list:
        print("\n".join(text_of(mutant) for mutant in mutants[: arguments.count]))
        return 0
    os.makedirs(arguments.work, exist_ok=True)
    run, noticed, survivors = Run(arguments), 0, []
    while noticed + len(survivors) < arguments.count and mutants:
        batch = mutants[: arguments.count - noticed - len(survivors)]
        mutants = mutants[len(batch) :]
        near = [Copy.near_suites_fail, Copy.near_scripts_fail]
        run.judge(batch, near[:1], SO_FAR[0])
        run.judge(batch, near[1:], SO_FAR[1])
        run.judge(batch, near, SO_FAR[2], sanitizers=True)
        for mutant, verdict in zip(batch, run.judge(batch, [Copy.other_suites_fail, Copy.other_tests_fail], SO_FAR[3])):
            noticed += verdict.startswith("noticed")
            if verdict == SO_FAR[3]:
                survivors.append(mutant)
    print("\nthat no test notices:" if survivors else "")
    print("\n".join(text_of(mutant) for mutant in survivors))
    print("%d passed, %d failed" % (noticed, len(survivors)))
    return 0 if noticed >= arguments.share * (noticed + len(survivors)) else 1


if __name__ == "__main__":
    sys.exit(main())
