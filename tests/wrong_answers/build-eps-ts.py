# Typical wrong answers to "Build ε-TS", each of which a check must find.
# %% q1: floating-point comparison
def is_above(pulls, wins, eps):
    return pulls > 0 and wins / pulls > 1 - eps
# %% q1: >= for >
def is_above(pulls, wins, eps):
    return pulls > 0 and Fraction(wins, pulls) >= 1 - Fraction(str(eps))
# %% q1: the exact fraction of the float, not of the decimal
def is_above(pulls, wins, eps):
    return wins > (1 - Fraction(eps)) * pulls
# %% q1: N = 0 forgotten
def is_above(pulls, wins, eps):
    return Fraction(wins, pulls) > 1 - Fraction(str(eps))
# %% q1: a tolerance in place of exactness
def is_above(pulls, wins, eps):
    return pulls > 0 and wins / pulls > 1 - eps + 1e-9
# %% q2: floor of a float
def squeezed(pulls, wins, eps):
    if wins > (1 - Fraction(str(eps))) * pulls:
        return None
    alpha = int(wins / (1 - eps)) + 1
    return alpha, pulls + 2 - alpha
# %% q2: posterior of Thompson sampling, not squeezed
def squeezed(pulls, wins, eps):
    if wins > (1 - Fraction(str(eps))) * pulls:
        return None
    return wins + 1, pulls - wins + 1
# %% q2: None already at the ceiling
def squeezed(pulls, wins, eps):
    ceiling = 1 - Fraction(str(eps))
    if pulls and wins >= ceiling * pulls:
        return None
    alpha = wins // ceiling + 1
    return alpha, pulls + 2 - alpha
# %% q2: failures not squeezed along
def squeezed(pulls, wins, eps):
    ceiling = 1 - Fraction(str(eps))
    if wins > ceiling * pulls:
        return None
    return wins // ceiling + 1, pulls - wins + 1
# %% q2: rounded instead of rounded down
def squeezed(pulls, wins, eps):
    ceiling = 1 - Fraction(str(eps))
    if wins > ceiling * pulls:
        return None
    alpha = round(wins / ceiling) + 1
    return alpha, pulls + 2 - alpha
# %% q2: beta one too small
def squeezed(pulls, wins, eps):
    ceiling = 1 - Fraction(str(eps))
    if wins > ceiling * pulls:
        return None
    alpha = wins // ceiling + 1
    return alpha, pulls + 1 - alpha
# %% q2: the floor forgotten
def squeezed(pulls, wins, eps):
    ceiling = 1 - Fraction(str(eps))
    if wins > ceiling * pulls:
        return None
    alpha = wins / ceiling + 1
    return alpha, pulls + 2 - alpha
# %% q2: the mean of an arm without plays
def squeezed(pulls, wins, eps):
    ceiling = 1 - Fraction(str(eps))
    if Fraction(wins, pulls) > ceiling:
        return None
    alpha = wins // ceiling + 1
    return alpha, pulls + 2 - alpha
# %% q3: draw not multiplied by 1-eps
from lenient.policies import decimal, exceeds, floor_ratio
def score(pulls, wins, eps, rng):
    ceiling = 1 - decimal(eps)
    if exceeds(wins, ceiling, pulls):
        return wins / pulls
    alpha = int(floor_ratio(wins, ceiling)) + 1
    return rng.beta(alpha, pulls + 2 - alpha)
# %% q3: unscaled posterior, only the draw is squeezed
def score(pulls, wins, eps, rng):
    if wins > (1 - Fraction(str(eps))) * pulls:
        return wins / pulls
    return (1 - eps) * rng.beta(wins + 1, pulls - wins + 1)
# %% q3: floor and comparison in floats
def score(pulls, wins, eps, rng):
    if pulls > 0 and wins / pulls > 1 - eps:
        return wins / pulls
    alpha = np.floor(wins / (1 - eps)) + 1
    return (1 - eps) * rng.beta(alpha, max(pulls + 2 - alpha, 1))
# %% q3: >= for >
def score(pulls, wins, eps, rng):
    ceiling = 1 - Fraction(str(eps))
    if pulls and wins >= ceiling * pulls:
        return wins / pulls
    alpha = wins // ceiling + 1
    return float(ceiling) * rng.beta(alpha, pulls + 2 - alpha)
# %% q3: N = 0 forgotten
def score(pulls, wins, eps, rng):
    ceiling = 1 - Fraction(str(eps))
    mean = wins / pulls
    if wins > ceiling * pulls:
        return mean
    alpha = wins // ceiling + 1
    return float(ceiling) * rng.beta(alpha, pulls + 2 - alpha)
# %% q3: a generator of its own
def score(pulls, wins, eps, rng):
    ceiling = 1 - Fraction(str(eps))
    if wins > ceiling * pulls:
        return wins / pulls
    alpha = wins // ceiling + 1
    own = np.random.default_rng()
    return float(ceiling) * own.beta(alpha, pulls + 2 - alpha)
# %% q3: beta one too small
def score(pulls, wins, eps, rng):
    ceiling = 1 - Fraction(str(eps))
    if wins > ceiling * pulls:
        return wins / pulls
    alpha = wins // ceiling + 1
    return float(ceiling) * rng.beta(alpha, pulls + 1 - alpha)
