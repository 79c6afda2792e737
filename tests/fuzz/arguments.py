"""What may stand for an argument, as Python text; the good ones and the bad ones.

A text is read among the names of WORLD. Each generator takes a `random.Random`.
"""

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

import lenient


class Rude:
    """A number that will not say which."""

    def __float__(self):
        raise ZeroDivisionError("rude")


WORLD = {
    "lenient": lenient,
    "np": np,
    "stats": stats,
    "Fraction": Fraction,
    "Decimal": Decimal,
    "ThreadPoolExecutor": ThreadPoolExecutor,
    "Path": Path,
    "io": io,
    "Rude": Rude,
    "inf": inf,
    "nan": nan,
}


class Argument(NamedTuple):
    """Texts for one parameter: those that should do, and those that may not."""

    good: Callable
    bad: Callable


def one_of(*choices):
    """One of some texts; a choice may be a generator itself."""

    def draw(rng):
        choice = rng.choice(choices)
        return choice(rng) if callable(choice) else choice

    return draw


def texts(block):
    """Those of a block, which has ; between them."""
    return [text.strip() for text in block.split(";")]


def list_of(entry, least=1, most=5):
    """A list, a tuple or an array of such entries."""

    def draw(rng):
        entries = ", ".join(entry(rng) for _ in range(rng.randint(least, most)))
        return rng.choice(["[{}]", "[{}]", "({},)", "np.array([{}])"]).format(entries)

    return draw


# ---- what is never welcome -----------------------------------------------------------
HOSTILE = one_of(
    *texts("""
    None; Ellipsis; object(); type; len; slice(3); lambda: 0.5; lenient; ''; 'a'; '0.5';
    'nan'; b'0.5'; bytearray(b'1'); memoryview(b'ab'); np.str_('0.5'); {}; {'a': 0.5}; {0.5};
    frozenset(); []; (); range(0); [[]]; [None]; ['a']; [0.5, None]; [0.5, '1'];
    [0.5, [0.2]]; [[0.5], [0.1, 0.2]]; [nan, 0.5]; [0.5, inf]; [0.5, -1]; [0.5, 10**400];
    [1j, 0.5]; [0.5] * 20000 + [2]; nan; inf; -inf; 1j; complex(0.5, 0); -1; -0.5; 1.5; 2.5;
    1e308; 10**400; -10**400; 10**5000; 2**63; 2**64; Fraction(10**400, 3);
    Fraction(1, 10**400); Decimal('NaN'); Decimal('sNaN'); Decimal('Infinity');
    Decimal('1e400'); Decimal('1e-400'); True; np.bool_(True); np.float64('nan');
    np.longdouble('1e-400'); np.longdouble('1e400'); np.complex128(0.5);
    np.datetime64('2020-01-01'); np.timedelta64(1, 'D'); np.datetime64('NaT'); np.array(0.5);
    np.array(nan); np.array([]); np.zeros((2, 0)); np.full((2, 2), 0.5);
    np.full((3, 1, 2), 0.5); np.array(['a', 'b']); np.array([None]);
    np.array([0.5, 10**400], dtype=object); np.array([1j]); np.array([b'1']);
    np.array(['2020-01-01'], dtype='datetime64[D]'); np.zeros(3, dtype=[('a', float)]);
    np.matrix([[0.5, 0.2]]); np.full(2, nan); np.ma.masked_array([0.5, 0.2], [True, False]);
    np.ma.masked; np.array([0.5, -0.1]); (x for x in [0.5, 0.2]); iter([0.5]);
    map(float, [1]); stats.beta(2, 3); stats.beta; stats.norm(); np.random.default_rng(0);
    np.random.SeedSequence(1); Rude(); [Rude()]; lenient.TS(); lenient.TS;
    lenient.hinge(0.2); lenient.hinge
""")
)


# ---- numbers -------------------------------------------------------------------------
def plain(rng):
    """An ordinary number in [0, 1], or one close to an end."""
    x = rng.choice([rng.random(), round(rng.random(), 1), rng.random() ** 20])
    return rng.choice([repr(x), repr(1 - x)])


def below_one(rng):
    """The same, but never 1."""
    text = plain(rng)
    return text if float(text) < 1 else "0.25"


