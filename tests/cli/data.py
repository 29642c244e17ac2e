#!/usr/bin/env python3
"""Compares the JSON of `dorm data --json FILE [FILE]` with figures that are counted here: data.py JSON FILE [FILE]."""
import json
import math
import statistics
import struct
import sys


def single(text):
    return math.nan if text in ("nan", "NA", "?") else struct.unpack("f", struct.pack("f", float(text)))[0]


def read(path):
    """Lists (label, query, {feature: value})."""
    for line in open(path):
        label, query, *pairs = line.split("#")[0].split()
        yield float(label), query[4:], {int(f): single(v) for f, v in (pair.split(":") for pair in pairs)}


def close(x, y):
    return x is None and y is None or abs(x - y) <= 1e-6 * max(1, abs(x), abs(y))


def correlation(documents, feature):
    """Pearson's, of what is left of value and label after subtracting their means over the query."""
    xs, ys = [], []
    for query in {query: None for _, query, _ in documents}:
        rows = [(row.get(feature, 0), label) for label, q, row in documents if q == query]
        rows = [(x, y) for x, y in rows if x == x]
        if rows:
            xs += [x - math.fsum(x for x, _ in rows) / len(rows) for x, _ in rows]
            ys += [y - math.fsum(y for _, y in rows) / len(rows) for _, y in rows]
    xx, yy = math.fsum(x * x for x in xs), math.fsum(y * y for y in ys)
    return math.fsum(x * y for x, y in zip(xs, ys)) / math.sqrt(xx * yy) if xx > 1e-12 and yy > 1e-12 else 0


def check_file(found, documents):
    queries = {}
    for label, query, _ in documents:
        queries.setdefault(query, []).append(label)
    sizes = [len(labels) for labels in queries.values()]
    assert found["queries"] == len(queries) and found["documents"] == len(documents)
    assert found["min_documents"] == min(sizes) and found["max_documents"] == max(sizes)
    assert found["median_documents"] == statistics.median(sizes)
    assert found["queries_of_one_document"] == sizes.count(1)
    assert found["queries_of_equal_labels"] == sum(len(set(labels)) == 1 for labels in queries.values())
    assert found["queries_without_relevant"] == sum(max(labels) <= 0 for labels in queries.values())
    counts = {}
    for label, _, _ in documents:
        counts[label] = counts.get(label, 0) + 1
    assert [(entry["label"], entry["documents"]) for entry in found["labels"]] == sorted(counts.items())
    ids = sorted({feature for _, _, row in documents for feature in row})
    assert [feature["id"] for feature in found["features"]] == ids
    columns, firsts = {}, {}
    for i, feature in enumerate(ids):
        entry = found["features"][i]
        values = [row.get(feature, 0) for _, _, row in documents]
        known = [value for value in values if value == value]
        columns[feature] = known
        assert entry["missing"] == len(values) - len(known) and entry["zeros"] == values.count(0)
        assert close(entry["min"], min(known)) and close(entry["max"], max(known))
        assert close(entry["mean"], math.fsum(known) / len(known))
        assert entry["constant"] == (len(known) == len(values) and min(known) == max(known))
        first = firsts.setdefault(str(values), feature)
        assert entry["equals"] == (None if first == feature else first), (feature, first, entry)
        if i < 40:
            assert close(entry["correlation"], correlation(documents, feature)), (feature, entry)
    return set(queries), columns


def main(json_path, *paths):
    found = json.load(open(json_path))
    assert len(found["files"]) == len(paths)
    counted = [check_file(entry, list(read(path))) for entry, path in zip(found["files"], paths)]
    if len(paths) == 1:
        return
    assert found["queries_in_both"] == len(counted[0][0] & counted[1][0])
    columns = [columns for _, columns in counted]
    wanted = {}
    for feature in sorted(set(columns[0]) | set(columns[1])):
        if feature not in columns[0] or feature not in columns[1]:
            wanted[feature] = (1 if feature in columns[0] else 2, 0, 0)
            continue
        low, high = zip(*((min(column[feature]), max(column[feature])) for column in columns))
        outside = [sum(not low[1 - i] <= value <= high[1 - i] for value in columns[i][feature]) / len(columns[i][feature])
                   for i in range(2)]
        if max(outside) > 0.05:
            wanted[feature] = (None, *outside)
    differing = found["differing_features"]
    assert [entry["id"] for entry in differing] == list(wanted), wanted
    for entry in differing:
        only, one, two = wanted[entry["id"]]
        assert entry["only_in"] == only and close(entry["outside_1"], one) and close(entry["outside_2"], two)


main(*sys.argv[1:])
