"""make.py MOVIELENS FOLDER: users as queries, the films that they rated as documents, in LETOR text.

Users are dealt to train.txt (2 of 5), validation.txt (1) and test.txt (2). Ten ratings of each user, drawn at random, are
known; the others are to be ranked. Features:

    1-30    the user: sex (2), age group (7), occupation (21), each 0 or 1
    41-59   the user: for each genre the mean over the ten known ratings, of films of that genre, of the rating less the
            user's mean, shrunk by one rating of 0
    61-79   the film: its genres, each 0 or 1
    80      the film: mean rating by training users (other than this one), shrunk by five ratings at the mean of all
    81      the film: logarithm of the number of these ratings
    82      the film: year, in units of ten years from 1980
"""

import math
import os
import random
import sys

source, folder = sys.argv[1:]
random.seed(1)


def lines(name):
    return [line.rstrip("\n") for line in open(os.path.join(source, name), encoding="latin-1")]


occupations = [line for line in lines("u.occupation") if line]
films, users, ratings = {}, {}, {}
for line in lines("u.item"):
    field = line.split("|")
    year = int(field[2][-4:]) if field[2] else 1990
    films[int(field[0])] = ([g for g in range(19) if field[5 + g] == "1"], (year - 1980) / 10)
for line in lines("u.user"):
    user, age, sex, occupation = line.split("|")[:4]
    group = sum(int(age) >= bound for bound in (18, 25, 35, 45, 50, 56))
    users[int(user)] = [1 + (sex == "F"), 3 + group, 10 + occupations.index(occupation)]
for line in lines("u.data"):
    user, film, rating = map(int, line.split()[:3])
    ratings.setdefault(user, []).append((film, rating))

order = sorted(users)
random.shuffle(order)
part = {user: ("train", "train", "validation", "test", "test")[i % 5] for i, user in enumerate(order)}
sums = {}
for user in order:
    for film, rating in ratings[user] if part[user] == "train" else []:
        total = sums.setdefault(film, [0, 0])
        total[0] += rating
        total[1] += 1
overall = sum(total for total, _ in sums.values()) / sum(count for _, count in sums.values())


def taste(known):
    mean = sum(rating for _, rating in known) / len(known)
    total, count = [0] * 19, [0] * 19
    for film, rating in known:
        for genre in films[film][0]:
            total[genre] += rating - mean
            count[genre] += 1
    return [total[g] / (count[g] + 1) for g in range(19)]


out = {name: open(os.path.join(folder, name + ".txt"), "w") for name in ("train", "validation", "test")}
for user in order:
    rated = sorted(ratings[user])
    random.shuffle(rated)
    known, asked = rated[:10], rated[10:]
    about = ["%d:1" % f for f in users[user]]
    about += ["%d:%.4f" % (41 + g, value) for g, value in enumerate(taste(known)) if value]
    for film, rating in asked:
        total, count = sums.get(film, (0, 0))
        if part[user] == "train":
            total, count = total - rating, count - 1
        genres, year = films[film]
        fields = about + ["%d:1" % (61 + g) for g in genres]
        fields.append("80:%.4f" % ((total + 5 * overall) / (count + 5) - 3))
        fields.append("81:%.4f" % math.log(1 + count))
        if year:
            fields.append("82:%.2f" % year)
        out[part[user]].write("%d qid:%d %s\n" % (rating - 1, user, " ".join(fields)))