IN_UNIT = one_of(
    plain,
    plain,
    plain,
    plain,
    *texts("""
    0; 1; 0.0; 1.0; -0.0; 0.5; 5/6; 0.1 + 0.2; 5e-324; 1e-300; 1e-16; 1 - 1e-16; 1 - 2**-53;
    1 - 1e-12; 0.1 * 7; Fraction(1, 3); Fraction(10**30 - 1, 10**30); Decimal('0.1');
    Decimal(1) / Decimal(7); np.float32(0.3); np.float16(0.1); np.float64(0.7);
    np.longdouble(0.3); np.int8(1); np.uint64(0)
"""),
)
EPS = one_of(
    below_one,
    below_one,
    *texts("""
    0; 0.0; -0.0; 0.1; 0.2; 0.45; 0.7; 0.9; 5/6; 0.1 + 0.2; 1 - 1e-12; 1 - 2**-53; 1e-300;
    5e-324; 1e-18; Fraction(5, 6); Fraction(1, 10**30); Decimal('0.3');
    Decimal('0.123456789012345678901234'); np.float32(0.2); np.float16(0.2); np.float64(0.2);
    np.int64(0)
"""),
)
SHAPED = one_of(
    IN_UNIT,
    IN_UNIT,
    IN_UNIT,
    list_of(IN_UNIT),
    *texts("""
    np.linspace(0, 1, 5); [[0.1], [0.2]]; np.array([0, 1], dtype=np.int8);
    np.array([True, False]); np.array(0.5); np.array([0.2, 1], dtype=np.float32);
    np.array([0.2, 0.7], dtype='>f8'); np.linspace(0, 1, 9)[::-2];
    np.asfortranarray(np.full((2, 3), 0.4))
"""),
)
MEANS = one_of(
    list_of(IN_UNIT),
    list_of(IN_UNIT),
    list_of(plain),
    list_of(plain),
    *texts("""
    [0.5]; [0]; [1, 1]; [0.5, 0.5, 0.5]; [0.9, 0.7]; [0, 1]; [-0.0, 1e-300];
    np.linspace(0, 1, 11); range(2); np.linspace(0.1, 0.9, 9, dtype=np.float32);
    [0.9] + [0.2] * 30; [0.1 * 7, 0.1 * 9]; [np.float32(0.9), np.float32(0.7)];
    [Fraction(1, 3), Decimal('0.1')]; np.array([0, 1], dtype=np.uint8);
    np.array([True, False]); [1 - 1e-16, 0.5]
"""),
)
COUNT = one_of(
    *texts("""
    0; 1; 2; 3; 7; 100; 10**6; 10**9; 2**31; 2**40; np.int32(5)
""")
)
HOW_MANY = one_of("1", "2", "3", "10", "200", "np.int64(7)", "5.0", "np.uint8(9)")
HORIZON = one_of(
    *texts("""
    1; 2; 3; 10; 100; 1000.0; 10**6; 10**12; np.int64(50); 2**53
""")
)
BIG_COUNT = one_of(
    HOSTILE,
    *texts("""
    0; 10**18; 2**63 - 1; 10**30; np.int64(-3); np.float64(3.5)
"""),
)


# ---- gap functions and criteria ------------------------------------------------------
def made_gap(rng):
    return f"lenient.{rng.choice(['hinge', 'indicator', 'cutoff'])}({EPS(rng)})"


