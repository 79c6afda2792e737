"""Checks of the leap engine, each a function of the module to be checked.

They are run on `lenient.leap`, which must pass, and on copies of it with a mistake put in,
which must not. A comparison of two laws raises a false alarm with a probability of about
LEVEL; there are fewer than 6000 of them, so all together with less than 1 in 1000, even if
the true rate is half as high again (`test_leap.py` measures it by drawing from the null, at
levels that can be reached so: 10^-3 and 10^-2). Seeds are fixed.

Where two samples are compared they have the same size. Their difference is then symmetric
under the null, however skewed the law, and the normal tests of mean and variance do not
reject too often.
"""

from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
from scipy import integrate, stats

from lenient import TS, EpsTS
from lenient.plain import best_arms
from support.exact import exact_law_of_first_arm

LEVEL = 1e-7
FEW = 20  # no cell of a chi-square test expects fewer

# Settings no user would choose: they force the branches that are rare with the usual ones.
# a box wherever there can be one, and no duel
EAGER = dict(clear=-np.inf, likely=1.0, rare=1.0, even=1.0, rests=0)
DUEL = dict(clear=np.inf, even=0.0, aside=1.0, rests=0)  # a duel wherever there can be one
TUNINGS = {
    "usual": {},
    "never": dict(clear=np.inf, even=1.0),
    "duel": DUEL,
    "short duels": DUEL | dict(stretch=3, slack=0.2),
    "long duels": DUEL | dict(stretch=10**6, slack=5.0),
    "high duels": DUEL | dict(tilt=0.4, slack=0.2),
    "eager": EAGER,
    "long blocks": EAGER | dict(slack=30.0, patience=30.0),
    "one failure": EAGER | dict(slack=0.0),
    "low threshold": EAGER | dict(tilt=-1.5, slack=3.0, patience=5.0),
    "high threshold": EAGER | dict(tilt=0.7, slack=0.3, patience=5.0),
    "short jumps": dict(rounds=3.0),
    "box or duel": EAGER | dict(even=0.0, aside=1.0, stretch=5),
}


# --- samples ------------------------------------------------------------------------


def generator(seed):
    return np.random.Generator(np.random.SFC64(seed))


def arms_at(leap, policy, means, N, S):
    """Arms in a state of our choice."""
    arms = leap.new_arms(means)
    arms["N"], arms["S"] = N, S
    game = leap.Game(*leap.ceiling_of(policy).as_integer_ratio(), 2**53)
    for arm in range(len(means)):
        leap.update(game, arms[arm])
    return arms


def leap_from(leap, policy, means, N, S, rounds, runs, tuning, seed=5):
    """Pulls and wins so many `rounds` after the state (N, S): runs × rounds × arms each."""
    times = np.array(rounds)
    game = leap.Game(*leap.ceiling_of(policy).as_integer_ratio(), int(times[-1]))
    start = arms_at(leap, policy, means, N, S)
    clock = np.zeros(2, dtype=np.int64)
    record = leap.new_record(times, runs, len(means), np.random.SeedSequence(seed))
    rng, tuning, arms = generator(seed), leap.Tuning(**tuning), start.copy()
    duel, crowd, endless = np.zeros(1, leap.DUEL), np.zeros(1, leap.CROWD), 2**62
    leap.play_runs(rng, game, tuning, start, arms, duel, crowd, clock, record, 0, endless)
    return record.pulls, record.wins


@cache
def plain_from(policy, means, N, S, rounds, runs, seed=6):
    """The same, with the policy itself in every round."""
    rng = generator(seed)
    pulls = np.repeat(np.array(N)[:, None], runs, axis=1)
    wins = np.repeat(np.array(S)[:, None], runs, axis=1)
    counts = []
    for t in range(1, max(rounds) + 1):
        played = best_arms(policy(pulls, wins, t, rng), pulls.shape, rng)
        pulls += played
        wins += played & (rng.random(runs) < np.array(means)[:, None])
        if t in rounds:
            counts.append((pulls.copy(), wins.copy()))
    return np.array(counts).transpose(1, 3, 0, 2)


# --- comparisons --------------------------------------------------------------------


