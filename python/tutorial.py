# %% [markdown]
# # Learning to rank with dorm
#
# A tour in cells: read, train, evaluate, compare, explain, draw. Editors that know `# %%` run it cell by cell;
# `python3 tutorial.py` runs it whole. It reads train.txt, validation.txt and test.txt in LETOR format, here made by
#
#     dorm generate artificial --seed 2 --part 1 --queries 60 -o train.txt
#     dorm generate artificial --seed 2 --part 2 --queries 60 -o validation.txt
#     dorm generate artificial --seed 2 --part 3 --queries 60 -o test.txt
#
# Pictures are written as PNG files, where matplotlib is installed.

# %%
import numpy as np

import dorm

try:
    import matplotlib

    matplotlib.use("Agg")  # without a screen; in a notebook leave this line out
    from matplotlib import pyplot
except ImportError:
    pyplot = None

# %% [markdown]
# ## Read
#
# A data set has its features X, labels y and, for each document, the query that it belongs to. Arrays of your own do as
# well: X of any real type, y, and one query id for each row in qid.

# %%
train = dorm.read_letor("train.txt")
validation = dorm.read_letor("validation.txt")
test = dorm.read_letor("test.txt")
print(train)
print("documents per query:", train.group[:5], "labels:", np.unique(train.y))

# %% [markdown]
# ## Train
#
# The loss of a structured SVM is the measure itself. Several values of C are tried; by the validation data dorm chooses
# among all candidates. The events of the training can be kept, for the picture below.

# %%
events: list[dorm.Event] = []
ranker = dorm.Ranker("ndcg@10", trainer="svm", C=[1, 10, 100], log=events.append)
ranker.fit(train.X, train.y, qid=train.qid, eval_set=(validation.X, validation.y), eval_qid=validation.qid)
print(len(ranker.candidates_), "candidates, validation", round(ranker.validation_score_, 4))
print("at most", ranker.certificate_.gap, "from the optimum of its convex problem")

# %% [markdown]
# ## Evaluate
#
# Every measure says its conventions, and comes with its standard error over the queries.

# %%
scores = ranker.predict(test.X)
for measure, value in dorm.evaluate(test.y, scores, qid=test.qid, measures=["ndcg@10", "map", "mrr"]).items():
    print(f"{measure:8} {value.mean:.4f} +- {value.standard_error:.4f}   {value.conventions}")

# %% [markdown]
# ## Compare
#
# Boosted trees against the linear ranker. A difference within its standard error is none.

# %%
other = dorm.Ranker("ndcg@10", trainer="trees", trees_trees=50, trees_leaves=4)
other.fit(train, eval_set=validation)
other_scores = other.predict(test)
comparison = dorm.compare(test.y, scores, other_scores, qid=test.qid, measure="ndcg@10")
print(
    f"linear {comparison.first:.4f}, other {comparison.second:.4f}, difference {comparison.difference:+.4f} +- "
    f"{comparison.standard_error:.4f}, p = {comparison.randomisation:.3f}"
)

# %%
folds = dorm.cross_validate(dorm.Ranker("ndcg@10", trainer="svm", C=10), train.X, train.y, train.qid, folds=3)
print(f"cross-validated by query: {folds.evaluations.mean:.4f} +- {folds.evaluations.standard_error:.4f}")

# %% [markdown]
# ## Explain
#
# Why is the first document of a query first? What the features add, together with the mean score of the query, is the
# score; for trees too.

# %%
inside = test.qid == test.qid[0]
for name, one in (("linear", ranker), ("other", other)):
    why, mean = dorm.explain(one, test.X[inside], qid=0, with_mean=True)
    top = int(np.argmax(one.predict(test.X[inside])))
    best = np.argsort(-why[top])[:3]
    print(
        f"{name}: document {top} is first by", [(f"feature {test.feature_ids[f]}", round(why[top, f], 3)) for f in best]
    )
    assert np.allclose(why.sum(axis=1) + mean, one.predict(test.X[inside]), atol=1e-5)

# %% [markdown]
# ## Draw

# %%
if pyplot is not None:
    figure, ((a, b), (c, d), (e, f)) = pyplot.subplots(3, 2, figsize=(13, 12), constrained_layout=True)
    dorm.plot.convergence(events, ax=a)
    dorm.plot.c_path(ranker, ax=b)
    dorm.plot.weights(ranker, ax=c)
    dorm.plot.contributions(ranker, test.X[inside], qid=0, document=top, ax=d)
    dorm.plot.by_query(dorm.evaluate(test.y, scores, qid=test.qid), ax=e)
    dorm.plot.two_rankers(
        dorm.evaluate(test.y, scores, qid=test.qid),
        dorm.evaluate(test.y, other_scores, qid=test.qid),
        ("linear", "other"),
        ax=f,
    )
    figure.savefig("tutorial.png")
    svm = dorm.Ranker("ndcg@10", trainer="svm", C=10)
    dorm.plot.learning_curve(
        svm, train.X, train.y, train.qid, (test.X, test.y), test.qid, shares=(0.2, 0.5, 1)
    ).figure.savefig("learning_curve.png")
    dorm.plot.importance(other).figure.savefig("importance.png")
    dorm.plot.race(ranker).figure.savefig("race.png")

# %% [markdown]
# ## Keep
#
# The file is one of the command's: `dorm predict model.dorm test.txt` gives the same scores.

# %%
ranker.save("model.dorm")
assert (dorm.Ranker.load("model.dorm").predict(test) == scores).all()