GAP = one_of(
    made_gap,
    made_gap,
    made_gap,
    *texts("""
    lenient.standard(); lenient.gap_function(lambda d: (d > 0.3) * d**2, 0.3, 'square')
"""),
)
CRITERION = one_of(
    GAP,
    GAP,
    lambda rng: OF_LENIENCY(rng),
    *texts("""
    np.square; lambda gap: gap * 2; lambda gap: list(gap);
    lenient.Criterion('all', lambda means: np.ones(len(means)));
    lenient.Criterion('top', lambda means: [0.5] * len(means))
"""),
)
LENIENCY = one_of(
    lambda rng: f"lenient.{rng.choice(['additive', 'multiplicative'])}({EPS(rng)})",
    lambda rng: f"lenient.threshold({IN_UNIT(rng)})",
)
OF_LENIENCY = one_of(
    lambda rng: f"lenient.shortfall({LENIENCY(rng)})",
    lambda rng: f"lenient.unacceptable({LENIENCY(rng)})",
    "lenient.top(2)",
)
BAD_GAP = one_of(
    HOSTILE,
    *texts("""
    'hinge'; lenient.standard; lambda: 1; lambda gap: None; lambda gap: nan;
    lambda gap: gap * nan; lambda gap: 'a'; lambda gap: [1]; lambda gap: [[1]];
    lambda gap: gap * 1j; lambda gap: -gap; lambda gap: gap + inf;
    lenient.Criterion('few', lambda means: means[:1]); lenient.Criterion('none', None);
    lenient.GapFunction('mine', None, 'f', np.square);
    lenient.GapFunction('mine', nan, 'f', lambda gap: gap * nan);
    lenient.GapFunction('mine', 0.2, 'f', 'f')
"""),
)
OWN_FUNCTION = one_of(
    *texts("""
    lambda d: (d > 0) * d; np.square; lambda d: d > 0; lambda d: list(d);
    lambda d: (d > 0.2) * d; lambda d: np.where(d > 0.2, 1e300, 0);
    lambda d: (d > 0.1 + 0.2).astype(np.float32)
""")
)
BAD_FUNCTION = one_of(BAD_GAP, "lambda d: 1 / (d - d)", "lambda d: d.reshape(-1, 1)")


# ---- simulation ----------------------------------------------------------------------
SAMPLES = one_of(
    lambda rng: f"lenient.Sample({list_of(IN_UNIT)(rng)})",
    "lenient.Sample([0, 1], probs=[0.3, 0.7])",
    "lenient.Sample([0.2] * 20)",
)
LAWS = one_of(
    SAMPLES,
    *texts("""
    stats.beta(2, 3); stats.bernoulli(0.3); stats.uniform(0, 0.5);
    stats.rv_discrete(values=([0, 1], [0.5, 0.5]))(); stats.Uniform(a=0, b=1);
    stats.Uniform(a=0.2, b=0.4)
"""),
)
BAD_LAWS = one_of(
    *texts("""
    stats.norm(); stats.uniform(0, 2); stats.beta; stats.beta([1, 2], 3); stats.beta(-1, 2);
    stats.Normal(); stats.poisson(2); stats.Uniform(a=0, b=2);
    stats.multivariate_normal([0.5, 0.5]); stats.rv_discrete(values=([0, 1], [0.5, 0.5]));
    stats.gaussian_kde([0.1, 0.2, 0.4])
"""),
)
# Each a policy besides those of the paper, as an expression.
BASELINES = {
    "UCB1": "lenient.UCB1()",
    "MOSS": "lenient.MOSS()",
    "BayesUCB": "lenient.BayesUCB()",
    "IMED": "lenient.IMED()",
    "Satisficing": "lenient.Satisficing(0.7)",
    "BetaTS": "lenient.BetaTS(0.5, 0.5)",
    "EpsGreedy": "lenient.EpsGreedy(0.1)",
    "ExploreThenCommit": "lenient.ExploreThenCommit(2)",
    "EXP3": "lenient.EXP3(0.1)",
    "SlidingWindowTS": "lenient.SlidingWindowTS(3)",
    "KinfUCB": "lenient.KinfUCB(0.2)",
    "LenientNPTS": "lenient.LenientNPTS(0.2)",
}
LEAPING = one_of("lenient.TS()", lambda rng: f"lenient.EpsTS({EPS(rng)})")
POLICY = one_of(
    LEAPING,
    LEAPING,
    one_of(*BASELINES.values()),
    one_of(*BASELINES.values()),
    lambda rng: f"lenient.EpsKLUCB({EPS(rng)})",
    lambda rng: f"lenient.LenientKLUCB({LENIENCY(rng)})",
    lambda rng: f"lenient.SqueezedKLUCB({EPS(rng)})",
    *texts("""
    lenient.TopLeader(1); lenient.TopLeader(3);
    lenient.KLUCB(); lambda pulls, wins, t, rng: wins / np.maximum(pulls, 1);
    lambda pulls, wins, t, rng: (-pulls).tolist();
    lambda pulls, wins, t, rng: rng.random(pulls.shape, dtype=np.float32);
    lambda pulls, wins, t, rng: pulls == 0;
    lambda pulls, wins, t, rng: np.full(pulls.shape, inf);
    lambda pulls, wins, t, rng: np.full(pulls.shape, -inf);
    lambda *seen: np.asfortranarray(seen[0] * 0.5)
"""),
)
BAD_POLICY = one_of(
    HOSTILE,
    *texts("""
    lenient.KLUCB; lambda: 1; lambda pulls, wins, t: pulls; lambda pulls, wins, t, rng: None;
    lambda pulls, wins, t, rng: 0.5; lambda pulls, wins, t, rng: pulls * nan;
    lambda pulls, wins, t, rng: pulls * 1j; lambda pulls, wins, t, rng: pulls.T;
    lambda pulls, wins, t, rng: pulls[:1]; lambda pulls, wins, t, rng: pulls.astype(str);
    lambda pulls, wins, t, rng: pulls.astype(object);
    lambda pulls, wins, t, rng: np.full(pulls.shape, None);
    lambda pulls, wins, t, rng: pulls.astype('datetime64[s]');
    lambda pulls, wins, t, rng: np.ma.masked_array(pulls, pulls == 0);
    lambda pulls, wins, t, rng: np.matrix(pulls);
    lambda pulls, wins, t, rng: pulls.__iadd__(1);
    lambda pulls, wins, t, rng: wins.fill(3) or wins;
    lambda pulls, wins, t, rng: (x for x in pulls);
    lambda pulls, wins, t, rng: [list(row)[:1] for row in pulls];
    lambda pulls, wins, t, rng: 1 / 0; lambda pulls, wins, t, rng: {0: pulls}
"""),
)
SEED = one_of(
    *texts("""
    None; 0; 1; 2**70; [1, 2]; (3, 4); np.int64(5); np.random.SeedSequence(7)
""")
)
ENGINE = one_of("'auto'", "'plain'")
BAD_ENGINE = one_of(HOSTILE, "'LEAP'", "['auto']", "np.array(['auto', 'plain'])", "b'auto'")
CHECKPOINTS = one_of("None", "[1]", "(1,)", "range(1, 2)", "np.array([1])", "[1.0]")
BAD_CHECKPOINTS = one_of(
    HOSTILE,
    *texts("""
    [2, 1]; [1, 1]; [0, 1]; [1, 10**30]; [1, 2**63]; range(10**12); range(1, 10**7 + 2); '12';
    b'1'; {1}; [True]; [np.array(1)]; np.array([[1]])
"""),
)


