#!/usr/bin/env python3
"""Scores LETOR text by an exported model, as its engine would, and compares
with the scores of dorm predict: exported.py FORMAT MODEL NAMES DATA SCORES.
Engines without a constant give scores that differ by one number throughout.

exported.py neighbours MODEL DATA prints lines of the data in which one feature
is a threshold of a tree of the model, which is in dorm's JSON, or the float
just below or above it."""
import json
import math
import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree

# What the pages in manual/export.md say that a file has, and nothing else: keys and types. A key that ends in "?" may be
# absent, the key "*" alone is for one or more names, a set holds alternatives, and a function gives the schema of what nests.
number = (int, float)
linear_range = ({"min_max": {"minimum": number, "maximum": number}},
                {"standard": {"mean": number, "standard_deviation": number}})
solr_norm = ({"class": "org.apache.solr.ltr.norm.MinMaxNormalizer", "params": {"min": "number", "max": "number"}},
             {"class": "org.apache.solr.ltr.norm.StandardNormalizer", "params": {"avg": "number", "std": "number"}})
elasticsearch = ({"model": {"name": str, "model": {"type": "model/linear", "definition": str,
                                                   "feature_normalizers?": {"*": linear_range}}}},
                 {"model": {"name": str, "model": {"type": "model/xgboost+json", "definition": str}}})


def xgboost_node():
    return ({"nodeid": int, "leaf": number},
            {"nodeid": int, "depth": int, "split": str, "split_condition": number, "yes": int, "no": int,
             "missing": int, "children": [xgboost_node]})


def solr_node():
    return ({"value": "number"}, {"feature": str, "threshold": "number", "left": solr_node, "right": solr_node})


json_node = ({"value": number}, {"feature": int, "threshold": number, "yes": int, "no": int, "missing": int})
xgboost_tree = {"id": int, "tree_param": {"num_deleted": "0", "num_feature": str, "num_nodes": str,
                                          "size_leaf_vector": "0"},
                "left_children": [int], "right_children": [int], "parents": [int], "split_indices": [int],
                "default_left": [int], "split_type": [int], "split_conditions": [number], "base_weights": [number],
                "loss_changes": [number], "sum_hessian": [number], "categories": [int], "categories_nodes": [int],
                "categories_segments": [int], "categories_sizes": [int]}
