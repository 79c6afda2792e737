# Typical wrong answers to the assignment "Meet the bound"; each must fail its check.
# %% q1: evidence on both sides of the level
def evidence(pulls, wins, x):
    if pulls == 0:
        return 0.0
    return float(pulls * lenient.kl(wins / pulls, x))
# %% q1: the arguments of d exchanged
def evidence(pulls, wins, x):
    if pulls == 0 or x <= wins / pulls:
        return 0.0
    return np.inf if x > 1 else float(pulls * lenient.kl(x, wins / pulls))
# %% q1: of one play
def evidence(pulls, wins, x):
    if pulls == 0 or x <= wins / pulls:
        return 0.0
    return float(lenient.kl(wins / pulls, x))
# %% q1: an arm never played excludes what no coin has
def evidence(pulls, wins, x):
    if x > 1:
        return np.inf
    if pulls == 0 or x <= wins / pulls:
        return 0.0
    return float(pulls * lenient.kl(wins / pulls, x))
# %% q1: Pinsker's parabola in place of the divergence
def evidence(pulls, wins, x):
    if pulls == 0:
        return 0.0
    return np.inf if x > 1 else float(2 * pulls * max(x - wins / pulls, 0) ** 2)
# %% q2: the level of a single play
def index(pulls, wins, level):
    if pulls == 0:
        return 1.0
    low, high = wins / pulls, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if lenient.kl(wins / pulls, middle) <= level:
            low = middle
        else:
            high = middle
    return low
# %% q2: the arguments of d exchanged
def index(pulls, wins, level):
    if pulls == 0:
        return 1.0
    low, high = wins / pulls, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if pulls * lenient.kl(middle, wins / pulls) <= level:
            low = middle
        else:
            high = middle
    return low
# %% q2: Hoeffding's index
def index(pulls, wins, level):
    if pulls == 0:
        return 1.0
    return min(1.0, wins / pulls + (level / (2 * pulls)) ** 0.5)
# %% q2: too few halvings
def index(pulls, wins, level):
    if pulls == 0:
        return 1.0
    low, high = wins / pulls, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        if pulls * lenient.kl(wins / pulls, middle) <= level:
            low = middle
        else:
            high = middle
    return low
# %% q2: the lower end of the interval
def index(pulls, wins, level):
    if pulls == 0:
        return 1.0
    low, high = 0.0, wins / pulls
    for _ in range(60):
        middle = (low + high) / 2
        if pulls * lenient.kl(wins / pulls, middle) <= level:
            high = middle
        else:
            low = middle
    return high
# %% q3: the plain index of KL-UCB
def scores(pulls, wins, eps, t):
    mean = wins / np.maximum(pulls, 1)
    return lenient.kl_ucb(mean, pulls, np.log(t))
# %% q3: below the mean
def scores(pulls, wins, eps, t):
    mean = wins / np.maximum(pulls, 1)
    return lenient.kl_ucb(mean, pulls, np.log(t)) - eps
# %% q3: the index of the scaled mean
def scores(pulls, wins, eps, t):
    mean = wins / np.maximum(pulls, 1)
    upper = lenient.kl_ucb(mean, pulls, np.log(t))
    return np.maximum(mean, (1 - eps) * upper)
# %% q3: the level t
def scores(pulls, wins, eps, t):
    mean = wins / np.maximum(pulls, 1)
    return np.maximum(mean, lenient.kl_ucb(mean, pulls, t) - eps)
# %% q3: zero divided by zero
def scores(pulls, wins, eps, t):
    mean = wins / pulls
    return np.maximum(mean, lenient.kl_ucb(mean, pulls, np.log(t)) - eps)
# %% q3: an arm never played has the score one
def scores(pulls, wins, eps, t):
    mean = wins / np.maximum(pulls, 1)
    upper = lenient.kl_ucb(mean, pulls, np.log(t))
    return np.where(pulls == 0, 1.0, np.maximum(mean, upper - eps))
# %% q4: plain floats
def back_in_round(n, m, eps):
    rest = 1 - m - eps
    return None if rest <= 0 else math.floor(rest**-n) + 1
# %% q4: at least in place of more than
def back_in_round(n, m, eps):
    rest = 1 - Fraction(str(m)) - Fraction(str(eps))
    return None if rest <= 0 else math.ceil(rest**-n)
# %% q4: eps put on
def back_in_round(n, m, eps):
    rest = 1 - Fraction(str(m)) + Fraction(str(eps))
    return None if rest <= 0 else math.floor(rest**-n) + 1
# %% q4: forgets that it may never come back
def back_in_round(n, m, eps):
    rest = abs(1 - Fraction(str(m)) - Fraction(str(eps)))
    return math.floor(rest**-n) + 1