def game(rng):
    """Arguments of `simulate` that belong together, and take a moment at most."""
    if rng.random() < 0.3:  # a long way, with arms far apart and none of them at 1−ε
        means = rng.choice(["[0.9, 0.5]", "[0.8, 0.3, 0.1]", "[0.6]", "[1, 0]", "[0.95, 0.2]"])
        horizon = rng.choice(["10**5", "10**6", "10**9", "10**12", "10**14"])
        policy = rng.choice(["lenient.TS()", "lenient.EpsTS(0.07)", "lenient.EpsTS(0.3)"])
        long = {"means": means, "policy": policy, "horizon": horizon, "runs": "2"}
        return long | {"engine": "'leap'"}  # no policy that would visit every round
    means = list_of(one_of(LAWS, IN_UNIT), 1, 3) if rng.random() < 0.2 else MEANS
    horizon = rng.choice([1, 2, 3, 10, 50])
    some = sorted({rng.randint(1, horizon), rng.randint(1, horizon), horizon})
    optional = {
        "seed": SEED(rng),
        "checkpoints": rng.choice(["None", f"{some}", f"np.array({some})", f"{some}"]),
        "engine": ENGINE(rng),
        "executor": rng.choice(["None", "None", "ThreadPoolExecutor(1)"]),
        "progress": rng.choice(["False", "True"]),
        "common_rewards": rng.choice(["False", "True"]),
    }
    return {
        "means": means(rng),
        "policy": POLICY(rng),
        "horizon": rng.choice(["{}", "{}.0", "np.int64({})"]).format(horizon),
        "runs": rng.choice(["1", "2", "5", "np.int16(3)", "4.0"]),
        **{key: text for key, text in optional.items() if rng.random() < 0.6},
    }


