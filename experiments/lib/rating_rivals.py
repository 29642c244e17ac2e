"""rating_rivals.py: the rivals of the paper's Tables 3 and 4, each from its own paper: PRank, JRank, Gaussian processes,
collaborative Gaussian processes, and maximum-margin matrix factorisation.

Each is a function of `Ratings`, the training ratings with a kernel of users and one of items, and returns scores
[users][items]. Those of PRank, JRank and the Gaussian processes are the rating kernels of `dorm ratings` (identity, what
is known of users or items, and correlations of ratings), so that all of them see what dorm's rows on kernels see. MMMF sees
ratings alone. Their parameters were chosen as those of `dorm ratings` were, by NDCG@10 on other splits of the same ratings
(seed 101, 20 ratings of each user), and are the same for all splits."""
import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

LEVELS = 5  # ratings are 1 to 5
SEED = 20070401


class Ratings:
    """users [n], items [n], values [n]: the ratings; user_kernel and item_kernel: square, with a mean diagonal of 1."""

    def __init__(self, users, items, values, user_kernel, item_kernel):
        self.users, self.items, self.values = users, items, values
        self.user_kernel, self.item_kernel = (K / np.diag(K).mean() for K in (user_kernel, item_kernel))
        self.num_users, self.num_items = len(user_kernel), len(item_kernel)

    def by_user(self):
        """Yields (user, places of the user's ratings)."""
        order = np.argsort(self.users, kind="stable")
        bounds = np.flatnonzero(np.diff(self.users[order])) + 1
        for places in np.split(order, bounds):
            yield self.users[places[0]], places

    def user_means(self):
        """Each user's mean rating, with five votes of the overall mean."""
        total = np.bincount(self.users, self.values, self.num_users)
        count = np.bincount(self.users, minlength=self.num_users)
        return (total + 5 * self.values.mean()) / (count + 5)


# ---- Perceptrons -------------------------------------------------------------------------

EPOCHS = 10


def _perceptron(ratings, user_kernel, epochs):
    """Crammer and Singer 2002 (Figure 1) with the kernel user_kernel[u, u'] item_kernel[i, i'] and the thresholds of each
    user; the mean of the weights over all steps is what ranks, which is less noisy than the last ones. A user_kernel of None
    is the identity."""
    random = np.random.RandomState(SEED)
    half = np.zeros((ratings.num_users, ratings.num_items))  # user_kernel times the dual weights
    summed = np.zeros_like(half)
    thresholds = np.zeros((ratings.num_users, LEVELS - 1))
    count = len(ratings.values)
    for epoch in range(epochs):
        for number, k in enumerate(random.permutation(count)):
            u, i, y = ratings.users[k], ratings.items[k], int(round(ratings.values[k]))
            f = half[u] @ ratings.item_kernel[i]
            side = np.where(np.arange(1, LEVELS) < y, 1.0, -1.0)
            step = np.where((f - thresholds[u]) * side <= 0, side, 0.0)
            move = step.sum()
            if move:
                left = 1 - (epoch * count + number) / (epochs * count)  # the share of the steps that see this change
                who, alike = (u, 1.0) if user_kernel is None else (slice(None), user_kernel[:, u])
                half[who, i] += move * alike
                summed[who, i] += left * move * alike
            thresholds[u] -= step
    return summed @ ratings.item_kernel


def prank(ratings, epochs=EPOCHS):
    """PRank (Crammer and Singer 2002): a perceptron of its own for each user."""
    return _perceptron(ratings, None, epochs)


def jrank(ratings, epochs=EPOCHS):
    """JRank (Basilico and Hofmann 2004): one perceptron over the joint kernel of users and items."""
    return _perceptron(ratings, ratings.user_kernel, epochs)


# ---- Gaussian processes ------------------------------------------------------------------

# The variance of a rating, in units of that of the prior, without and with what users share.
NOISE, SHARED_NOISE = 0.1, 0.3


def _posterior(ratings, mean, K, noise, precision=None):
    """The posterior mean of each user's function under N(mean, K), [users][items]; adds to `precision` [items][items] the
    inverse of each user's covariance of observations."""
    weights = np.zeros((ratings.num_users, ratings.num_items))
    for user, places in ratings.by_user():
        seen = ratings.items[places]
        factor = cho_factor(K[np.ix_(seen, seen)] + noise * np.eye(len(seen)))
        np.add.at(weights[user], seen, cho_solve(factor, ratings.values[places] - mean[user, seen]))
        if precision is not None:
            precision[np.ix_(seen, seen)] += cho_solve(factor, np.eye(len(seen)))
    return mean + weights @ K, weights


