"""variants.py: one variant of the default on one split, with its values on validation and test queries, so that the
choice between the default and the variant can be made from the former and judged by the latter."""
import os
import tempfile

import datasets
import methods

MEASURE = "ndcg@10"


def run(job):
    """{path, collection, split, queries, quick} -> {"seconds": processor seconds of training with all candidates,
    "validation", "test": NDCG@10 of each query}."""
    paths = datasets.parts(job["collection"], job["split"], job["queries"], job["quick"])
    with tempfile.TemporaryDirectory(dir=datasets.work()) as scratch:
        model = os.path.join(scratch, "model")
        command = [os.environ["DORM"], "train", job["path"], "--quiet"]
        for key, value in [
            ("data.train", datasets.text(paths["train"])),
            ("data.validation", datasets.text(paths["validation"])),
            ("solver.threads", 1),
            ("selection.measure", "ndcg@10:empty=0"),
            ("output.model", model),
        ]:
            command += ["-s", "%s=%s" % (key, value)]
        before = methods.cpu_seconds()
        methods.run(command)
        result = {"seconds": methods.cpu_seconds() - before}
        for part in ("validation", "test"):
            scores, data = os.path.join(scratch, part), datasets.text(paths[part])
            methods.run([os.environ["DORM"], "predict", model, data, "-o", scores])
            result[part] = methods.evaluate(scores, data, scratch, [MEASURE])[MEASURE]
    return result
