#!/usr/bin/env python3
"""Scores LETOR text by an exported model, as its engine would, and compares
with the scores of dorm predict: exported.py FORMAT MODEL NAMES DATA SCORES.
Engines without a constant give scores that differ by one number throughout."""
import json
import re
import struct
import sys

# What the pages in manual/export.md say that a file has, and nothing else: keys and types. A key that ends in "?" may be
# absent, the key "*" stands for names of features, and a set holds alternatives.
number = (int, float)
linear_range = ({"min_max": {"minimum": number, "maximum": number}},
                {"standard": {"mean": number, "standard_deviation": number}})
solr_norm = ({"class": "org.apache.solr.ltr.norm.MinMaxNormalizer", "params": {"min": "number", "max": "number"}},
             {"class": "org.apache.solr.ltr.norm.StandardNormalizer", "params": {"avg": "number", "std": "number"}})
elasticsearch = {"model": {"name": str, "model": {"type": "model/linear", "definition": str,
                                                  "feature_normalizers?": {"*": linear_range}}}}
schemas = {
    "elasticsearch": elasticsearch,
    "opensearch": elasticsearch,
    "solr": {"class": "org.apache.solr.ltr.model.LinearModel", "name": str,
             "features": [{"name": str, "norm?": solr_norm}], "params": {"weights": {"*": number}}},
    "json": {"name": str, "constant": number,
             "features": [{"id": int, "name": str, "weight": number, "missing": number}]},
}


def fits(value, schema):
    """Whether a value of JSON has the form of a schema."""
    if schema == "number":  # Solr has numbers as texts here
        return isinstance(value, str) and float(value) == float(value)
    if isinstance(schema, str):
        return value == schema
    if isinstance(schema, type):
        return isinstance(value, schema)
    if isinstance(schema, tuple):
        return any(fits(value, one) for one in schema)
    if isinstance(schema, list):
        return isinstance(value, list) and all(fits(item, schema[0]) for item in value)
    if "*" in schema:
        return isinstance(value, dict) and all(fits(item, schema["*"]) for item in value.values())
    wanted = {key.rstrip("?"): key for key in schema}
    return (isinstance(value, dict) and set(value) <= set(wanted) and
            all(key in value or name.endswith("?") for key, name in wanted.items()) and
            all(fits(item, schema[wanted[key]]) for key, item in value.items()))


kind, model_path, names_path, data_path, scores_path = sys.argv[1:]
text = open(model_path).read()
names = {}
for line in open(names_path):
    if line.strip() and not line.startswith("#"):
        number, name = line.strip().split(None, 1)
        names[name] = int(number)


def single(text):
    """A number as dorm and the engines keep it."""
    return struct.unpack("f", struct.pack("f", float(text)))[0]


def engine(text):
    """A list of (feature id, weight, shift, spread), and a constant."""
    if kind == "ranklib":
        assert text.startswith("## Coordinate Ascent\n")
        assert re.fullmatch(r"(##.*\n)+(\d+:\S+)( \d+:\S+)*\n", text)
        line = [l for l in text.split("\n") if l.strip() and not l.startswith("##")][0]
        return [(int(p.split(":")[0]), float(p.split(":")[1]), 0, 1) for p in line.split()], 0
    model = json.loads(text)
    assert fits(model, schemas[kind]), f"{model} does not have the form of {kind}"
    if kind == "json":
        assert all(names[f["name"]] == f["id"] for f in model["features"])
        return [(f["id"], f["weight"], 0, 1) for f in model["features"]], model["constant"]
    if kind == "solr":
        assert model["class"] == "org.apache.solr.ltr.model.LinearModel" and model["name"] == "my \"model\" \\ 1"
        weights = model["params"]["weights"]
        norms = {f["name"]: f.get("norm") for f in model["features"]}
        assert set(weights) == set(norms)
        ranges = {}
        for name, norm in norms.items():
            if not norm:
                ranges[name] = (0, 1)
                continue
            parameters = {key: float(value) for key, value in norm["params"].items() if isinstance(value, str)}
            if norm["class"] == "org.apache.solr.ltr.norm.MinMaxNormalizer":
                ranges[name] = (parameters["min"], parameters["max"] - parameters["min"])
            else:
                assert norm["class"] == "org.apache.solr.ltr.norm.StandardNormalizer"
                ranges[name] = (parameters["avg"], parameters["std"])
    else:
        assert model["model"]["name"] == "my \"model\" \\ 1" and model["model"]["model"]["type"] == "model/linear"
        definition = model["model"]["model"]["definition"]
        assert isinstance(definition, str)
        weights = json.loads(definition)
        ranges = {name: (0, 1) for name in weights}
        for name, norm in model["model"]["model"].get("feature_normalizers", {}).items():
            if "min_max" in norm:
                ranges[name] = (norm["min_max"]["minimum"], norm["min_max"]["maximum"] - norm["min_max"]["minimum"])
            else:
                ranges[name] = (norm["standard"]["mean"], norm["standard"]["standard_deviation"])
    assert all(spread > 0 for _, spread in ranges.values())
    return [(names[name], weight) + ranges[name] for name, weight in weights.items()], 0


terms, constant = engine(text)
assert terms
wanted = [float(line) for line in open(scores_path)]
scores = []
for line in open(data_path):
    values = dict(pair.split(":") for pair in line.split("#")[0].split()[2:])
    scores.append(constant + sum(w * (single(values.get(str(f), 0)) - shift) / spread for f, w, shift, spread in terms))
assert len(scores) == len(wanted)
offset = wanted[0] - scores[0] if kind == "ranklib" else 0
scale = max(1, max(abs(s) for s in wanted))
worst = max(abs(a + offset - b) for a, b in zip(scores, wanted)) / scale
assert max(wanted) - min(wanted) > 0.01
sys.exit(0 if worst <= 1e-6 else f"largest difference {worst}")
