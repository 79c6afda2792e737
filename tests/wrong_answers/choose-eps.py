# Typical wrong answers to the assignment "Choose ε"; each must fail its check.
# %% q1: the bound of the chapter in place of the expectation
def price(eps, horizon):
    return (1 / eps - eps) / 2 + eps * horizon / 2
def best_eps(horizon):
    return 1 / (horizon - 1) ** 0.5
# %% q1: tries without end
def price(eps, horizon):
    return 1 / (2 * eps) + (horizon - 1 / eps) * eps / 2
def best_eps(horizon):
    return horizon**-0.5
# %% q1: a failed try costs a half
def price(eps, horizon):
    tries = (1 - (1 - eps) ** horizon) / eps
    return (tries - 1) / 2 + (horizon - tries + 1) * eps / 2
def best_eps(horizon):
    return horizon**-0.5
# %% q1: the stay costs eps
def price(eps, horizon):
    tries = (1 - (1 - eps) ** horizon) / eps
    return tries / 2 + (horizon - tries) * eps
def best_eps(horizon):
    return horizon**-0.5
# %% q1: the price is right, the best eps is the rule of thumb
def price(eps, horizon):
    tries = (1 - (1 - eps) ** horizon) / eps
    return tries / 2 + (horizon - tries) * eps / 2
def best_eps(horizon):
    return horizon**-0.5
# %% q1: a coarse grid
def price(eps, horizon):
    tries = (1 - (1 - eps) ** horizon) / eps
    return tries / 2 + (horizon - tries) * eps / 2
def best_eps(horizon):
    grid = np.linspace(0.01, 1, 100)
    return float(grid[price(grid, horizon).argmin()])
# %% q2: the gap against eps
def in_the_end(best, second, eps):
    best, second, eps = (Fraction(str(x)) for x in (best, second, eps))
    if best - second == eps or second == 1 - eps:
        return "open"
    return "helps" if best - second > eps else "hurts"
# %% q2: plain floats
def in_the_end(best, second, eps):
    if best - second > eps * best:
        return "helps"
    if best - second < eps * best and second != 1 - eps:
        return "hurts"
    return "open"
# %% q2: forgets the arm at the ceiling
def in_the_end(best, second, eps):
    best, second, eps = (Fraction(str(x)) for x in (best, second, eps))
    if best - second > eps * best:
        return "helps"
    return "hurts" if best - second < eps * best else "open"
# %% q2: an arm above the ceiling is open
def in_the_end(best, second, eps):
    best, second, eps = (Fraction(str(x)) for x in (best, second, eps))
    if best - second > eps * best:
        return "helps"
    if best - second < eps * best and second < 1 - eps:
        return "hurts"
    return "open"
# %% q3: the errors of the columns, not of the differences
def good_enough(regret):
    mean = regret.mean(axis=0)
    error = regret.std(axis=0, ddof=1) / np.sqrt(len(regret))
    best = mean.argmin()
    far = 2 * np.hypot(error, error[best])
    return [int(c) for c in np.flatnonzero(mean - mean[best] <= far)]
# %% q3: the standard deviation in place of the error
def good_enough(regret):
    more = regret - regret[:, [regret.mean(axis=0).argmin()]]
    far = 2 * more.std(axis=0, ddof=1)
    return [int(c) for c in np.flatnonzero(more.mean(axis=0) <= far)]
# %% q3: divided by n
def good_enough(regret):
    more = regret - regret[:, [regret.mean(axis=0).argmin()]]
    far = 2 * more.std(axis=0) / np.sqrt(len(regret))
    return [int(c) for c in np.flatnonzero(more.mean(axis=0) <= far)]
# %% q3: one error in place of two
def good_enough(regret):
    more = regret - regret[:, [regret.mean(axis=0).argmin()]]
    far = more.std(axis=0, ddof=1) / np.sqrt(len(regret))
    return [int(c) for c in np.flatnonzero(more.mean(axis=0) <= far)]
# %% q3: the best alone
def good_enough(regret):
    return [int(regret.mean(axis=0).argmin())]
# %% q4: chosen and told on the same rows
def honest(regret):
    column = int(regret.mean(axis=0).argmin())
    told = regret[:, column]
    return column, told.mean(), told.std(ddof=1) / np.sqrt(len(told))
# %% q4: told on the rows that chose
def honest(regret):
    column = int(regret[::2].mean(axis=0).argmin())
    told = regret[::2, column]
    return column, told.mean(), told.std(ddof=1) / np.sqrt(len(told))