# %% q4: a float
def back_in_round(n, m, eps):
    rest = 1 - Fraction(str(m)) - Fraction(str(eps))
    return None if rest <= 0 else float(math.floor(rest**-n) + 1)
# %% q5: rounded logarithms
def bad_start(best, m, eps, horizon):
    n = math.ceil(math.log(horizon) / -math.log(1 - m - eps))
    return n, (1 - best) ** n
# %% q5: one failure too few
def bad_start(best, m, eps, horizon):
    rest = 1 - Fraction(str(m)) - Fraction(str(eps))
    n = 1
    while rest**-n < horizon - 1:
        n += 1
    return n, (1 - best) ** n
# %% q5: the probability of successes
def bad_start(best, m, eps, horizon):
    rest = 1 - Fraction(str(m)) - Fraction(str(eps))
    n = 1
    while rest**-n < horizon:
        n += 1
    return n, best**n
# %% q5: of a single failure
def bad_start(best, m, eps, horizon):
    rest = 1 - Fraction(str(m)) - Fraction(str(eps))
    n = 1
    while rest**-n < horizon:
        n += 1
    return n, 1 - best
# %% q5: without the leniency
def bad_start(best, m, eps, horizon):
    rest = 1 - Fraction(str(m))
    n = 1
    while rest**-n < horizon:
        n += 1
    return n, (1 - best) ** n
# %% q6: rounds counted from zero
def play(means, eps, horizon, rng):
    pulls = np.zeros(len(means), dtype=int)
    wins = np.zeros(len(means), dtype=int)
    for t in range(horizon):
        score = lenient.EpsKLUCB(eps)(pulls, wins, max(t, 1), None)
        arm = rng.choice(np.flatnonzero(score == score.max()))
        pulls[arm] += 1
        wins[arm] += rng.random() < 1 - means[arm]
    return pulls
# %% q6: ties go to the first arm
def play(means, eps, horizon, rng):
    pulls = np.zeros(len(means), dtype=int)
    wins = np.zeros(len(means), dtype=int)
    for t in range(1, horizon + 1):
        arm = lenient.EpsKLUCB(eps)(pulls, wins, t, None).argmax()
        pulls[arm] += 1
        wins[arm] += rng.random() < means[arm]
    return pulls
# %% q6: plain KL-UCB
def play(means, eps, horizon, rng):
    pulls = np.zeros(len(means), dtype=int)
    wins = np.zeros(len(means), dtype=int)
    for t in range(1, horizon + 1):
        score = lenient.KLUCB()(pulls, wins, t, None)
        arm = rng.choice(np.flatnonzero(score == score.max()))
        pulls[arm] += 1
        wins[arm] += rng.random() < means[arm]
    return pulls
# %% q6: every arm once, then the best average
def play(means, eps, horizon, rng):
    pulls = np.zeros(len(means), dtype=int)
    wins = np.zeros(len(means), dtype=int)
    for t in range(horizon):
        score = np.where(pulls == 0, 2, wins / np.maximum(pulls, 1))
        arm = rng.choice(np.flatnonzero(score == score.max()))
        pulls[arm] += 1
        wins[arm] += rng.random() < means[arm]
    return pulls
# %% q6: random numbers from elsewhere
def play(means, eps, horizon, rng):
    pulls = np.zeros(len(means), dtype=int)
    wins = np.zeros(len(means), dtype=int)
    for t in range(1, horizon + 1):
        score = lenient.EpsKLUCB(eps)(pulls, wins, t, None)
        arm = np.random.choice(np.flatnonzero(score == score.max()))
        pulls[arm] += 1
        wins[arm] += np.random.random() < means[arm]
    return pulls
# %% q6: one reward drawn for all arms of the run
def play(means, eps, horizon, rng):
    pulls = np.zeros(len(means), dtype=int)
    wins = np.zeros(len(means), dtype=int)
    luck = rng.random()
    for t in range(1, horizon + 1):
        score = lenient.EpsKLUCB(eps)(pulls, wins, t, None)
        arm = rng.choice(np.flatnonzero(score == score.max()))
        pulls[arm] += 1
        wins[arm] += luck < means[arm]
    return pulls
# %% q6: returns the good plays
def play(means, eps, horizon, rng):
    pulls = np.zeros(len(means), dtype=int)
    wins = np.zeros(len(means), dtype=int)
    for t in range(1, horizon + 1):
        score = lenient.EpsKLUCB(eps)(pulls, wins, t, None)
        arm = rng.choice(np.flatnonzero(score == score.max()))
        pulls[arm] += 1
        wins[arm] += rng.random() < means[arm]
    return wins
