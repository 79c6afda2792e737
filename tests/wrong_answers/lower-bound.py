# Typical wrong answers to the assignment "The lower bound"; each must fail its check.
# %% q1: forgets that the bound vanishes for high best means
paying = {"A": 1, "B": 2, "C": 2, "D": 3, "E": 1, "F": 0, "G": 2, "H": 2}
# %% q1: takes a gap of exactly eps for bad, and counts the best arms
paying = {"A": 1, "B": 0, "C": 3, "D": 3, "E": 2, "F": 0, "G": 0, "H": 3}
# %% q1: counts every arm below the best
paying = {"A": 2, "B": 0, "C": 3, "D": 3, "E": 1, "F": 2, "G": 0, "H": 2}
# %% q2: lifted to the best mean plus eps and no further
def other_street(means, arm, eps):
    if max(means) + eps >= 1:
        return None
    changed = list(means)
    changed[arm] = max(means) + eps
    return changed
# %% q2: changes the list that it was given
def other_street(means, arm, eps):
    target = max(means) + eps
    if target >= 1:
        return None
    means[arm] = target + 1e-6 * (1 - target)
    return means
# %% q2: a margin that does not fit near 1
def other_street(means, arm, eps):
    target = max(means) + eps
    if target >= 1:
        return None
    return [target + 0.001 if a == arm else mean
            for a, mean in enumerate(means)]
# %% q2: eps above the old mean of the arm
def other_street(means, arm, eps):
    changed = list(means)
    changed[arm] = means[arm] + eps + 1e-6
    return changed
# %% q2: a mean above 1
def other_street(means, arm, eps):
    changed = list(means)
    changed[arm] = max(means) + eps + 1e-7
    return changed
# %% q3: the standard bound
def coefficient(means, eps, f):
    best = max(means)
    return float(sum(f(gap) / lenient.kl(mean, best) for mean, gap
                     in zip(means, lenient.suboptimality(means))
                     if gap > eps))
# %% q3: the arguments of d exchanged
def coefficient(means, eps, f):
    target = max(means) + eps
    if target >= 1:
        return 0.0
    with np.errstate(all="ignore"):
        return float(sum(f(gap) / lenient.kl(target, mean) for mean, gap
                         in zip(means, lenient.suboptimality(means))
                         if gap > eps))
# %% q3: the sum over all suboptimal arms
def coefficient(means, eps, f):
    target = max(means) + eps
    if target >= 1:
        return 0.0
    return float(sum(f(gap) / lenient.kl(mean, target) for mean, gap
                     in zip(means, lenient.suboptimality(means))
                     if gap > 0))
# %% q3: >= for > at the boundary
def coefficient(means, eps, f):
    target = max(means) + eps
    if target >= 1:
        return 0.0
    with np.errstate(all="ignore"):
        return float(sum(f(gap) / lenient.kl(mean, target) for mean, gap
                         in zip(means, lenient.suboptimality(means))
                         if gap >= eps))
# %% q3: gaps in plain floats
def coefficient(means, eps, f):
    best = max(means)
    if best + eps >= 1:
        return 0.0
    return float(sum(f(best - mean) / lenient.kl(mean, best + eps)
                     for mean in means if best - mean > eps))
# %% q3: the mean capped just below 1 in place of a zero bound
def coefficient(means, eps, f):
    target = min(max(means) + eps, 1 - 1e-12)
    return float(sum(f(gap) / lenient.kl(mean, target) for mean, gap
                     in zip(means, lenient.suboptimality(means))
                     if gap > eps))
# %% q4: forgets that the arm may be forgiven before
def leniency_for(best, bad, m):
    wanted = m * lenient.kl(bad, best)
    low, high = 0.0, 1 - best
    for _ in range(60):
        eps = (low + high) / 2
        if lenient.kl(bad, best + eps) >= wanted:
            high = eps
        else:
            low = eps
    return high
# %% q4: divides the divergence in place of the bound
def leniency_for(best, bad, m):
    wanted = lenient.kl(bad, best) / m
    low, high = 0.0, min(best - bad, 1 - best)
    for _ in range(60):
        eps = (low + high) / 2
        if lenient.kl(bad, best + eps) >= wanted:
            high = eps
        else:
            low = eps
    return high
# %% q4: Pinsker's parabola in place of the divergence
def leniency_for(best, bad, m):
    return min((best - bad) * (np.sqrt(m) - 1), best - bad, 1 - best)
# %% q5: played on the other street
def log_ratios(mean, other, n, runs, rng):
    wins = rng.binomial(n, other, size=runs)
    return (wins * np.log(mean / other)
            + (n - wins) * np.log((1 - mean) / (1 - other)))
# %% q5: the ratio upside down
def log_ratios(mean, other, n, runs, rng):
    wins = rng.binomial(n, mean, size=runs)
    return (wins * np.log(other / mean)
            + (n - wins) * np.log((1 - other) / (1 - mean)))
# %% q5: log base 2
def log_ratios(mean, other, n, runs, rng):
    wins = rng.binomial(n, mean, size=runs)
    return (wins * np.log2(mean / other)
            + (n - wins) * np.log2((1 - mean) / (1 - other)))
# %% q5: good plays only
def log_ratios(mean, other, n, runs, rng):
    return rng.binomial(n, mean, size=runs) * np.log(mean / other)
# %% q5: random numbers from elsewhere
def log_ratios(mean, other, n, runs, rng):
    wins = np.random.binomial(n, mean, size=runs)
    return (wins * np.log(mean / other)
            + (n - wins) * np.log((1 - mean) / (1 - other)))
# %% q5: the expected ratio in every run
def log_ratios(mean, other, n, runs, rng):
    return np.full(runs, n * lenient.kl(mean, other))
# %% q6: plain simulation on the other street
def disguise(mean, other, n, most, runs, rng):
    return float((rng.binomial(n, other, size=runs) <= most).mean())
# %% q6: the weight upside down
def disguise(mean, other, n, most, runs, rng):
    wins = rng.binomial(n, mean, size=runs)
    ratios = (wins * np.log(mean / other)
              + (n - wins) * np.log((1 - mean) / (1 - other)))
    return float(np.mean(np.exp(ratios) * (wins <= most)))
# %% q6: all runs counted
def disguise(mean, other, n, most, runs, rng):
    wins = rng.binomial(n, mean, size=runs)
    ratios = (wins * np.log(mean / other)
              + (n - wins) * np.log((1 - mean) / (1 - other)))
    return float(np.mean(np.exp(-ratios)))
# %% q6: the mean over the runs of the event only
def disguise(mean, other, n, most, runs, rng):
    wins = rng.binomial(n, mean, size=runs)
    ratios = (wins * np.log(mean / other)
              + (n - wins) * np.log((1 - mean) / (1 - other)))
    return float(np.mean(np.exp(-ratios)[wins <= most]))
# %% q6: strictly fewer good plays than most
def disguise(mean, other, n, most, runs, rng):
    wins = rng.binomial(n, mean, size=runs)
    ratios = (wins * np.log(mean / other)
              + (n - wins) * np.log((1 - mean) / (1 - other)))
    return float(np.mean(np.exp(-ratios) * (wins < most)))
# %% q6: the rule of thumb in place of the probability
def disguise(mean, other, n, most, runs, rng):
    return float(np.exp(-n * lenient.kl(most / n, other)))
# %% q6: no weights, the probability on our street
def disguise(mean, other, n, most, runs, rng):
    return float((rng.binomial(n, mean, size=runs) <= most).mean())