def assert_law(seen, law):
    """Chi-square of counts `seen` against probabilities `law`; rare values together."""
    seen, expected = np.asarray(seen), np.asarray(law) * np.sum(seen)
    assert np.sum(law) == 1 or abs(np.sum(law) - 1) < 1e-6
    assert seen[expected < 1e-9].sum() == 0, "saw what cannot be"
    p_value = chi_square(seen, expected)
    assert p_value > LEVEL, f"p = {p_value:.1e}"


def chi_square(seen, expected):
    """The p-value; the rarest values are put together until they expect FEW."""
    order = np.argsort(expected)
    rare = int(np.searchsorted(np.cumsum(expected[order]), FEW)) + 1
    first = max(rare, int(np.searchsorted(expected[order], FEW)))
    groups = [order[:first], *order[first:, None]]
    if first < order.size and expected[order[:first]].sum() < FEW:
        raise ValueError("too few runs")
    seen = np.array([seen[group].sum() for group in groups])
    expected = np.array([expected[group].sum() for group in groups])
    if seen.size < 2:
        return 1.0
    return stats.chisquare(seen, expected, sum_check=False).pvalue


def assert_same_law(ours, theirs):
    """Two samples of whole numbers: chi-square, mean, variance and tails."""
    p_value = p_of_same_law(ours, theirs)
    assert p_value > LEVEL, f"p = {p_value:.1e}"


def p_of_same_law(ours, theirs):
    """Four times the least of their p-values."""
    both = np.concatenate([ours, theirs])
    cuts = np.unique(np.quantile(both, np.linspace(0, 1, 21)[1:-1]))
    table = np.array(
        [np.bincount(np.searchsorted(cuts, s, "left"), minlength=cuts.size + 1)
         for s in (ours, theirs)]
    )  # fmt: skip
    while table.shape[1] > 1 and table.sum(axis=0).min() < 2 * FEW:  # join the neighbour
        cell = int(table.sum(axis=0).argmin())
        table[:, cell - 1 if cell else 1] += table[:, cell]
        table = np.delete(table, cell, axis=1)
    p_values = []
    if table.shape[1] > 1:
        p_values.append(stats.chi2_contingency(table, correction=False).pvalue)
    for power in (1, 2):  # the mean, then the mean square about a common centre
        a, b = ((s - both.mean()) ** power for s in (ours, theirs))
        error = np.hypot(stats.sem(a), stats.sem(b))
        if error > 0:
            p_values.append(2 * stats.norm.sf(abs(a.mean() - b.mean()) / error))
    p_values.append(stats.ks_2samp(ours, theirs, method="asymp").pvalue)
    return 4 * min(p_values)


# --- whole runs ---------------------------------------------------------------------


def check_exact_law(leap, means, tenths, horizon, tuning, runs=20_000):
    """The law of N₁ against the one found by following every history."""
    law = exact_law_of_first_arm(means, tenths, horizon)
    policy = EpsTS(tenths / 10) if tenths else TS()
    counts = leap.play_block(
        means, policy, np.array([horizon]), runs, 77, tuning=leap.Tuning(**tuning)
    )
    assert_law(np.bincount(counts.pulls[:, 0, 0], minlength=horizon + 1), law)


