#!/usr/bin/env python3
"""Checks what manual/served.md sends to search engines against what their documentation says that they take:
engines.py FOLDER MANUAL, with the files that the commands of the manual wrote, and the manual for what it shows without
running it. engines.py --mutants FOLDER MANUAL takes one key after the other out of each file, and ends with 0 if each
such file is refused.

A schema is what exported.py describes: keys and types, "?" behind a key that may be absent, a tuple for alternatives.
exported.py has the schemas of the models."""
import json
import os
import re
import sys

from exported import fits, number, schemas, xgboost_node

# ---- Elasticsearch and OpenSearch
# elasticsearch-learning-to-rank.readthedocs.io/en/latest/building-features.html
# docs.opensearch.org/docs/search-plugins/ltr/working-with-features
match = {"match": {"*": str}}
# elastic.co/docs/reference/query-languages/query-dsl/query-dsl-function-score-query
field_value = {"function_score": {"query": {"match_all": {}}, "field_value_factor": {
    "field": str, "factor?": number, "modifier?": str, "missing?": number}}}
feature_set = {"featureset": {"features": [
    {"name": str, "params": [str], "template_language?": "mustache", "template": (match, field_value)}]}}
# elasticsearch-learning-to-rank.readthedocs.io/en/latest/searching-with-your-model.html
# elastic.co/guide/en/elasticsearch/reference/current/filter-search-results.html (rescore)
search = {"query": match, "rescore": {"window_size": int, "query": {
    "query_weight?": number, "rescore_query_weight?": number,
    "rescore_query": {"sltr": {"params": {"*": str}, "model": str}}}}}

# ---- Solr: solr.apache.org/guide/solr/latest/query-guide/learning-to-rank.html and the javadoc of both features
of_solr = "org.apache.solr.ltr.feature."
feature_store = [({"name": str, "class": of_solr + "SolrFeature", "store?": str, "params": {"q": str}},
                  {"name": str, "class": of_solr + "FieldValueFeature", "store?": str, "params": {"field": str}})]

requests = {"features.json": feature_set, "search.json": search, "store.json": feature_store,
            "shop.json": schemas["elasticsearch"], "solr.json": schemas["solr"], "shop-vespa.json": [xgboost_node]}


def splits_of(node):
    """The features that a tree of XGBoost's dump splits on."""
    return {node["split"]}.union(*map(splits_of, node["children"])) if "split" in node else set()


def check(files, manual):
    """What is wrong with the files and the texts of the manual; "" if nothing is."""
    for name, schema in requests.items():
        if not fits(files[name], schema):
            return f"{name} does not have the form that its engine documents"
    defined = [feature["name"] for feature in files["features.json"]["featureset"]["features"]]
    stored = [feature["name"] for feature in files["store.json"]]
    if len(set(defined)) < len(defined) or sorted(defined) != sorted(stored):
        return "the feature sets do not define the same names, each once"
    model = files["shop.json"]["model"]["model"]
    definition = json.loads(model["definition"])
    if not fits(definition, {"*": number} if model["type"] == "model/linear" else [xgboost_node]):
        return "the definition in shop.json is not what its type says"
    used = set(definition) if model["type"] == "model/linear" else set().union(*map(splits_of, definition))
    if not used <= set(defined):
        return f"the model knows {used - set(defined)}, which the feature set does not define"
    if not {feature["name"] for feature in files["solr.json"]["features"]} <= set(stored):
        return "Solr's model knows features that its store does not define"
    asked = files["search.json"]["rescore"]["query"]["rescore_query"]["sltr"]
    if asked["model"] != files["shop.json"]["model"]["name"]:
        return "the search asks for another model than the one that is uploaded"
    wanted = {word for feature in files["features.json"]["featureset"]["features"] for word in feature["params"]}
    if wanted != set(asked["params"]):
        return "the search gives other parameters than the features take"
    for feature in files["features.json"]["featureset"]["features"]:
        if set(re.findall(r"{{(\w+)}}", json.dumps(feature["template"]))) != set(feature["params"]):
            return f"the template of {feature['name']} takes other parameters than it lists"
    return check_texts(files, manual, stored)