def gpr(ratings, noise=NOISE):
    """Gaussian process regression of each user's ratings, less the user's mean (Rasmussen and Williams 2006)."""
    mean = np.repeat(ratings.user_means()[:, None], ratings.num_items, axis=1)
    return _posterior(ratings, mean, ratings.item_kernel, noise)[0]


ROUNDS = 10
PRIOR_VOTES = 50  # users that the prior of the covariance counts as


def cgpr(ratings, noise=SHARED_NOISE, votes=PRIOR_VOTES):
    """Collaborative Gaussian process regression (Yu, Yu, Tresp and Kriegel 2006): the mean and the covariance that users
    share are learned by expectation maximisation, with the item kernel as prior of the covariance."""
    K, shared = ratings.item_kernel.copy(), np.zeros(ratings.num_items)
    own = ratings.user_means()[:, None]
    rated = np.unique(ratings.users)
    count = len(rated)
    for _ in range(ROUNDS):
        precision = np.zeros_like(K)
        functions = (_posterior(ratings, own + shared, K, noise, precision)[0] - own)[rated]
        shared = functions.sum(axis=0) / (count + votes)
        centred = functions - shared
        rest = count * K - K @ precision @ K  # the sum of the posterior covariances
        prior = votes * (ratings.item_kernel + np.outer(shared, shared))
        K = (prior + centred.T @ centred + rest) / (votes + count)
    return _posterior(ratings, own + shared, K, noise)[0]


# ---- Maximum-margin matrix factorisation --------------------------------------------------

RANK = 10
PENALTY = 15.0


def mmmf(ratings, penalty=PENALTY):
    """Fast maximum-margin matrix factorisation (Rennie and Srebro 2005): smooth hinges at thresholds of each user, all of
    them, and the Frobenius norms of both factors."""
    random = np.random.RandomState(SEED)
    shapes = [(ratings.num_users, RANK), (ratings.num_items, RANK), (ratings.num_users, LEVELS - 1)]
    sizes = np.cumsum([0] + [a * b for a, b in shapes])
    start = np.concatenate(
        [
            0.3 * random.standard_normal(sizes[2]),
            np.tile(np.arange(1, LEVELS) - LEVELS / 2, (ratings.num_users, 1)).ravel(),
        ]
    )
    side = np.where(np.arange(1, LEVELS)[None, :] < np.round(ratings.values)[:, None], 1.0, -1.0)

    def split(x):
        return [x[sizes[k] : sizes[k + 1]].reshape(shapes[k]) for k in range(3)]

    def cost(x):
        U, V, theta = split(x)
        u, v = U[ratings.users], V[ratings.items]
        z = side * ((u * v).sum(axis=1)[:, None] - theta[ratings.users])
        value = np.where(z >= 1, 0, np.where(z <= 0, 0.5 - z, 0.5 * (1 - z) ** 2))
        slope = side * np.where(z >= 1, 0, np.where(z <= 0, -1, z - 1))
        along = slope.sum(axis=1)[:, None]
        gradients = [penalty * U, penalty * V, np.zeros_like(theta)]
        places = (ratings.users, ratings.items, ratings.users)
        for gradient, where, what in zip(gradients, places, (along * v, along * u, -slope)):
            for column in range(what.shape[1]):
                gradient[:, column] += np.bincount(where, what[:, column], len(gradient))
        total = value.sum() + 0.5 * penalty * ((U**2).sum() + (V**2).sum())
        return total, np.concatenate([g.ravel() for g in gradients])

    found = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    U, V, _ = split(found.x)
    return U @ V.T


METHODS = {"prank": prank, "jrank": jrank, "gpr": gpr, "cgpr": cgpr, "mmmf": mmmf}


def read_gram(path):
    """A Gram matrix of `dorm ratings`: one row per line."""
    with open(path) as lines:
        return np.array([np.fromstring(line, sep=" ") for line in lines if line[0] != "#"])


def read_rows(path):
    """Rows of `dorm ratings`: their users and items, as rows of the Gram matrices, which are the last two features, and their
    ratings."""
    users, items, values = [], [], []
    with open(path) as lines:
        for line in lines:
            words = line.split("#")[0].split()
            user, item = (int(word.split(":")[1]) - 1 for word in words[-2:])
            users.append(user)
            items.append(item)
            values.append(float(words[0]))
    return np.array(users), np.array(items), np.array(values)