# %% q3: the floor forgotten
def score(pulls, wins, eps, rng):
    ceiling = 1 - Fraction(str(eps))
    if wins > ceiling * pulls:
        return wins / pulls
    alpha = float(wins / ceiling) + 1
    return float(ceiling) * rng.beta(alpha, pulls + 2 - alpha)
# %% q3: an array of one draw
def score(pulls, wins, eps, rng):
    ceiling = 1 - Fraction(str(eps))
    if wins > ceiling * pulls:
        return wins / pulls
    alpha = wins // ceiling + 1
    return float(ceiling) * rng.beta(alpha, pulls + 2 - alpha, size=1)
# %% q4: the first of tied arms
def choose(pulls, wins, eps, rng):
    return int(np.argmax(lenient.EpsTS(eps)(pulls, wins, 1, rng)))
# %% q4: greedy, the best empirical mean
def choose(pulls, wins, eps, rng):
    mean = wins / np.maximum(pulls, 1)
    return int(rng.choice(np.flatnonzero(mean == mean.max())))
# %% q4: Thompson sampling without leniency
def choose(pulls, wins, eps, rng):
    scores = lenient.TS()(pulls, wins, 1, rng)
    return int(rng.choice(np.flatnonzero(scores == scores.max())))
# %% q4: any arm at random when the first two tie
def choose(pulls, wins, eps, rng):
    scores = lenient.EpsTS(eps)(pulls, wins, 1, rng)
    if np.sum(scores == scores.max()) > 1:
        return int(rng.integers(len(pulls)))
    return int(np.argmax(scores))
# %% q5: one round too few
def run(means, eps, horizon, rng):
    pulls, wins = np.zeros((2, len(means)), dtype=int)
    for t in range(1, horizon):
        arm = lenient.EpsTS(eps)(pulls, wins, t, rng).argmax()
        pulls[arm] += 1
        wins[arm] += rng.random() < means[arm]
    return pulls, wins
# %% q5: scores drawn once, at the start
def run(means, eps, horizon, rng):
    pulls, wins = np.zeros((2, len(means)), dtype=int)
    scores = lenient.EpsTS(eps)(pulls, wins, 1, rng)
    for t in range(1, horizon + 1):
        arm = scores.argmax()
        pulls[arm] += 1
        wins[arm] += rng.random() < means[arm]
    return pulls, wins
# %% q5: rewards of the best arm, whichever is played
def run(means, eps, horizon, rng):
    pulls, wins = np.zeros((2, len(means)), dtype=int)
    for t in range(1, horizon + 1):
        arm = lenient.EpsTS(eps)(pulls, wins, t, rng).argmax()
        pulls[arm] += 1
        wins[arm] += rng.random() < max(means)
    return pulls, wins
# %% q5: every arm learns from its own reward in every round
def run(means, eps, horizon, rng):
    pulls, wins = np.zeros((2, len(means)), dtype=int)
    for t in range(1, horizon + 1):
        arm = lenient.EpsTS(eps)(pulls, wins, t, rng).argmax()
        pulls[arm] += 1
        wins += rng.random(len(means)) < means
    return pulls, wins
# %% q5: the mean is added, not a reward
def run(means, eps, horizon, rng):
    pulls, wins = np.zeros((2, len(means)), dtype=int)
    for t in range(1, horizon + 1):
        arm = lenient.EpsTS(eps)(pulls, wins, t, rng).argmax()
        pulls[arm] += 1
        wins[arm] += round(means[arm])
    return pulls, wins
# %% q5: reward when the uniform number exceeds the mean
def run(means, eps, horizon, rng):
    pulls, wins = np.zeros((2, len(means)), dtype=int)
    for t in range(1, horizon + 1):
        arm = lenient.EpsTS(eps)(pulls, wins, t, rng).argmax()
        pulls[arm] += 1
        wins[arm] += rng.random() > means[arm]
    return pulls, wins
# %% q5: wins and plays returned in the wrong order
def run(means, eps, horizon, rng):
    pulls, wins = np.zeros((2, len(means)), dtype=int)
    for t in range(1, horizon + 1):
        arm = lenient.EpsTS(eps)(pulls, wins, t, rng).argmax()
        pulls[arm] += 1
        wins[arm] += rng.random() < means[arm]
    return wins, pulls
# %% q6: every round a toss of a coin
def expected_bad_plays(horizon):
    return Fraction(horizon, 2)
# %% q6: an even chance until the first arm is found
def expected_bad_plays(horizon):
    return sum((Fraction(1, 2**n) for n in range(1, horizon + 1)),
               Fraction(0))
# %% q6: off by one round
def expected_bad_plays(horizon):
    total, chance = Fraction(0), Fraction(1)
    for n in range(1, horizon + 2):
        chance /= n + 1
        total += chance
    return total
# %% q6: a float
def expected_bad_plays(horizon):
    return sum(1 / np.prod(np.arange(1.0, n + 2))
               for n in range(1, horizon + 1))
# %% q6: chances added, not multiplied
def expected_bad_plays(horizon):
    return sum((Fraction(1, n + 1) for n in range(1, horizon + 1)),
               Fraction(0))
# %% q6: the same chance after every failure
def expected_bad_plays(horizon):
    return sum((Fraction(1, 2 * 3 ** (n - 1))
                for n in range(1, horizon + 1)), Fraction(0))