def simulation(rng):
    """A small simulation, as its call."""
    means = rng.choice(["[0.9, 0.5]", "[0.5]", "[0.7, 0.7, 0.1]", "[stats.beta(1, 2), 0.2]"])
    runs, horizon = rng.choice([1, 2, 5]), rng.choice([1, 2, 30])
    return f"lenient.simulate({means}, lenient.EpsTS(0.2), {horizon}, {runs}, seed=1)"


def several_games(rng):
    """Arguments of `compare` that belong together."""
    policies = [POLICY(rng) for _ in range(rng.randint(1, 3))]
    problems = [MEANS(rng) for _ in range(rng.randint(1, 2))]
    optional = {
        "seed": SEED(rng),
        "engine": ENGINE(rng),
        "executor": rng.choice(["None", "ThreadPoolExecutor(1)"]),
        "progress": rng.choice(["False", "True"]),
        "common_rewards": rng.choice(["False", "True"]),
    }
    return {
        "policies": rng.choice([f"[{', '.join(policies)}]", f"{{'mine': {policies[0]}}}"]),
        "problems": rng.choice([f"[{', '.join(problems)}]", f"{{'one': {problems[0]}}}"]),
        "gap": CRITERION(rng),
        "horizon": rng.choice(["1", "2", "20", "10.0", "np.int64(5)"]),
        "runs": rng.choice(["1", "2", "5", "3.0", "np.int8(4)"]),
        **{key: text for key, text in optional.items() if rng.random() < 0.5},
    }


def comparison(rng):
    """A small comparison, as its call."""
    policies = rng.choice(["[lenient.TS()]", "{'a': lenient.TS(), 'b': lenient.UCB1()}"])
    runs = rng.choice([1, 2, 5])
    return f"lenient.compare({policies}, [[0.9, 0.5]], lenient.hinge(0.2), 9, {runs}, seed=1)"


def counts(rng):
    """What a policy sees: pulls and wins, numbers or arrays of arms × runs, and the round."""
    pulls, wins = rng.choice(
        [
            ("0", "0"),
            ("1", "1"),
            ("10", "5"),
            ("10**9", "10**9 - 1"),
            ("2**31", "2**31"),
            ("2**40", "0"),
            ("np.array([[0, 1], [5, 7]])", "np.array([[0, 0], [5, 3]])"),
            ("np.array([[3], [4]], dtype=np.int32)", "np.array([[0], [4]], dtype=np.int32)"),
            ("np.array([3, 4])", "np.array([1, 0])"),
        ]
    )
    t = rng.choice(["1", "2", "100", "10**12", "np.int64(9)"])
    return {"pulls": pulls, "wins": wins, "t": t, "rng": "np.random.default_rng(1)"}


PATH = one_of("'made.npz'", "'made'", "Path('made.npz')", "b'made.npz'")
BAD_PATH = one_of(
    *texts("""
    'no/such/folder'; '.'; 'empty.npz'; 'text.npz'; 'other.npz'; 'plain.npy'; 'cut.npz';
    Path('.'); 'a' * 1000; io.BytesIO()
""")
)