schemas = {
    "elasticsearch": elasticsearch,
    "opensearch": elasticsearch,
    "solr": ({"class": "org.apache.solr.ltr.model.LinearModel", "name": str,
              "features": [{"name": str, "norm?": solr_norm}], "params": {"weights": {"*": number}}},
             {"class": "org.apache.solr.ltr.model.MultipleAdditiveTreesModel", "name": str,
              "features": [{"name": str}], "params": {"trees": [{"weight": "number", "root": solr_node}]}}),
    "xgboost": {"version": [int],
                "learner": {"attributes": ({}, {"*": str}), "feature_names": [str], "feature_types": ["float"],
                            "gradient_booster": {"name": "gbtree", "model": {
                                "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str,
                                                       "size_leaf_vector": "0"},
                                "tree_info": [int], "trees": [xgboost_tree]}},
                            "learner_model_param": {"base_score": "0", "boost_from_average": "0", "num_class": "0",
                                                    "num_feature": str, "num_target": "1"},
                            "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}}}},
    "xgboost-json-dump": [xgboost_node],
    "json": {"name": str, "constant": number,
             "features": [{"id": int, "name": str, "weight": number, "missing": number}],
             "trees?": [{"weight": number, "score": str, "outputs": int, "values": [number], "trees": [[json_node]]}],
             "nets?": [{"weight": number, "units": [{"output": number, "threshold": number, "weights": [number]}]}]},
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
    if callable(schema):
        return fits(value, schema())
    if len(schema) == 1 and "*" in schema:
        return isinstance(value, dict) and value != {} and all(fits(item, schema["*"]) for item in value.values())
    wanted = {key.rstrip("?"): key for key in schema}
    return (isinstance(value, dict) and set(value) <= set(wanted) and
            all(key in value or name.endswith("?") for key, name in wanted.items()) and
            all(fits(item, schema[wanted[key]]) for key, item in value.items()))


def single(value):
    """A number as dorm and the engines keep it."""
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def rows_of(path):
    """The values of each line by feature; one that a line lacks is not there."""
    for line in open(path):
        pairs = [pair.split(":") for pair in line.split("#")[0].split()[2:]]
        yield {int(feature): single(value) for feature, value in pairs}


# ---- The engines: each makes of the text of a file a function from a row to its score.

def linear(terms, constant=0):
    """terms: (feature id, weight, shift, spread)"""
    assert terms and all(spread > 0 for _, _, _, spread in terms)
    return lambda row: constant + sum(w * (row.get(f, 0) - shift) / spread for f, w, shift, spread in terms)


def elasticsearch_scorer(model, names):
    assert model["model"]["name"] == "my \"model\" \\ 1"
    model = model["model"]["model"]
    definition = json.loads(model["definition"])
    if model["type"] == "model/linear":
        ranges = {name: (0, 1) for name in definition}
        for name, norm in model.get("feature_normalizers", {}).items():
            if "min_max" in norm:
                ranges[name] = (norm["min_max"]["minimum"], norm["min_max"]["maximum"] - norm["min_max"]["minimum"])
            else:
                ranges[name] = (norm["standard"]["mean"], norm["standard"]["standard_deviation"])
        return linear([(names[name], weight) + ranges[name] for name, weight in definition.items()])
    assert definition and fits(definition, [xgboost_node])

    def check(node, depth):
        if "leaf" not in node:
            assert node["depth"] == depth and [child["nodeid"] for child in node["children"]] == [node["yes"], node["no"]]
            # in versions that look at it, `missing` takes the features that a document lacks, which are 0 for dorm
            assert node["missing"] == (node["yes"] if 0 < single(node["split_condition"]) else node["no"])
            for child in node["children"]:
                check(child, depth + 1)

    def leaf(node, row):
        while "leaf" not in node:
            node = node["children"][not single(node["split_condition"]) > row.get(names[node["split"]], 0)]
        return single(node["leaf"])

    for tree in definition:
        check(tree, 0)
    return lambda row: sum(leaf(tree, row) for tree in definition)


def solr_scorer(model, names):
    assert model["name"] == "my \"model\" \\ 1"
    if "weights" in model["params"]:
        weights = model["params"]["weights"]
        norms = {f["name"]: f.get("norm") for f in model["features"]}
        assert set(weights) == set(norms)
        ranges = {}
        for name, norm in norms.items():
            numbers = {key: float(value) for key, value in (norm or {"params": {}})["params"].items()}
            if not norm:
                ranges[name] = (0, 1)
            elif norm["class"].endswith(".MinMaxNormalizer"):
                ranges[name] = (numbers["min"], numbers["max"] - numbers["min"])
            else:
                ranges[name] = (numbers["avg"], numbers["std"])
        return linear([(names[name], weight) + ranges[name] for name, weight in weights.items()])
    listed = {f["name"] for f in model["features"]}
    slack = single(1e-6)

    def leaf(node, row):
        while "value" not in node:
            assert node["feature"] in listed
            is_left = row.get(names[node["feature"]], 0) <= single(single(node["threshold"]) + slack)
            node = node["left" if is_left else "right"]
        return single(node["value"])

    return lambda row: sum(single(tree["weight"]) * leaf(tree["root"], row) for tree in model["params"]["trees"])


def ranklib_scorer(text, names):
    if text.startswith("## Coordinate Ascent\n"):
        assert re.fullmatch(r"(##.*\n)+(\d+:\S+)( \d+:\S+)*\n", text)
        line = [l for l in text.split("\n") if l.strip() and not l.startswith("##")][0]
        return linear([(int(p.split(":")[0]), float(p.split(":")[1]), 0, 1) for p in line.split()])
    assert text.startswith("## LambdaMART\n")
    # RankLib puts the lines together without the blanks at their ends, and takes children by their places
    lines = [line.strip() for line in text.split("\n") if not line.startswith("#")]
    root = xml.etree.ElementTree.fromstring("".join(lines))
    trees = root.findall("tree")
    assert root.tag == "ensemble" and trees and [tree.get("id") for tree in trees] == [str(i + 1) for i in range(len(trees))]

    def leaf(node, row):
        while node[0].tag == "feature":
            assert [child.tag for child in node] == ["feature", "threshold", "split", "split"]
            assert (node[2].get("pos"), node[3].get("pos")) == ("left", "right")
            node = node[2 if row.get(int(node[0].text.strip()), 0) <= single(node[1].text.strip()) else 3]
        assert [child.tag for child in node] == ["output"]
        return single(node[0].text.strip())

    return lambda row: sum(single(tree.get("weight")) * leaf(tree[0], row) for tree in trees)


def xgboost_scorer(model, names):
    learner = model["learner"]
    columns = [names[name] for name in learner["feature_names"]]
    trees = learner["gradient_booster"]["model"]["trees"]
    assert len(learner["feature_types"]) == len(columns) == int(learner["learner_model_param"]["num_feature"])
    assert learner["gradient_booster"]["model"]["tree_info"] == [0] * len(trees)
    for i, tree in enumerate(trees):
        count = int(tree["tree_param"]["num_nodes"])
        assert tree["id"] == i and tree["parents"][0] == 2 ** 31 - 1 and len(tree["split_conditions"]) == count
        for node in range(count):
            left, right = tree["left_children"][node], tree["right_children"][node]
            assert left == right == -1 or tree["parents"][left] == tree["parents"][right] == node

    def leaf(tree, row):
        node = 0
        while tree["left_children"][node] >= 0:
            value = row.get(columns[tree["split_indices"][node]], 0)
            is_left = tree["default_left"][node] if value != value else value < single(tree["split_conditions"][node])
            node = tree["left_children" if is_left else "right_children"][node]
        return single(tree["split_conditions"][node])

    return lambda row: sum(leaf(tree, row) for tree in trees)


def json_dump_scorer(trees, names):
    """Vespa and others read this: nodes as in XGBoost's dump, in which `missing` takes NaN."""
    def leaf(node, row):
        while "leaf" not in node:
            value = row.get(names[node["split"]], 0)
            below = node["missing"] == node["yes"] if value != value else value < single(node["split_condition"])
            node = {child["nodeid"]: child for child in node["children"]}[node["yes" if below else "no"]]
        return single(node["leaf"])

    return lambda row: sum(leaf(tree, row) for tree in trees)


def dump_scorer(text, names):
    """The text dump: "booster[N]:", then a line for each node, behind a tab for each level."""
    trees, last = [], None
    for line in text.split("\n")[:-1]:
        booster = re.fullmatch(r"booster\[(\d+)\]:", line)
        if booster:
            assert int(booster[1]) == len(trees)
            trees.append({})
            last = []
            continue
        node = re.fullmatch(r"(\t*)(\d+):(?:leaf=(\S+)|\[([^][<]+)<(\S+)\] yes=(\d+),no=(\d+),missing=(\d+))", line)
        level, number = len(node[1]), int(node[2])
        assert number not in trees[-1] and level <= len(last)
        assert level == 0 or number in trees[-1][last[level - 1]][2:4]  # below its parent
        last = last[:level] + [number]
        trees[-1][number] = (single(node[3]),) if node[3] else (names[node[4]], single(node[5])) + tuple(map(int, node.groups()[5:]))
        assert node[3] or trees[-1][number][4] in trees[-1][number][2:4]
    assert trees

    def leaf(tree, row):
        node = tree[0]
        while len(node) > 1:
            value = row.get(node[0], 0)
            node = tree[node[4] if value != value else node[2] if value < node[1] else node[3]]
        return node[0]

    return lambda row: sum(leaf(tree, row) for tree in trees)


# ---- ONNX: a reader of protobuf, and the operators

def proto(data):
    """The fields of a message: number -> list of whole numbers, floats (of 4 bytes) or bytes."""
    fields, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        assert key & 7 in (0, 2)
        value = varint()
        if key & 7 == 2:
            assert at + value <= len(data)
            value, at = data[at:at + value], at + value
        fields.setdefault(key >> 3, []).append(value)
    return fields


def packed_floats(data):
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def packed_wholes(data):
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    assert shift == 0
    return numbers


def attributes_of(node):
    found = {}
    for attribute in map(proto, node.get(5, [])):
        kind = attribute[20][0]
        found[attribute[1][0].decode()] = (attribute[3][0] if kind == 2 else packed_floats(attribute[7][0]) if kind == 6 else
                                           packed_wholes(attribute[8][0]) if kind == 7 else attribute[9])
    return found


def trees_of_onnx(attributes, values):
    a = attributes
    nodes = list(zip(a["nodes_treeids"], a["nodes_nodeids"], a["nodes_featureids"], a["nodes_values"], a["nodes_modes"],
                     a["nodes_truenodeids"], a["nodes_falsenodeids"], a["nodes_missing_value_tracks_true"]))
    assert len({len(a[name]) for name in a if name.startswith("nodes_")}) == 1
    trees = {}
    for tree, number, *node in nodes:
        assert number not in trees.setdefault(tree, {})
        trees[tree][number] = node
    leaves = {(tree, node): (target, weight) for tree, node, target, weight in
              zip(a["target_treeids"], a["target_nodeids"], a["target_ids"], a["target_weights"])}
    sums = [0] * a["n_targets"]
    for tree, numbers in trees.items():
        node = 0
        while numbers[node][2] != b"LEAF":
            feature, threshold, mode, yes, no, missing = numbers[node]
            assert mode == b"BRANCH_LT"
            node = yes if (missing if values[feature] != values[feature] else values[feature] < threshold) else no
        target, weight = leaves[tree, node]
        sums[target] += weight
    return sums


def onnx_scorer(data, names):
    model = proto(data)
    assert model[1] == [7] and {proto(o)[1][0]: proto(o)[2][0] for o in model[8]} == {b"": 13, b"ai.onnx.ml": 1}
    metadata = proto(model[14][0])
    assert metadata[1] == [b"features"]
    columns = [int(line.split(" ", 1)[0]) for line in metadata[2][0].decode().split("\n")[:-1]]
    assert [names[line.split(" ", 1)[1]] for line in metadata[2][0].decode().split("\n")[:-1]] == columns
    graph = proto(model[7][0])
    assert [proto(v)[1][0] for field in (11, 12) for v in graph[field]] == [b"features", b"scores"]
    tensors = {}
    for tensor in map(proto, graph.get(5, [])):
        numbers = packed_floats(tensor[4][0])
        rows, width = (tensor[1] if len(tensor[1]) == 2 else [1] + tensor[1])
        assert tensor[2] == [1] and len(numbers) == rows * width
        tensors[tensor[8][0]] = [numbers[i * width:(i + 1) * width] for i in range(rows)]

    # All values are matrices; a document is a matrix of one row.
    def each(function):
        return lambda attributes, *inputs: [[function(*(m[0][i if len(m[0]) > 1 else 0] for m in inputs))
                                             for i in range(max(len(m[0]) for m in inputs))]]

    def softmax(attributes, x):
        odds = [math.exp(value) for value in x[0]]
        return [[value / sum(odds) for value in odds]]

    operators = {
        (b"Sub", b""): each(lambda x, y: x - y), (b"Add", b""): each(lambda x, y: x + y),
        (b"IsNaN", b""): each(lambda x: x != x), (b"Where", b""): each(lambda c, x, y: x if c else y),
        (b"Tanh", b""): each(math.tanh), (b"Sigmoid", b""): each(lambda x: 1 / (1 + math.exp(-x))),
        (b"Sum", b""): each(lambda *terms: sum(terms)), (b"Softmax", b""): softmax,
        (b"MatMul", b""): lambda attributes, x, y: [[sum(a * b[k] for a, b in zip(x[0], y)) for k in range(len(y[0]))]],
        (b"LinearRegressor", b"ai.onnx.ml"): lambda attributes, x: [[
            attributes["intercepts"][0] + sum(a * b for a, b in zip(x[0], attributes["coefficients"]))]],
        (b"TreeEnsembleRegressor", b"ai.onnx.ml"): lambda attributes, x: [trees_of_onnx(attributes, x[0])]}
    nodes = [(operators[node[4][0], node.get(7, [b""])[0]], attributes_of(node), node[1], node[2][0])
             for node in map(proto, graph[1])]

    def score(row):
        known = dict(tensors)
        known[b"features"] = [[row.get(feature, 0) for feature in columns]]
        for operator, attributes, inputs, output in nodes:
            known[output] = operator(attributes, *(known[name] for name in inputs))
        (result,), = known[b"scores"]
        return result

    return score


def ask_onnx(data, data_path, scores):
    """ONNX itself checks the model, and predicts the same scores, if it has a reference evaluator."""
    try:
        import numpy
        import onnx
    except ImportError:
        return
    model = onnx.load_model_from_string(data)
    onnx.checker.check_model(model, full_check=True)
    try:
        from onnx.reference import ReferenceEvaluator
    except ImportError:
        return
    columns = [int(line.split()[0]) for line in model.metadata_props[0].value.splitlines()]
    rows = numpy.array([[row.get(feature, 0) for feature in columns] for row in rows_of(data_path)], dtype=numpy.float32)
    found = ReferenceEvaluator(model).run(None, {"features": rows})[0]
    assert found.shape == (len(rows), 1)
    assert numpy.abs(found[:, 0] - scores).max() <= 1e-5 * max(1, max(map(abs, scores)))


def ask_onnxruntime(model_path, data_path, scores):
    """onnxruntime-web predicts the same scores, if DORM_NODE_MODULES names a folder node_modules that has it."""
    if not os.environ.get("DORM_NODE_MODULES"):
        return
    text = open(model_path, "rb").read().decode("latin-1")
    columns = [int(line.split()[0]) for line in re.search(r"features\x12[\s\S]{1,3}?((?:\d+ [^\n]*\n)+)", text)[1].splitlines()]
    rows = [[row.get(feature, 0) for feature in columns] for row in rows_of(data_path)]
    if any(value != value for row in rows for value in row):  # JSON has no NaN
        return
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnxruntime.cjs")
    found = subprocess.run(["node", script, model_path], input=json.dumps(rows), capture_output=True, text=True, check=True,
                           env={**os.environ, "NODE_PATH": os.environ["DORM_NODE_MODULES"]})
    found = json.loads(found.stdout)
    assert len(found) == len(scores)
    assert max(abs(a - b) for a, b in zip(found, scores)) <= 1e-5 * max(1, max(map(abs, scores)))
    open("onnxruntime.ran", "w").close()


def json_scorer(model, names):
    assert all(names[f["name"]] == f["id"] for f in model["features"])
    ids = [f["id"] for f in model["features"]]
    missing = {f["id"]: f["missing"] for f in model["features"]}
    assert model.get("nets") != [] and all(len(unit["weights"]) == len(ids)
                                           for net in model.get("nets", []) for unit in net["units"])

    def leaf(nodes, row):
        node = nodes[0]
        while "value" not in node:
            value = row.get(node["feature"], 0)
            node = nodes[node["missing" if value != value else "yes" if value < single(node["threshold"]) else "no"]]
        return node["value"]

    def part_score(part, row):
        outputs = [sum(leaf(tree, row) for tree in part["trees"][k::part["outputs"]]) for k in range(part["outputs"])]
        values = part["values"]
        if part["score"] == "sum":
            assert not values and len(outputs) == 1
            return outputs[0]
        if part["score"] == "softmax":
            odds = [math.exp(output) for output in outputs]
            assert len(values) == len(odds)
            return sum(p * value for p, value in zip(odds, values)) / sum(odds)
        assert part["score"] == "logistic" and len(values) == len(outputs) + 1
        steps = [values[k + 1] - values[k] for k in range(len(outputs))]
        return values[0] + sum(step / (1 + math.exp(-2 * output)) for step, output in zip(steps, outputs))

    def net_score(net, known):
        return sum(unit["output"] * math.tanh(unit["threshold"] + sum(w * known.get(f, 0)
                                                                      for f, w in zip(ids, unit["weights"])))
                   for unit in net["units"])

    def score(row):
        known = {f: missing.get(f, 0) if value != value else value for f, value in row.items()}
        return (model["constant"] + sum(f["weight"] * known.get(f["id"], 0) for f in model["features"]) +
                sum(part["weight"] * part_score(part, row) for part in model.get("trees", [])) +
                sum(net["weight"] * net_score(net, known) for net in model.get("nets", [])))

    return score


def scorer_of(kind, text, names):
    if kind in ("ranklib", "xgboost-dump", "onnx"):
        return {"ranklib": ranklib_scorer, "xgboost-dump": dump_scorer, "onnx": onnx_scorer}[kind](text, names)
    model = json.loads(text)
    assert fits(model, schemas[kind]), f"{model} does not have the form of {kind}"
    return {"elasticsearch": elasticsearch_scorer, "opensearch": elasticsearch_scorer, "solr": solr_scorer,
            "xgboost": xgboost_scorer, "xgboost-json-dump": json_dump_scorer, "json": json_scorer}[kind](model, names)


# ---- The two uses

def print_neighbours(model, data):
    """Each threshold takes the next line of the data, in turn."""
    splits = {(node["feature"], single(node["threshold"]))
              for part in model["trees"] for tree in part["trees"] for node in tree if "threshold" in node}
    lines = [line.split("#")[0].split() for line in open(data)]
    splits = {split for split in splits if abs(split[1]) < 1e38}  # others have missing values on one side alone
    assert splits
    for i, (feature, threshold) in enumerate(sorted(splits)):
        bits = struct.unpack("i", struct.pack("f", threshold))[0]
        # the two floats beside it, but not those beside 0, which Solr cannot tell from 0
        for step in (-1, 0, 1) if threshold else (0,):
            value = struct.unpack("f", struct.pack("i", bits + step))[0]
            words = lines[i % len(lines)]
            kept = [pair for pair in words[2:] if not pair.startswith(f"{feature}:")]
            pairs = sorted(kept + [f"{feature}:{value!r}"], key=lambda pair: int(pair.split(":")[0]))
            print(words[0], f"qid:{i // 10}", *pairs)


def ask_xgboost(text, names, data_path, scores):
    """XGBoost itself reads the file, predicts the same scores, and writes its dump, for same_dump."""
    try:
        import numpy
        import xgboost
    except ImportError:
        return
    booster = xgboost.Booster()
    booster.load_model(bytearray(text, "utf-8"))
    columns = [names[name] for name in booster.feature_names]
    values = [[row.get(feature, 0) for feature in columns] for row in rows_of(data_path)]
    matrix = xgboost.DMatrix(numpy.array(values, dtype=numpy.float32), feature_names=booster.feature_names)
    assert numpy.abs(booster.predict(matrix) - scores).max() <= 1e-5 * max(1, max(map(abs, scores)))
    booster.feature_names = [f"id{column}" for column in columns]  # its dump does not escape names
    with open("booster.json", "w") as file:
        file.write("[" + ",".join(booster.get_dump(dump_format="json")) + "]")


def same_dump(ours, theirs, names):
    """Whether a node of a dump and one of XGBoost's dump, with ids in place of names, are alike down to the leaves."""
    if "leaf" in ours or "leaf" in theirs:
        return "leaf" in ours and "leaf" in theirs and abs(ours["leaf"] - theirs["leaf"]) <= 1e-6 * max(1, abs(ours["leaf"]))
    sides = [{child["nodeid"]: child for child in node["children"]} for node in (ours, theirs)]
    return (f"id{names[ours['split']]}" == theirs["split"] and
            single(ours["split_condition"]) == single(theirs["split_condition"]) and
            (ours["missing"] == ours["yes"]) == (theirs["missing"] == theirs["yes"]) and
            all(same_dump(sides[0][ours[side]], sides[1][theirs[side]], names) for side in ("yes", "no")))


def compare(kind, model_path, names_path, data_path, scores_path):
    names = {}
    for line in open(names_path):
        if line.strip() and not line.startswith("#"):
            feature, name = line.strip().split(None, 1)
            names[name] = int(feature)
    text = open(model_path, "rb").read() if kind == "onnx" else open(model_path).read()
    score = scorer_of(kind, text, names)
    wanted = [float(line) for line in open(scores_path)]
    scores = [score(row) for row in rows_of(data_path)]
    if kind == "xgboost":
        ask_xgboost(text, names, data_path, scores)
    if kind == "xgboost-json-dump" and os.path.exists("booster.json"):  # of the same model
        ours, theirs = json.loads(text), json.load(open("booster.json"))
        assert len(ours) == len(theirs) and all(same_dump(*trees, names) for trees in zip(ours, theirs)), "other dump"
        open("booster.ran", "w").close()
    if kind == "onnx":
        ask_onnx(text, data_path, scores)
        ask_onnxruntime(model_path, data_path, scores)
    assert len(scores) == len(wanted)
    offset = wanted[0] - scores[0] if kind == "ranklib" and "## Coordinate Ascent\n" in text else 0
    scale = max(1, max(abs(s) for s in wanted))
    worst = max(abs(a + offset - b) for a, b in zip(scores, wanted)) / scale
    assert max(wanted) - min(wanted) > 0.01
    sys.exit(0 if worst <= (1e-5 if kind == "onnx" else 1e-6) else f"largest difference {worst}")


if __name__ == "__main__":
    if sys.argv[1] == "neighbours":
        print_neighbours(json.load(open(sys.argv[2])), sys.argv[3])
    else:
        compare(*sys.argv[1:])
