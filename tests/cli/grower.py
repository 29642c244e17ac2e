"""grower.py TRAIN SCORES ROUNDS: whether scores of dorm's regression trees have the training error of XGBoost's `hist` with
the same leaves, learning rate and bins, within one percent. Nearly tied splits make that much. Exit code 77 without
XGBoost."""
import sys

try:
    import numpy as np
    import xgboost
except ImportError:
    sys.exit(77)

path, scores, rounds = sys.argv[1], np.loadtxt(sys.argv[2]), int(sys.argv[3])
lines = [line.split("#")[0].split() for line in open(path)]
gain = np.exp2([float(words[0]) for words in lines]) - 1
x = np.array([[float(word.split(":")[1]) for word in words[2:]] for words in lines], np.float32)
settings = {
    "objective": "reg:squarederror",
    "base_score": float(gain.mean()),
    "tree_method": "hist",
    "grow_policy": "lossguide",
    "max_depth": 0,
    "max_leaves": 10,
    "max_bin": 255,
    "eta": 0.1,
    "lambda": 0,
    "min_child_weight": 1,
    "nthread": 1,
}
data = xgboost.DMatrix(x, label=gain, nthread=1)
predicted = xgboost.train(settings, data, rounds).predict(data)


def error(made):
    """The root mean squared error of the scores, which dorm centres and scales, at their best scale."""
    made = made - made.mean()
    target = gain - gain.mean()
    return float(np.sqrt(np.mean((target - made * (target @ made) / (made @ made)) ** 2)))


own, other = error(scores), error(predicted)
print("training error %.5f, of XGBoost %.5f" % (own, other))
sys.exit(abs(own - other) > 0.01 * other)