# %% q4: the halves of the table
def honest(regret):
    half = len(regret) // 2
    column = int(regret[:half].mean(axis=0).argmin())
    told = regret[half:, column]
    return column, told.mean(), told.std(ddof=1) / np.sqrt(len(told))
# %% q4: the error of all rows
def honest(regret):
    column = int(regret[::2].mean(axis=0).argmin())
    told = regret[1::2, column]
    return column, told.mean(), told.std(ddof=1) / np.sqrt(len(regret))
# %% q5: sees the whole log
def replay(policy, arms, rewards, number):
    pulls, wins = np.zeros(number, int), np.zeros(number, int)
    kept, good = np.zeros(number, int), np.zeros(number, int)
    for arm, reward in zip(arms, rewards):
        if policy(pulls, wins, pulls.sum() + 1, None).argmax() == arm:
            kept[arm] += 1
            good[arm] += reward
        pulls[arm] += 1
        wins[arm] += reward
    return kept, good
# %% q5: skipped entries count as rounds
def replay(policy, arms, rewards, number):
    pulls, wins = np.zeros(number, int), np.zeros(number, int)
    for t, (arm, reward) in enumerate(zip(arms, rewards), 1):
        if policy(pulls, wins, t, None).argmax() == arm:
            pulls[arm] += 1
            wins[arm] += reward
    return pulls, wins
# %% q5: the reward of an entry that was not played
def replay(policy, arms, rewards, number):
    pulls, wins = np.zeros(number, int), np.zeros(number, int)
    for reward in rewards:
        arm = policy(pulls, wins, pulls.sum() + 1, None).argmax()
        pulls[arm] += 1
        wins[arm] += reward
    return pulls, wins
# %% q5: rounds from zero
def replay(policy, arms, rewards, number):
    pulls, wins = np.zeros(number, int), np.zeros(number, int)
    for arm, reward in zip(arms, rewards):
        if policy(pulls, wins, pulls.sum(), None).argmax() == arm:
            pulls[arm] += 1
            wins[arm] += reward
    return pulls, wins
# %% q5: the last of equal scores
def replay(policy, arms, rewards, number):
    pulls, wins = np.zeros(number, int), np.zeros(number, int)
    for arm, reward in zip(arms, rewards):
        score = policy(pulls, wins, pulls.sum() + 1, None)
        if number - 1 - score[::-1].argmax() == arm:
            pulls[arm] += 1
            wins[arm] += reward
    return pulls, wins
# %% q6: above in place of at least
def next_plays(pulls, wins, best, gap):
    if min(pulls) == 0:
        return list(range(len(pulls)))
    mean = [Fraction(s, n) for s, n in zip(wins, pulls)]
    level = Fraction(str(best)) - Fraction(str(gap)) / 2
    return [mean.index(max(mean))] if max(mean) > level else [*range(len(pulls))]
# %% q6: the whole gap
def next_plays(pulls, wins, best, gap):
    if min(pulls) == 0:
        return list(range(len(pulls)))
    mean = [Fraction(s, n) for s, n in zip(wins, pulls)]
    level = Fraction(str(best)) - Fraction(str(gap))
    return [mean.index(max(mean))] if max(mean) >= level else [*range(len(pulls))]
# %% q6: plain floats
def next_plays(pulls, wins, best, gap):
    if min(pulls) == 0:
        return list(range(len(pulls)))
    mean = [s / n for s, n in zip(wins, pulls)]
    if max(mean) >= best - gap / 2:
        return [mean.index(max(mean))]
    return list(range(len(pulls)))
# %% q6: an arm never played has the average zero
def next_plays(pulls, wins, best, gap):
    mean = [Fraction(s, max(n, 1)) for s, n in zip(wins, pulls)]
    level = Fraction(str(best)) - Fraction(str(gap)) / 2
    return [mean.index(max(mean))] if max(mean) >= level else [*range(len(pulls))]
# %% q6: sweeps over the arms below the level
def next_plays(pulls, wins, best, gap):
    if min(pulls) == 0:
        return [a for a, n in enumerate(pulls) if n == 0]
    mean = [Fraction(s, n) for s, n in zip(wins, pulls)]
    level = Fraction(str(best)) - Fraction(str(gap)) / 2
    return [mean.index(max(mean))] if max(mean) >= level else [*range(len(pulls))]
