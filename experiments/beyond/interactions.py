"""interactions.py DORM FOLDER WORK [--quick]: the table of interactions.sh on standard output."""

import json
import re
import subprocess
import sys

import numpy as np

program, folder, work = sys.argv[1:4]
TOP = 10


def dorm(*arguments):
    """Runs dorm and returns what it prints."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def mq2008():
    """Model, data, groups setting, and the groups of each id, of fold 1."""
    fold = f"{folder}/mq2008/Fold1"
    dorm("train", f"{fold}/train.txt", "-q", "--trainer", "ridge", "-o", f"{work}/mq2008.dorm")
    groups = f"{folder}/near-duplicates/fingerprint-groups.jsonl"
    members = {}
    with open(groups, encoding="utf-8") as file:
        for number, line in enumerate(file):
            for one in json.loads(line)["ids"]:
                members.setdefault(one, set()).add(number)
    return f"{work}/mq2008.dorm", f"{fold}/test.txt", f"file:{groups}", members


def movielens():
    """The same of MovieLens: films that 200 users rated, in groups of equal genres; a rating breaks ties by chance."""
    ratings = np.loadtxt(f"{folder}/movielens-100k/u.data", dtype=int)
    random = np.random.RandomState(1)
    members = {}
    with open(f"{folder}/movielens-100k/u.item", encoding="latin-1") as file:
        for line in file:
            fields = line.rstrip("\n").split("|")
            members[f"m{fields[0]}"] = {"".join(fields[5:])}
    rated = {f"m{item}" for item in ratings[ratings[:, 0] <= 200, 1]}
    with open(f"{work}/groups", "w", encoding="utf-8") as file:
        file.writelines(f"{one} g{next(iter(members[one]))}\n" for one in sorted(rated))
    with open(f"{work}/movielens.txt", "w", encoding="utf-8") as file:
        for user in range(1, 201):
            for _, item, rating, _ in ratings[ratings[:, 0] == user]:
                file.write(f"{rating - 1} qid:{user} 1:{rating + random.uniform(0, 0.5):.4f} # docid = m{item}\n")
    data = f"{work}/movielens.txt"
    dorm("train", data, "-q", "--trainer", "ridge", "-s", "data.normalisation=none", "-o", f"{work}/movielens.dorm")
    return f"{work}/movielens.dorm", data, f"file:{work}/groups", members


def read(data):
    """Query and id of each document."""
    with open(data, encoding="utf-8") as file:
        lines = [line for line in file if line.strip()]
    return ([re.search(r"qid:(\S+)", line).group(1) for line in lines],
            [re.search(r"docid = (\S+)", line).group(1) for line in lines])


def value(scores, order, sets, strength):
    """The value of a ranking of one query, as in manual/interactions.md."""
    spread = scores.max() - scores.min()
    gains = (scores - scores.min()) / (spread if spread > 0 else 1)
    total = 0.0
    for q, two in enumerate(order[:TOP]):
        total += gains[two] / np.log2(q + 2)
        total -= sum(strength / np.log2(q + 2) / (q - p) for p, one in enumerate(order[:q]) if sets[one] & sets[two])
    return total


def prove():
    """The second table: how many random queries of 50 documents are proved."""
    dorm("generate", "artificial", "--queries", "100", "-o", f"{work}/random.txt")
    dorm("train", f"{work}/random.txt", "-q", "--trainer", "ridge", "-o", f"{work}/random.dorm")
    print("similarity\tstrength\tqueries proved to 1 %\tlargest gap")
    for similarity in ("features", "groups"):
        for strength in (0.3,) if "--quick" in sys.argv else (0.1, 0.3, 0.5):
            with open(f"{work}/grouped.txt", "w", encoding="utf-8") as file, \
                    open(f"{work}/random.txt", encoding="utf-8") as lines:
                random = np.random.RandomState(1)
                file.writelines(f"{line.split('#')[0].rstrip()} # docid = http://host{random.randint(10)}/{j}\n"
                                for j, line in enumerate(lines))
            note = dorm("predict", f"{work}/random.dorm", f"{work}/grouped.txt", "--groups", "host", "-o", f"{work}/apart",
                        "--interactions", f"{similarity}:strength={strength},seconds={seconds}")
            print(f"{similarity}\t{strength}\t" + "\t".join(re.search(r"; (\d+ of \d+) .* gap (\S+)", note).groups()),
                  flush=True)


seconds = sys.argv[sys.argv.index("--seconds") + 1] if "--seconds" in sys.argv else "1"
if "--proved" in sys.argv:
    prove()
    sys.exit()
print("data\tstrength\tby score\tone of each group\tequation 29\tat most\tqueries proved to .1 %\tlargest gap\t"
      "NDCG@10 by score\tNDCG@10 one of each group\tNDCG@10 equation 29")
# Strength 1 leaves most films of MovieLens unproved, at ten seconds each.
for name, strengths, (model, data, groups, members) in (("MQ2008", (0.1, 0.3, 1), mq2008()),
                                                        ("MovieLens", (0.1, 0.3), movielens())):
    queries, ids = read(data)
    rows = {}
    for j, query in enumerate(queries):
        rows.setdefault(query, []).append(j)
    dorm("predict", model, data, "-o", f"{work}/score")
    dorm("predict", model, data, "--diverse", "--groups", groups, "-o", f"{work}/group")
    plain = np.loadtxt(f"{work}/score")
    for strength in (0.3,) if "--quick" in sys.argv else strengths:
        note = dorm("predict", model, data, "--groups", groups, "-o", f"{work}/apart",
                    "--interactions", f"groups:strength={strength},gap=0.001,seconds=10")
        bound, proved, count, gap = re.search(r"at most (\S+); (\d+) of (\d+) .* gap (\S+)", note).groups()
        values, ndcg = [], []
        for ranking in ("score", "group", "apart"):
            ranked = np.loadtxt(f"{work}/{ranking}")
            values.append(np.mean([value(plain[r], np.argsort(-ranked[r], kind="stable"),
                                         [members.get(ids[j], {j}) for j in r], strength) for r in rows.values()]))
            found = dorm("eval", "--scores", f"{work}/{ranking}", data, "--groups", groups, "-m",
                         "ndcg@10:repeats=irrelevant")
            ndcg.append(float(re.search(r"ndcg@10\S*\s+(\S+)", found).group(1)))
        print(f"{name}\t{strength}\t" + "\t".join(f"{v:.4f}" for v in values) + f"\t{float(bound):.4f}\t{proved} of {count}"
              f"\t{gap}\t" + "\t".join(f"{v:.4f}" for v in ndcg), flush=True)
