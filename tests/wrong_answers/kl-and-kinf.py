# Typical wrong answers to the assignment "Divergence and K_inf"; each must fail its check.
# %% q1: log base 2 instead of natural
def divergence(p, q):
    if q > 1:
        return np.inf
    value = 0.0
    for a, b in [(p, q), (1 - p, 1 - q)]:
        if a > 0:
            value += a * np.log2(a / b) if b > 0 else np.inf
    return float(value)
# %% q1: the formula without its conventions
def divergence(p, q):
    with np.errstate(all="ignore"):
        p, q = np.float64(p), np.float64(q)
        return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
# %% q1: the formula in plain Python
def divergence(p, q):
    from math import log
    return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))
# %% q1: infinite whenever q is 0 or 1, also for equal coins
def divergence(p, q):
    if q <= 0 or q >= 1:
        return np.inf
    return sum(a * np.log(a / b) for a, b in [(p, q), (1 - p, 1 - q)] if a > 0)
# %% q1: clipped away from 0 and 1, as in many libraries
def divergence(p, q):
    p, q = np.clip([p, q], 1e-15, 1 - 1e-15)
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
# %% q1: the arguments exchanged
def divergence(p, q):
    if q > 1 or (q == 1 and p < 1) or (q == 0 and p > 0):
        return np.inf
    with np.errstate(all="ignore"):
        return sum(b * np.log(b / a) for a, b in [(p, q), (1 - p, 1 - q)]
                   if b > 0)
# %% q2: the 2 of Pinsker forgotten
def upper_ends(p, n, level):
    low, high = float(p), 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if n * lenient.kl(p, middle) <= level:
            low = middle
        else:
            high = middle
    return low, min(1.0, float(p + np.sqrt(level / n)))
# %% q2: not cut off at 1
def upper_ends(p, n, level):
    low, high = float(p), 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if n * lenient.kl(p, middle) <= level:
            low = middle
        else:
            high = middle
    return low, float(p + np.sqrt(level / (2 * n)))
# %% q2: the divergence with its arguments exchanged
def upper_ends(p, n, level):
    low, high = float(p), 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if n * lenient.kl(middle, p) <= level:
            low = middle
        else:
            high = middle
    return low, min(1.0, float(p + np.sqrt(level / (2 * n))))
# %% q2: too few steps
def upper_ends(p, n, level):
    low, high = float(p), 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if n * lenient.kl(p, middle) <= level:
            low = middle
        else:
            high = middle
    return low, min(1.0, float(p + np.sqrt(level / (2 * n))))
# %% q3: the divergence of the three outcomes, without dividing
def scaled(p, q, eps):
    top = 1 - eps
    if p > top or q > top:
        return np.inf
    return top * float(lenient.kl(p / top, q / top))
# %% q3: no thought of means beyond 1 - eps
def scaled(p, q, eps):
    return float(lenient.kl(p / (1 - eps), q / (1 - eps)))
# %% q3: multiplied in place of divided
def scaled(p, q, eps):
    return float(lenient.kl(p * (1 - eps), q * (1 - eps)))
# %% q3: the divergence of the lower bound
def scaled(p, q, eps):
    return float(lenient.kl(p, q + eps))
# %% q3: means beyond 1 - eps cut down to it
def scaled(p, q, eps):
    top = 1 - eps
    return float(lenient.kl(min(p / top, 1), min(q / top, 1)))
# %% q4: the right end only
def k_inf(values, probs, x):
    values, probs = np.asarray(values), np.asarray(probs)
    if x >= 1:
        return np.inf
    if x <= probs @ values:
        return 0.0
    with np.errstate(all="ignore"):
        return float(probs @ np.log((1 - values) / (1 - x)))
# %% q4: the divergence of coins with the same means
def k_inf(values, probs, x):
    mean = np.dot(values, probs)
    return 0.0 if x <= mean and x < 1 else float(lenient.kl(mean, x))
# %% q4: a grid of a hundred points
def k_inf(values, probs, x):
    values, probs = np.asarray(values), np.asarray(probs)
    if x >= 1:
        return np.inf
    lams = np.linspace(0, 1 / (1 - x), 100, endpoint=False)
    with np.errstate(all="ignore"):
        return max(0.0, max(probs @ np.log(1 - lam * (values - x))
                            for lam in lams))
# %% q4: a routine with its usual tolerance
def k_inf(values, probs, x):
    from scipy.optimize import minimize_scalar
    values, probs = np.asarray(values), np.asarray(probs)
    if x >= 1:
        return np.inf
    if x <= probs @ values:
        return 0.0
    with np.errstate(all="ignore"):
        return -minimize_scalar(
            lambda lam: -(probs @ np.log(1 - lam * (values - x))),
            bounds=(0, 1 / (1 - x)), method="bounded").fun
# %% q4: divides by 1 - x before it looks at x
def k_inf(values, probs, x):
    low, high = 0.0, 1 / (1 - x)
    values, probs = np.asarray(values), np.asarray(probs)
    if x <= probs @ values:
        return 0.0
    for _ in range(100):
        lam = (low + high) / 2
        if probs @ ((x - values) / (1 - lam * (values - x))) > 0:
            low = lam
        else:
            high = lam
    return float(probs @ np.log(1 - low * (values - x)))
# %% q4: no thought of the edges
def k_inf(values, probs, x):
    values, probs = np.asarray(values), np.asarray(probs)
    low, high = 0.0, 1 / (1 - x) if x != 1 else 1e9
    for _ in range(100):
        lam = (low + high) / 2
        if probs @ ((x - values) / (1 - lam * (values - x))) > 0:
            low = lam
        else:
            high = lam
    with np.errstate(all="ignore"):
        return float(probs @ np.log(1 - low * (values - x)))
# %% q5: the mean in place of the harmonic mean
def threshold(values, probs):
    return float(np.dot(values, probs))
# %% q5: a division by zero where there is mass at 1
def threshold(values, probs):
    return 1 - 1 / sum(p / (1 - v) for v, p in zip(values, probs))
# %% q5: the sum turned upside down
def threshold(values, probs):
    values = np.asarray(values, dtype=float)
    if (values == 1).any():
        return 1.0
    return float(1 / (np.asarray(probs) @ (1 / (1 - values))))
# %% q5: the largest value of the law
def threshold(values, probs):
    return float(np.max(values))
# %% q6: upside down
def rounding_factor(values, probs, x=None):
    values, probs = np.asarray(values, float), np.asarray(probs, float)
    mean = probs @ values
    if x is not None:
        return float(lenient.kl(mean, x) / lenient.kinf(values, probs, x))
    variance = probs @ (values - mean) ** 2
    return float(variance / (mean * (1 - mean)))
# %% q6: the second moment in place of the variance
def rounding_factor(values, probs, x=None):
    values, probs = np.asarray(values, float), np.asarray(probs, float)
    mean = probs @ values
    if x is not None:
        return float(lenient.kinf(values, probs, x) / lenient.kl(mean, x))
    return float(mean * (1 - mean) / (probs @ values**2))
# %% q6: the ratio at a nearby x in place of the limit
def rounding_factor(values, probs, x=None):
    values, probs = np.asarray(values, float), np.asarray(probs, float)
    mean = probs @ values
    if x is None:
        x = mean + 0.001
    return float(lenient.kinf(values, probs, x) / lenient.kl(mean, x))
