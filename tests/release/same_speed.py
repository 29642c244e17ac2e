#!/usr/bin/python3
"""same_speed.py OLD-BUILD NEW-BUILD [ROUNDS [BENCH...]]: compares the benchmarks of two build folders, paired in one run.

It is for changes that should not change how fast anything is. Both folders need the programs of `make bench`, compiled
alike. In each round (11 by default, about two minutes each) both builds run every benchmark, the order changing from
round to round. A row's ratio is new over old within a round; the script prints the median over the rounds and the
second smallest and second largest ratio, which with 11 rounds hold the true median with a probability of 0.988. A row
counts as slower when even the second smallest ratio is above 1.02, and the exit status is 1 when a row is slower. Rows
that take less than 5 microseconds are left out. malloc is told to keep what is freed, since otherwise sizes of blocks
elsewhere in the program decide whether GLPK gets its memory from the system anew at each call, which is a tenth of its
time. BENCH is one of groups, kernels, oracles, training and reading; without any, all are run. MQ2008 is looked for in
the data folder (DORM_DATA, or ../shared/data beside the sources), and its rows are left out without it.
"""
import os
import statistics
import subprocess
import sys
import tempfile

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MQ2008 = os.path.join(os.environ.get("DORM_DATA", PROJECT + "/../shared/data"), "mq2008/Fold1/train.txt")
LEAST_SECONDS = 5e-6
KEEP_FREED = "glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=1073741824"


def lines(build, program, *arguments):
    command = [os.path.join(build, program), *arguments]
    environment = {**os.environ, "GLIBC_TUNABLES": KEEP_FREED}
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=environment).stdout.splitlines()


def oracles(build, _):
    """times.tsv of oracle_bench: the median microseconds per call."""
    for line in lines(build, "oracle_bench"):
        cells = line.split("\t")
        if cells[0] in ("time", "reference"):
            yield "oracle " + " ".join(cells[:7]), 1e-6 * float(cells[8])


def groups(build, _):
    for line in lines(build, "groups_bench"):
        cells = line.split()
        if len(cells) == 7 and cells[1].isdigit():
            for name, cell in zip(("shortcut", "lp", "mip"), cells[2:5]):
                yield f"groups {cells[0]} {cells[1]} {name}", 1e-6 * float(cell)


def kernels(build, _):
    for line in lines(build, "kernel_bench"):
        cells = line.split()
        if len(cells) == 6 and cells[0] != "kernel":
            yield f"kernel {cells[0]}", float(cells[4])


def training(build, _):
    data = [MQ2008] if os.path.exists(MQ2008) else []
    table = [line.split("\t") for line in lines(build, "training_bench", *data, "6000x120x136")]
    column = {name: i for i, name in enumerate(table[0])}
    for row in table[1:]:
        name = f"training {os.path.basename(row[0])} threads={row[1]}"
        yield name, float(row[column["total"]])


def reading(build, folder):
    for kind in ("dense", "sparse"):
        files = [f"{folder}/{kind}.{end}" for end in ("txt", "txt.gz", "cache")]
        for line in lines(build, "reading_bench", "3", *files):
            cells = line.split()
            if len(cells) > 3 and cells[1].isdigit():
                yield f"reading {os.path.basename(cells[0])} threads={cells[1]}", float(cells[2])


def make_data(build, folder):
    dorm = os.path.join(build, "dorm")
    kinds = {"dense": "artificial --queries 1000 -d 100 -f 136", "sparse": "sparse --queries 2000 -d 100 -f 300000 -e 40"}
    for kind, options in kinds.items():
        text = f"{folder}/{kind}.txt"
        subprocess.run([dorm, "generate", *options.split(), "-o", text], check=True)
        subprocess.run(["gzip", "-1", "-k", text], check=True)
        subprocess.run([dorm, "cache", text, "-o", f"{folder}/{kind}.cache"], check=True, stdout=subprocess.DEVNULL)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    old, new = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 11
    benches = [bench for bench in (groups, kernels, oracles, training, reading)
               if not sys.argv[4:] or bench.__name__ in sys.argv[4:]]
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        folders = {old: folder + "/old", new: folder + "/new"}  # a cache belongs to one version of dorm
        for build in (old, new):
            os.mkdir(folders[build])
            make_data(build, folders[build])
        for number in range(rounds):
            for bench in benches:
                for build in (old, new) if number % 2 == 0 else (new, old):
                    for name, value in bench(build, folders[build]):
                        seconds.setdefault(name, {old: [], new: []})[build].append(value)
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
    slower = compared = 0
    medians = []
    print("row\told seconds\tnew seconds\tratio\tsecond smallest\tsecond largest")
    for name, times in seconds.items():
        if len(times[old]) != rounds or len(times[new]) != rounds or statistics.median(times[old]) < LEAST_SECONDS:
            continue
        ratios = sorted(b / a for a, b in zip(times[old], times[new]))
        middle = statistics.median(ratios)
        low, high = ratios[min(1, rounds - 1)], ratios[max(rounds - 2, 0)]
        compared += 1
        slower += low > 1.02
        medians.append(middle)
        print(f"{name}\t{statistics.median(times[old]):.3g}\t{statistics.median(times[new]):.3g}"
              f"\t{middle:.3f}\t{low:.3f}\t{high:.3f}" + ("\tslower" if low > 1.02 else ""))
    print(f"{compared} rows, median ratio {statistics.median(medians):.3f}, {slower} slower by more than 2 %")
    sys.exit(slower > 0)


main()