# ---- by the names of parameters ------------------------------------------------------
WORDS = one_of("'mine'", "''", "'ε'")
#: A parameter with one of these names, of any function, is given such arguments.
ARGUMENTS = {
    "p": Argument(SHAPED, HOSTILE),
    "q": Argument(one_of(SHAPED, SHAPED, "1.5", "10**9", "1e308", "inf"), HOSTILE),
    "eps": Argument(EPS, HOSTILE),
    "values": Argument(list_of(IN_UNIT), HOSTILE),
    "probs": Argument(one_of("None", "[1]", "[0.5, 0.5]", "[0.2, 0.3, 0.5]"), HOSTILE),
    "x": Argument(one_of(SHAPED, "-1", "2", "inf", "-inf", "1e-320"), HOSTILE),
    "n": Argument(one_of(COUNT, "0.5", "inf", "[1, 2]"), HOSTILE),
    "level": Argument(one_of("0", "1", "1e-300", "1e300", "inf", "5.5", "[0, 3]"), HOSTILE),
    "means": Argument(MEANS, one_of(HOSTILE, "[0.5, 1 + 1e-9]", "[-1e-300]", "{0.5: 0.2}")),
    "gap": Argument(CRITERION, BAD_GAP),
    "function": Argument(OWN_FUNCTION, BAD_FUNCTION),
    "costs": Argument(one_of("lambda means: means", "np.square"), HOSTILE),
    "name": Argument(WORDS, HOSTILE),
    "formula": Argument(one_of(WORDS, "None"), HOSTILE),
    "pulls": Argument(COUNT, HOSTILE),
    "wins": Argument(COUNT, HOSTILE),
    "t": Argument(HOW_MANY, one_of(HOSTILE, "0")),
    "rng": Argument(one_of("np.random.default_rng(1)"), HOSTILE),
    "policy": Argument(POLICY, BAD_POLICY),
    "horizon": Argument(HORIZON, BIG_COUNT),
    "runs": Argument(HOW_MANY, one_of(BIG_COUNT)),
    "count": Argument(HOW_MANY, one_of(BIG_COUNT, "10**9", "2**31")),
    "seed": Argument(SEED, HOSTILE),
    "checkpoints": Argument(CHECKPOINTS, BAD_CHECKPOINTS),
    "engine": Argument(ENGINE, BAD_ENGINE),
    "executor": Argument(one_of("None"), HOSTILE),
    "progress": Argument(one_of("False", "True"), HOSTILE),
    "common_rewards": Argument(one_of("False", "True"), HOSTILE),
    "policies": Argument(list_of(POLICY, 1, 2), one_of(HOSTILE, list_of(BAD_POLICY, 1, 2))),
    "problems": Argument(list_of(MEANS, 1, 2), one_of(HOSTILE, list_of(HOSTILE, 1, 2))),
    "alpha": Argument(one_of("1", "0.5", "1e-9", "1e9", "Fraction(1, 2)"), HOSTILE),
    "beta": Argument(one_of("1", "0.5", "1e-9", "1e9", "np.float32(2)"), HOSTILE),
    "rate": Argument(IN_UNIT, HOSTILE),
    "plays": Argument(HOW_MANY, BIG_COUNT),
    "window": Argument(HOW_MANY, BIG_COUNT),
    "law": Argument(one_of(LAWS, IN_UNIT), one_of(HOSTILE, BAD_LAWS)),
    "size": Argument(one_of("None", "3", "0", "(2, 3)", "np.int64(4)"), HOSTILE),
    "random_state": Argument(one_of("None", "1", "np.random.default_rng(1)"), HOSTILE),
    "at": Argument(one_of("None", "1", "1.0", "np.int64(1)"), one_of(HOSTILE, "10**6", "0")),
    "path": Argument(PATH, one_of(HOSTILE, BAD_PATH)),
    "sample": Argument(
        one_of(list_of(IN_UNIT), list_of(IN_UNIT), "range(9)", "[0] * 99 + [1e9]"),
        one_of(HOSTILE, "[1e308] * 2", "[-1e308, 1e308]", "[1e-320, 0, 0]"),
    ),
    "r": Argument(one_of(SHAPED, "inf", "-1", "[0, 10**9]"), HOSTILE),
    "mu1": Argument(IN_UNIT, HOSTILE),
    "mu2": Argument(IN_UNIT, HOSTILE),
    "b": Argument(one_of("None", "0.3", "0.01", "0.9"), HOSTILE),
    "lam": Argument(one_of("None", "1.5", "1.01", "100"), HOSTILE),
    "c": Argument(one_of("None", "0.1", "1", "1e9"), HOSTILE),
    "kind": Argument(one_of("'additive'", "'multiplicative'", "'threshold'"), HOSTILE),
    "value": Argument(EPS, HOSTILE),
    "tau": Argument(IN_UNIT, HOSTILE),
    "best": Argument(SHAPED, HOSTILE),
    "mean": Argument(SHAPED, HOSTILE),
    "leniency": Argument(LENIENCY, one_of(HOSTILE, "lenient.additive")),
    "m": Argument(HOW_MANY, BIG_COUNT),
    "pigeonhole": Argument(one_of("'repaired'", "'printed'"), HOSTILE),
}