def check_plain_law(leap, means, policy, horizon, tuning, runs=10_000):
    """The law of every arm's count at three times against the plain engine's."""
    times = (horizon // 30, horizon // 5, horizon)
    ours = leap.play_block(
        means, policy, np.array(times), runs, 11, tuning=leap.Tuning(**tuning)
    )
    zero = (0,) * len(means)
    theirs = plain_from(policy, means, zero, zero, times, runs)
    check_columns(ours, theirs)


def check_from_state(leap, means, policy, N, S, rounds, tuning, runs=10_000):
    """From a state of our choice, so that the wanted branch comes up in every run."""
    ours = leap_from(leap, policy, means, N, S, rounds, runs, tuning)
    check_columns(ours, plain_from(policy, means, N, S, rounds, runs))


def check_columns(ours, theirs):
    """What was played, won and lost up to each time, and won since the time before."""
    kinds = []
    for pulls, wins in (ours, theirs):
        kinds.append([pulls, wins, pulls - wins, np.diff(wins, axis=1)])
    assert np.array_equal(ours[0][0].sum(axis=1), theirs[0][0].sum(axis=1))
    for mine, other in zip(*kinds):
        for time in range(mine.shape[1]):
            for arm in range(min(mine.shape[2], 3)):
                assert_same_law(mine[:, time, arm], other[:, time, arm])


@cache
def chances_to_be_highest(posteriors):
    """P(θ_a is the highest) for all a, without error: integrals of polynomials."""
    nodes, weights = np.polynomial.legendre.leggauss(int(sum(map(sum, posteriors))) // 2 + 1)
    y = (nodes + 1) / 2
    laws = [(stats.beta.pdf(y, *p), stats.beta.cdf(y, *p)) for p in posteriors]
    return [
        float(weights @ (pdf * np.prod([c for b, (_, c) in enumerate(laws) if b != a], axis=0)))
        / 2
        for a, (pdf, _) in enumerate(laws)
    ]


def chances_to_be_played(N, S, eps):
    """The same for ε-TS by the paper's words: the highest mean above 1−ε, else a draw."""
    top = 1 - Fraction(str(eps))
    means = [Fraction(s, max(n, 1)) for n, s in zip(N, S)]
    if max(means) > top:
        best = [float(mean == max(means)) for mean in means]
        return np.array(best) / sum(best)
    alpha = [int(s / top) + 1 for s in S]
    return chances_to_be_highest(tuple((a, n + 2 - a) for a, n in zip(alpha, N)))


def check_histories(leap, means, policy, N, S, rounds, tuning, runs=100_000):
    """The law of all counts, from a state of our choice, by following every history."""
    law = {(*N, *S): 1.0}
    arms = range(len(means))
    for _ in range(rounds):
        after = {}
        for state, chance in law.items():
            now, wins = state[: len(means)], state[len(means) :]
            played = chances_to_be_played(now, wins, getattr(policy, "eps", 0))
            for a in arms:
                for won, p in ((1, means[a]), (0, 1 - means[a])):
                    new = (*(n + (b == a) for b, n in enumerate(now)),
                           *(w + won * (b == a) for b, w in enumerate(wins)))  # fmt: skip
                    after[new] = after.get(new, 0) + chance * played[a] * p
        law = after
    pulls, wins = leap_from(leap, policy, means, N, S, (rounds,), runs, tuning)
    counts = np.concatenate([pulls[:, 0], wins[:, 0]], axis=1)
    index = {state: number for number, state in enumerate(law)}
    seen = np.zeros(len(law))
    for state, often in zip(*np.unique(counts, axis=0, return_counts=True)):
        assert tuple(state) in index, "saw what cannot be"
        seen[index[tuple(state)]] = often
    assert_law(seen, np.array([*law.values()]))


# --- the duel -----------------------------------------------------------------------


def exact_duel(a, b, c, d):
    """h and g with 40 digits, by the sum over all i < a that the engine cuts short."""
    with mpmath.workdps(40):
        h, step = mpmath.mpf(0), mpmath.beta(c, b + d) / mpmath.beta(c, d)
        for i in range(int(a)):
            h += step
            step *= mpmath.mpf((i + c) * (i + b)) / ((i + b + c + d) * (i + 1))
        g = mpmath.beta(a + c, b + d) / (mpmath.beta(a, b) * mpmath.beta(c, d))
    return h, g


def check_chance_to_win(leap, a, b, c, d):
    h, g = exact_duel(a, b, c, d)
    ours = leap.chance_to_win(float(a), float(b), float(c), float(d))
    assert abs(ours[0] - h) < 1e-12
    assert abs(ours[1] - g) < 1e-11 * g + 1e-300


def check_steps(leap, eps, steps, start=(1, 1, 1, 1), seed=1):
    """h and g after so many wins and failures of two arms, one at a time."""
    rng, top = generator(seed), 1 - Fraction(str(eps))
    a, b, c, d = map(float, start)
    h, g, _ = leap.chance_to_win(a, b, c, d)
    over = [Fraction(0), Fraction(0)]
    for _ in range(steps):
        arm, won = int(rng.integers(2)), rng.random() < 0.4
        jump = 0
        if won:
            jump = int(over[arm] + 1 / top)
            over[arm] += 1 / top - jump
        if arm == 0 and b + 1 - jump >= 1:
            h, g = leap.shift(h, g, a, b, c, d, a + jump, b + 1 - jump)
            a, b = a + jump, b + 1 - jump
        elif arm == 1 and d + 1 - jump >= 1:
            rest, g = leap.shift(1 - h, g, c, d, a, b, c + jump, d + 1 - jump)
            h, c, d = 1 - rest, c + jump, d + 1 - jump
    exact = exact_duel(int(a), int(b), int(c), int(d))
    assert abs(h - exact[0]) < 1e-12
    assert abs(g / exact[1] - 1) < 1e-11


def check_meet(leap, eps=0.2, rounds=60):
    """h is that of the two arms that meet, as they are, whatever has been before."""
    rng, policy, duel = generator(2), EpsTS(eps), np.zeros(1, leap.DUEL)
    leap.forget(duel[0])
    N, S = np.array([20, 22, 24]), np.array([9, 10, 11])
    for _ in range(rounds):
        for _ in range(rng.integers(30)):
            arm = rng.integers(3)
            N[arm] += 1
            S[arm] += rng.random() < 0.4
        arms = arms_at(leap, policy, [0.5] * 3, N, S)
        first, second = (0, 1) if rng.random() < 0.6 else rng.permutation(3)[:2]
        leap.meet(duel[0], arms, first, second)
        one, two = arms[first], arms[second]
        h, g = exact_duel(one["alpha"], one["beta"], two["alpha"], two["beta"])
        assert duel["first"] == first and duel["second"] == second
        assert abs(duel["h"][0] - h) < 1e-12 and abs(duel["g"][0] - g) < 1e-11 * g


def check_duel_round(leap, N, S, policy=TS(), tuning="duel", runs=200_000):
    """Who plays the first round of a duel, against P(highest) by quadrature."""
    tuning = TUNINGS[tuning]
    arms = arms_at(leap, policy, [0.5] * len(N), N, S)
    duel = np.zeros(1, leap.DUEL)
    leap.forget(duel[0])
    game = leap.Game(*leap.ceiling_of(policy).as_integer_ratio(), 2**53)
    assert leap.challenge(game, leap.Tuning(**tuning), arms, duel, 0, 1), "no duel"
    means = tuple([0.5] * len(N))
    pulls, _ = leap_from(leap, policy, means, N, S, (1,), runs, tuning)
    seen = (pulls[:, 0] - np.array(N)).sum(axis=0)
    law = chances_to_be_played(N, S, getattr(policy, "eps", 0))
    assert_law(seen, np.array(law))


# --- one block ----------------------------------------------------------------------


def check_block(leap, mean=0.7, f=3, chance=0.05, left=25, runs=40_000):
    """How a block ends, with how many rounds and wins: against its exact law."""
    law = {}
    for r in range(f, left + 1):  # the f-th failure in round r, no candidate up to there
        law[r, r - f, 0] = (1 - chance) ** r * stats.nbinom.pmf(r - f, f, 1 - mean)
    for g in range(left):  # g boring rounds with fewer than f failures, a candidate
        for k in range(min(f, g + 1)):
            p = chance * (1 - chance) ** g * stats.binom.pmf(k, g, 1 - mean)
            law[g, g - k, 1] = p
    for k in range(f):  # neither, up to the end
        law[left, left - k, -1] = (1 - chance) ** left * stats.binom.pmf(k, left, 1 - mean)
    index = {key: i for i, key in enumerate(law)}
    rng, draws, seen = generator(3), generator(4), np.zeros(len(law))
    for _ in range(runs):
        arm, rounds, wins, x = leap.boring_rounds(rng, draws, mean, 1, f, 0.4, chance, left)
        assert arm == 1 and x in (0, 0.4, leap.CUT)
        key = (rounds, wins, (x > 0) - (x < 0))
        assert key in index, "saw what cannot be"
        seen[index[key]] += 1
    assert_law(seen, np.array([*law.values()]))


def check_wins_among(leap, some, rounds, wins, runs=40_000):
    """Wins in the first rounds of a random order, against the hypergeometric law."""
    rng = generator(6)
    drawn = np.array([leap.wins_among(rng, some, rounds, wins) for _ in range(runs)])
    law = stats.hypergeom(rounds, wins, some)
    low, high = law.support()
    assert low <= drawn.min() and drawn.max() <= high, "saw what cannot be"
    if high - low < 1000:
        values = np.arange(low, high + 1)
        assert_law(np.bincount(drawn - low, minlength=values.size), law.pmf(values))
    else:  # many values: its normal limit, which is off by less than 1e-4 here
        z = (drawn - some * (wins / rounds)) / law.std()
        assert stats.kstest(z, "norm").pvalue > LEVEL


def check_rounds_until_failure(leap, f, mean, runs=40_000):
    rng = generator(4)
    rounds = [leap.rounds_until_failure(rng, f, mean, 2**53) for _ in range(runs)]
    top = max(rounds) + 1
    wins = np.bincount(np.array(rounds) - f, minlength=top)
    law = stats.nbinom.pmf(np.arange(wins.size), f, 1 - mean)
    law[-1] += 1 - law.sum()
    assert_law(wins, law)


# --- every ε, bandit and horizon -----------------------------------------------------

# Thirty bandits: two to six arms, near and far apart, certain arms among them. Near ties are
# visited round by round, so these are not played for long.
FAR_APART = [(0.9, 0.6), (0.5, 0.2), (0.5, 0.3), (0.8, 0.5), (0.5, 0.29), (0.95, 0.05)]
FAR_APART += [(1.0, 0.0), (1.0, 0.5), (0.5, 0.0), (0.3, 0.1), (0.99, 0.7), (0.2, 0.01)]
FAR_APART += [(0.7, 0.4, 0.1), (0.9, 0.5, 0.5), (1.0, 0.5, 0.0), (0.6, 0.3, 0.2, 0.1)]
FAR_APART += [(0.999, 0.9), (0.4, 0.2, 0.2, 0.2, 0.0), (0.55, 0.05, 0.3), (0.75, 0.25)]
NEAR_TIES = [(0.5, 0.45), (0.9, 0.85, 0.6), (0.5, 0.5), (0.975, 0.9625), (1.0, 1.0)]
NEAR_TIES += [
    (0.0, 0.0),
    (0.01, 0.0),
    (0.5, 0.49, 0.48),
    (0.9,),
    (0.1, 0.1, 0.1, 0.1, 0.1, 0.1),
]
HORIZONS = [1, 2, 3, 5, 8, 20, 60, 300, 3000, 10**5, 10**7, 10**9]


def check_sweep(leap, percents=range(1, 100), turn=0, runs=5):
    """No legal bandit is refused or miscounted; `turn` shifts which horizon meets which."""
    for percent in percents:
        # a few decimals, or many: 1−ε as a fraction of numbers beyond 32 bits; or next to 1
        eps = percent / 100 if turn % 2 else round(percent / 101, 15)
        if percent > 95:
            eps = 1 - Fraction(1, 10 ** (percent - 95) ** 2)
        policy = EpsTS(eps)
        for number, means in enumerate(FAR_APART + NEAR_TIES):
            most = len(HORIZONS) if means in FAR_APART else HORIZONS.index(3000)
            horizon = HORIZONS[(percent + 5 * number + turn) % most]
            times = np.unique([1, (horizon + 1) // 2, horizon])
            seed = (percent, number, turn)
            pulls, wins = leap.play_block(
                means, policy, times, runs, np.random.SeedSequence(seed)
            )
            case = f"{policy} on {means} to {horizon}, seed {seed}"
            assert (pulls.sum(axis=2) == times).all(), case
            assert (0 <= wins).all() and (wins <= pulls).all(), case
            for counts in (wins, pulls - wins):
                assert (np.diff(counts, axis=1) >= 0).all(), case


# --- the candidate round ------------------------------------------------------------


@cache
def chance_of_being_highest(posteriors, arm):
    """P(θ_arm is the highest), by quadrature."""
    laws = [stats.beta(*p) for p in posteriors]

    def density(y):
        others = (law.cdf(y) for a, law in enumerate(laws) if a != arm)
        return laws[arm].pdf(y) * np.prod(list(others))

    points = sorted(law.mean() for law in laws)
    return integrate.quad(density, 0, 1, points=points, limit=400, epsabs=1e-11)[0]


MANY = 10**6  # from so many plays on, a Beta law is normal to 1e-3 of its deviation, and less


def chance_to_overtake(leader, rival):
    """P(θ_rival > θ_leader) for a leader with many plays, summed over its deviations."""
    a, b = leader
    z = np.linspace(-9, 9, 4001)
    theta = a / (a + b) + z * np.sqrt(a / (a + b) * (b / (a + b)) / (a + b + 1))
    c, d = rival
    mean = c / (c + d)
    law = stats.beta(c, d)
    if c + d > MANY:
        law = stats.norm(mean, np.sqrt(mean * (d / (c + d)) / (c + d + 1)))
    return np.sum(stats.norm.pdf(z) * law.sf(theta)) * (z[1] - z[0])


def check_candidate(leap, means, N, S, f, x, then, policy=TS(), runs=60_000):
    """Who plays a candidate round, against P(highest)/chance for every other arm.

    The box is made at (N, S) with arm 0 as leader; `then` = (wins, failures) of the leader
    come before the candidate.
    """
    arms = arms_at(leap, policy, means, N, S)
    chance = leap.fill_box(arms, 0, f, x)
    assert 0 < chance < 1, "no box"
    wins, failures = then
    assert failures < f
    arms[0]["N"] += wins + failures
    arms[0]["S"] += wins
    game = leap.Game(*leap.ceiling_of(policy).as_integer_ratio(), 2**53)
    leap.update(game, arms[0])
    rng = generator(8)
    seen = np.bincount(
        [leap.candidate(rng, arms, 0, x) for _ in range(runs)], minlength=len(means)
    )
    if arms[0]["sure"]:
        law = np.eye(len(means))[0]
    else:
        posteriors = tuple(zip(arms["alpha"].tolist(), arms["beta"].tolist()))
        if N[0] > MANY:
            law = [0, chance_to_overtake(*posteriors) / chance]
        else:
            law = [chance_of_being_highest(posteriors, a) / chance for a in range(len(means))]
        law[0] = 1 - sum(law[1:])
        assert law[0] >= 0, "the bound is no bound"
    assert_law(seen, law)


def check_highest(leap, N, S, leader, runs=200_000):
    """Who plays an ordinary round, against P(highest), whichever arm is drawn first."""
    arms = arms_at(leap, TS(), [0.5] * len(N), *(3 * np.array([N, S])))
    rng, crowd = generator(9), np.zeros(1, leap.CROWD)
    for _ in range(200):  # what is known of the arms in one state …
        leap.highest(rng, arms, crowd, leader)
    arms["N"], arms["S"] = N, S
    for arm in range(len(N)):  # … must be forgotten in another
        leap.update(leap.Game(1, 1, 2**53), arms[arm])
    assert not arms["tail_slope"].any() and not arms["crowd"].any()
    seen = [leap.highest(rng, arms, crowd, leader) for _ in range(runs)]
    posteriors = tuple(zip(arms["alpha"].tolist(), arms["beta"].tolist()))
    law = np.array(chances_to_be_highest(posteriors))
    assert_law(np.bincount(seen, minlength=len(N)), law)


def check_envelope(leap, alpha, beta, f, x, wins, failures):
    """In every state of a block the leader's density below x is under the envelope."""
    arms = leap.new_arms([0.5, 0.5])
    arms["alpha"], arms["beta"] = (alpha, 1.0), (beta, 1e6)
    if leap.fill_box(arms, 0, f, x) == np.inf:
        return False  # no box: nothing is claimed
    now = stats.beta(alpha + wins, beta + failures)
    theta = x * np.linspace(1e-3, 1, 500)
    envelope = arms[0]["height"] - arms[0]["slope"] * (x - theta)
    assert np.all(now.logpdf(theta) <= envelope + 1e-9)
    assert now.cdf(x) <= arms[0]["weight"] * (1 + 1e-9)
    return True


def check_no_box(leap, leader, other, f, x):
    """With these (α, β) there is no envelope at x, hence no box."""
    arms = leap.new_arms([0.5, 0.5])
    arms["alpha"], arms["beta"] = zip(leader, other)
    assert leap.fill_box(arms, 0, f, x) == np.inf


# --- numbers ------------------------------------------------------------------------


def check_log_density(leap, x, alpha, beta):
    """Against 50 digits: an error below 1e-9 up to 10^12, and below 1e-7 up to 10^15."""
    with mpmath.workdps(50):
        x_, a, b = mpmath.mpf(x), mpmath.mpf(alpha), mpmath.mpf(beta)
        truth = (a - 1) * mpmath.log(x_) + (b - 1) * mpmath.log1p(-x_)
        truth -= mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
    ours = leap.log_density(x, float(alpha), float(beta))
    tolerance = 1e-9 if alpha + beta <= 10**12 else 1e-7
    assert abs(ours - truth) < tolerance * max(1, abs(truth))


def check_compare(leap, a, b, c, d):
    difference = Fraction(a, b) - Fraction(c, d)
    assert leap.compare(a, b, c, d) == (difference > 0) - (difference < 0)


def check_quotient(leap, a, b, c):
    ours, exact = leap.quotient(a, b, c), a * b // c
    assert ours == exact if exact < 2**61 else ours >= 2**61


def check_posterior(leap, policy, N, S):
    """α, β and whether S/N > 1−ε, against fractions."""
    arm = arms_at(leap, policy, [0.5], [N], [S])[0]
    top = 1 - Fraction(str(getattr(policy, "eps", 0)))
    assert arm["sure"] == (N > 0 and Fraction(S, max(N, 1)) > top)
    if not arm["sure"]:
        assert arm["alpha"] == S / top // 1 + 1
        assert arm["beta"] == N + 2 - arm["alpha"]


# --- cases --------------------------------------------------------------------------

# means, policy, N, S and the numbers of rounds after which the counts are compared
STATES = {
    "a clear leader": ((0.5, 0.2), TS(), (200, 20), (100, 4), (20, 60)),
    "a leader that hardly fails": ((0.95, 0.6), TS(), (60, 10), (58, 6), (20, 60)),
    "the wrong leader": ((0.2, 0.8), TS(), (40, 4), (24, 1), (10, 40)),
    "a leader at 1": ((1.0, 0.5), TS(), (15, 6), (15, 3), (10, 40)),
    "a leader that never wins": ((0.0, 0.5), TS(), (30, 6), (18, 1), (10, 40)),
    "three arms": ((0.6, 0.5, 0.2), TS(), (100, 30, 20), (62, 12, 3), (20, 60)),
    "below 1−ε": ((0.5, 0.2), EpsTS(0.2), (60, 15), (30, 3), (20, 60)),
    "rising above 1−ε": ((0.95, 0.3), EpsTS(0.2), (30, 12), (23, 2), (5, 30)),
    "falling below 1−ε": ((0.5, 0.4), EpsTS(0.2), (20, 12), (18, 5), (5, 30)),
    "two above 1−ε": ((0.9, 0.85), EpsTS(0.2), (20, 20), (18, 17), (5, 30)),
    "a tie above 1−ε": ((0.5, 0.5, 0.5), EpsTS(0.2), (10, 20, 5), (9, 18, 1), (1, 9)),
    "soon below 1−ε": ((0.1, 0.4), EpsTS(0.2), (4, 12), (4, 9), (2, 4)),
    "until the first failure": ((0.6, 0.3), EpsTS(0.2), (12, 8), (10, 1), (1, 2, 3, 9)),
    "S = N = 1": ((0.6, 0.7), EpsTS(0.2), (1, 6), (1, 4), (1, 9)),
    "at 1−ε": ((0.6, 0.3), EpsTS(0.2), (10, 12), (8, 4), (1, 12)),
    "three tenths": ((0.25, 0.2), EpsTS(0.7), (20, 15), (3, 3), (2, 12)),
    "two close": ((0.5, 0.45), TS(), (60, 50), (30, 24), (10, 60)),
    "a bystander": ((0.5, 0.45, 0.2), TS(), (60, 50, 25), (30, 24, 5), (10, 60)),
    "three bystanders": (
        (0.5, 0.5, 0.3, 0.2, 0.1),
        TS(),
        (80, 70, 25, 20, 18),
        (42, 36, 6, 4, 2),
        (10, 60),
    ),
    "a bystander, ε": ((0.5, 0.45, 0.2), EpsTS(0.2), (60, 50, 25), (30, 24, 5), (10, 60)),
    "a duel up to 1−ε": ((0.9, 0.8, 0.3), EpsTS(0.2), (40, 40, 20), (31, 30, 4), (5, 30)),
    "an underrated bystander": ((0.5, 0.5, 0.9), TS(), (300, 300, 6), (150, 150, 0), (20, 100)),
    "two falling leaders": ((0.1, 0.1, 0.4), TS(), (60, 60, 25), (30, 30, 5), (20, 60)),
    "a duel with jumps": ((0.2, 0.15, 0.05), EpsTS(0.7), (60, 50, 30), (9, 7, 1), (5, 40)),
}

# States of two close leaders are for the settings of duels, the others for those of boxes.
CLOSE = ("two close", "a bystander", "three bystanders", "a bystander, ε", "a duel up to 1−ε")
CLOSE += ("an underrated bystander", "two falling leaders", "a duel with jumps")
FOR_DUELS = ("short duels", "long duels", "high duels")
FOR_BOTH = ("usual", "duel", "box or duel")
CASES = [
    (case, tuning)
    for case in STATES
    for tuning in TUNINGS
    if tuning in FOR_BOTH or (case in CLOSE) == (tuning in FOR_DUELS)
]

# N, S of a duel of arms 0 and 1, with bystanders that are often in the way
DUELS = {
    "two alike": dict(N=(10, 12), S=(5, 6)),
    "one bystander": dict(N=(30, 30, 20), S=(18, 17, 6)),
    "an unlike pair": dict(N=(60, 12, 30), S=(42, 8, 9)),
    "two bystanders": dict(N=(40, 30, 20, 16), S=(26, 19, 7, 5)),
    "below 1−ε": dict(N=(60, 50, 20), S=(30, 24, 6), policy=EpsTS(0.2)),
    "a high threshold": dict(N=(30, 30, 24), S=(18, 17, 8), tuning="high duels"),
}

# N, S and the arm that is drawn first
HIGHEST = {
    "two alike": ((10, 12), (5, 6), 0),
    "one far behind": ((60, 12), (40, 4), 0),
    "the worst first": ((60, 12), (40, 4), 1),
    "few plays": ((0, 1, 2, 3), (0, 1, 1, 3), 2),
    "five": ((40, 12, 14, 16, 90), (28, 4, 5, 5, 50), 0),
    "not far behind": ((60, 12), (40, 6), 0),
    "a crowd": ((2000, *[22] * 20), (1000, *[5] * 20), 0),
    "a low leader and a crowd": ((20, *[50] * 20), (13, *[14] * 20), 0),
    "a low leader and a wide crowd": ((20, *[12] * 20), (13, *[1] * 20), 0),
}

# of a box: means, N, S, f, x; of what comes before the candidate: `then`; the policy
CANDIDATES = {
    "at once": dict(means=(0.5, 0.2), N=(30, 10), S=(18, 2), f=1, x=0.45, then=(0, 0)),
    "the leader low": dict(
        means=(0.5, 0.4), N=(12, 9), S=(8, 3), f=1, x=0.6, then=(0, 0)
    ),
    "after failures": dict(
        means=(0.5, 0.2), N=(40, 10), S=(26, 2), f=6, x=0.42, then=(0, 5)
    ),
    "after wins": dict(
        means=(0.5, 0.2), N=(40, 10), S=(26, 2), f=6, x=0.42, then=(9, 1)
    ),
    "four arms": dict(
        means=(0.7, 0.4, 0.4, 0.4), N=(40, 12, 14, 16), S=(28, 4, 5, 5),
        f=3, x=0.56, then=(3, 2),
    ),
    "risen above 1−ε": dict(
        means=(0.95, 0.3), N=(30, 12), S=(23, 2), f=2, x=0.75, then=(12, 0),
        policy=EpsTS(0.2),
    ),
    "below 1−ε": dict(
        means=(0.6, 0.3), N=(60, 12), S=(36, 4), f=4, x=0.62, then=(5, 3),
        policy=EpsTS(0.2),
    ),
    # many plays: the deviations of the means are 1e-5, 1e-6 and 1e-8
    "around 32 bits": dict(
        means=(0.5, 0.5), N=(2**33, 2**31 + 1), S=(2**32, 2**30 - 80_000),
        f=9, x=0.499985, then=(5, 7),
    ),
    "around 32 bits, ε": dict(
        means=(0.5, 0.5), N=(2**33, 2**31 + 1), S=(2**32, 2**30 - 80_000),
        f=9, x=0.6249815, then=(5, 7), policy=EpsTS(0.2),
    ),
    "a trillion plays": dict(
        means=(0.5, 0.5), N=(10**12, 4 * 10**11), S=(5 * 10**11, 2 * 10**11 - 10**6),
        f=1000, x=0.4999989, then=(600, 400),
    ),
    "a trillion plays against few": dict(
        means=(0.5, 0.4), N=(10**12, 300), S=(5 * 10**11, 125),
        f=1000, x=0.499997, then=(0, 999),
    ),
    "as many as there can be": dict(
        means=(0.5, 0.5), N=(10**15, 4 * 10**14), S=(5 * 10**14, 2 * 10**14 - 32 * 10**6),
        f=1000, x=0.4999999650, then=(600, 400),
    ),
}  # fmt: skip