def check_texts(files, manual, names):
    """The requests to Solr, and Vespa's rank profile: docs.vespa.ai/en/ranking/xgboost.html, .../onnx.html and
    .../reference/schemas/schemas.html."""
    query = re.search(r"rq={!ltr model=(\w+) reRankDocs=\d+ efi\.(\w+)='[^']*'}", manual)
    if not query or query[1] != files["solr.json"]["name"]:
        return "Solr is asked for another model than the one that is uploaded"
    taken = set(re.findall(r"\${(\w+)}", json.dumps(files["store.json"])))
    if taken != {query[2]}:
        return "Solr's query gives other parameters than its features take"
    profile = re.search(r"^rank-profile (\w+) {\n(.*?)^}", manual, re.M | re.S)
    if not profile or profile[2].count("{") != profile[2].count("}"):
        return "there is no rank profile, or its braces do not match"
    functions = set(re.findall(r"function (\w+)\(\) {", profile[2]))
    used = set().union(*map(splits_of, files["shop-vespa.json"]))
    listed = re.search(r"# ([\w, ]+) alike", profile[2])
    functions |= set(re.findall(r"\w+", listed[1])) & set(names) if listed else set()
    if not used <= functions:
        return f"Vespa's dump splits on {used - functions}, which the rank profile does not define"
    first, second = ("first-phase {" in profile[2], "second-phase {" in profile[2])
    if not first or not second or 'xgboost("shop-vespa.json")' not in profile[2]:
        return "the rank profile does not rank by the dump in its second phase"
    onnx = re.search(r"onnx-model \w+ {\s*file: models/shop\.onnx\s+input \"?features\"?: (\w+)\s+output \"?scores\"?: \w+\s*}", manual)
    shape = re.search(r"tensor<float>\(d0\[1\],d1\[(\d+)\]\)", manual)
    if not onnx or not shape or int(shape[1]) != len(names):
        return "Vespa's ONNX model has other inputs than shop.onnx, or not as many numbers"
    return ""


def without_one(value):
    """Copies of a value of JSON, each without one key, with its path; of a list, the first two places alone. A text that
    is JSON, as the definition of a model, is a value, too."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield key, {other: value[other] for other in value if other != key}
            is_text = key == "definition"
            for path, made in without_one(json.loads(inside) if is_text else inside):
                yield f"{key}.{path}", {**value, key: json.dumps(made) if is_text else made}
    elif isinstance(value, list):
        for i, item in enumerate(value[:2]):
            for path, made in without_one(item):
                yield f"{i}.{path}", value[:i] + [made] + value[i + 1:]


def thinned(value):
    """The value with the first three places of each list; of texts that are JSON, too."""
    if isinstance(value, dict):
        return {key: json.dumps(thinned(json.loads(inside))) if key == "definition" else thinned(inside)
                for key, inside in value.items()}
    return [thinned(item) for item in value[:3]] if isinstance(value, list) and len(str(value)) > 10000 else value


def is_free(path):
    """Whether the engines do without this key."""
    return path.split(".")[-1] in ("template_language", "query_weight", "rescore_query_weight") or \
        path.endswith("field_value_factor.missing")


def main(folder, manual_path, tries_mutants):
    files = {name: json.load(open(os.path.join(folder, name))) for name in requests}
    manual = open(manual_path).read()
    problem = check(files, manual)
    if problem or not tries_mutants:
        sys.exit(problem or 0)
    count = 0
    files = {name: thinned(value) for name, value in files.items()}  # a model of 2,000 trees takes a second to check
    if check(files, manual):
        sys.exit("the first trees alone are refused")
    for name in requests:
        for path, made in without_one(files[name]):
            if is_free(path) or path.count("children") > 1:
                continue
            count += 1
            try:
                accepted = not check({**files, name: made}, manual)
            except KeyError:  # what is missing is asked for
                accepted = False
            if accepted:
                sys.exit(f"{name} without {path} is accepted")
    print(f"{count} files without one key are refused")
    sys.exit(0 if count >= 40 else f"only {count} mutants")


main(sys.argv[-2], sys.argv[-1], sys.argv[1] == "--mutants")
