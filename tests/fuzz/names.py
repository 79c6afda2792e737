"""The public names of `lenient`: how each is called, and what must hold of what it returns.

A new public name needs a line in NAMES, and a new parameter a line in
`arguments.ARGUMENTS`; `missing` says which.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass

import numpy as np

import lenient
from fuzz.arguments import (
    ARGUMENTS,
    BAD_LAWS,
    BASELINES,
    EPS,
    GAP,
    HOSTILE,
    IN_UNIT,
    LENIENCY,
    MEANS,
    SAMPLES,
    SHAPED,
    Argument,
    comparison,
    counts,
    game,
    list_of,
    one_of,
    several_games,
    simulation,
)


# ---- what must hold ------------------------------------------------------------------
# A check takes the result and the arguments, and returns what is wrong, or nothing.
def anything(result, given):
    """No NaN."""
    if result is None:  # which NumPy reads as NaN
        return None
    try:
        if np.isnan(np.asarray(result, dtype=float)).any():
            return "NaN"
    except (TypeError, ValueError):  # no number at all
        return None


def costs(result, given):
    """No NaN, none below 0."""
    if wrong := anything(result, given):
        return wrong
    if np.min(np.asarray(result, dtype=float), initial=0) < 0:
        return f"negative: {result}"


def divergence(*names):
    """At least 0, as many as the arguments broadcast to."""

    def check(result, given):
        shape = np.broadcast_shapes(*(np.shape(given[name]) for name in names))
        if np.shape(result) != shape:
            return f"shape {np.shape(result)} instead of {shape}"
        return costs(result, given)

    return check


def in_unit(result, given):
    if np.max(np.asarray(result, dtype=float), initial=0) > 1:
        return f"above 1: {result}"
    return costs(result, given)


def one_for_each_arm(result, given):
    if np.shape(result) != np.shape(given["means"]):
        return f"shape {np.shape(result)}"
    return in_unit(result, given)


def at_most_one(name):
    """At most 1, as many as the argument of that name."""

    def check(result, given):
        if np.shape(result) != np.shape(given[name]):
            return f"shape {np.shape(result)}"
        if np.max(np.asarray(result, dtype=float), initial=0) > 1:
            return f"above 1: {result}"
        return anything(result, given)

    return check


def plays(result, given):
    """Counts sum to the time, and go up with it."""
    pulls, times = result.pulls, result.times
    if pulls.shape != (int(given["runs"]), times.size, len(result.means)):
        return f"shape {pulls.shape}"
    if not (pulls.sum(axis=2) == times).all():
        return "counts do not sum to the time"
    if pulls.min() < 0 or np.diff(pulls, axis=1).min(initial=0) < 0:
        return "counts go down"
    if times[-1] > given["horizon"] or (np.diff(times) <= 0).any() or times[0] < 1:
        return f"times {times}"
    return anything(result.means, given)


def regret(result, given):
    made = given["self"]
    if result.shape != made.pulls.shape[:2]:
        return f"shape {result.shape}"
    return anything(result, given)


def five_numbers(result, given):
    """A single run has no spread."""
    single = given["self"].runs == 1
    return anything([result.mean, result.max] if single else result[:6], given)


def over_time(result, given):
    """A single run has no standard error."""
    if given["self"].runs == 1:
        return anything(result.mean, given)
    return anything(result, given)


def chances(result, given):
    return anything(result.values, given) or in_unit(result.chance, given)


def two_ends(result, given):
    """Of a single number nothing is known."""
    if len(given["sample"]) == 1:
        return None
    low, high = result
    return anything(result, given) or (f"{result}" if low > high else None)


def a_simulation(result, given):
    return None if isinstance(result, lenient.Simulation) else f"{result}"


def increasing(result, given):
    if result[0] < 1 or result[-1] != given["horizon"] or (np.diff(result) <= 0).any():
        return f"{result}"
    if len(result) > given.get("count", 200):
        return f"{len(result)} of them"


def total(result, given):
    """Never below one of its parts."""
    return costs([result.total, *result.A, result.B, result.C, result.trivial], given)


def stages(result, given):
    """Bounds of at least 0, none of them NaN, and at most the trivial one."""
    bounds = [result.one_level, result.two_levels, result.closed_form, result.trivial]
    if result.value > result.trivial:
        return f"{result.value} above the trivial {result.trivial}"
    return costs(bounds, given)


def scores(result, given):
    if np.shape(result) != np.broadcast_shapes(
        np.shape(given["pulls"]), np.shape(given["wins"])
    ):
        return f"shape {np.shape(result)}"
    return anything(result, given)


def table(result, given):
    regret = result.regret
    if regret.shape != (len(result.problems), len(result.policies), int(given["runs"])):
        return f"shape {regret.shape}"
    return anything(regret, given)


# ---- how each is called --------------------------------------------------------------
@dataclass(frozen=True)
class Name:
    """check: see above;  together: texts that fit each other;  others: arguments that are
    not those of ARGUMENTS;  on: the object whose method it is;  share: how often it comes;
    trusts: hostile arguments are not tried, as with a policy, which is called in every round
    and does not look at its counts twice."""

    check: Callable = anything
    together: Callable | None = None
    others: tuple = ()
    on: Callable | None = None
    share: float = 1.0
    trusts: bool = False


def made_bound(rng):
    means = rng.choice(["[0.9, 0.5]", "[0.5, 0.2]", "[0.3]", "[0.5, 0.45, 0.2]"])
    return f"lenient.finite_time_bound({means}, 0.2, lenient.hinge(0.2), 10**4)"


def _finite_law(rng):
    return {"values": list_of(IN_UNIT)(rng), "probs": "None", "x": SHAPED(rng)}


def _rivals(rng):
    return {"mu1": IN_UNIT(rng), "mu2": IN_UNIT(rng), "eps": rng.choice(["0", "0.1", EPS(rng)])}


def _bound(rng):
    return {"means": MEANS(rng), "eps": EPS(rng), "gap": GAP(rng), "horizon": "1000"}


def _two(rng):
    """Both shapes as they come, or one of them a number so that they fit."""
    pair = [SHAPED(rng), IN_UNIT(rng)]
    rng.shuffle(pair)
    return dict(zip("pq", pair)) | {"eps": EPS(rng)}


def _kl_ucb(rng):
    return {"p": SHAPED(rng), "n": rng.choice(["0", "3", "10**9"]), "level": "2.5"}


def _kinf_ucb(rng):
    return {"values": list_of(IN_UNIT)(rng), "level": rng.choice(["0", "0.1", "2.5", "inf"])}


_gaps = Argument(one_of(SHAPED), HOSTILE)
_arms = Argument(MEANS, one_of(HOSTILE, list_of(one_of(BAD_LAWS, IN_UNIT))))
_trusts = {"trusts": True, "share": 0.2}
_policy = {"check": scores, "together": counts} | _trusts
_of_simulation = {"on": simulation}
_of_bound = {"on": made_bound, "share": 0.1}
_of_stages = {"on": lambda rng: made_bound(rng).replace("finite_time", "stage"), "share": 0.05}
_of_comparison = {"on": comparison, "share": 0.1}


def _first_round(rng):
    """For policies that make their memory in the first round."""
    return counts(rng) | {"t": "1"}


def _arms_in_rows(rng):
    """For a policy that looks at all arms together."""
    pulls = "np.array([[0, 1], [5, 7]])"
    return counts(rng) | {"pulls": pulls, "wins": "np.array([[0, 0], [5, 3]])"}


def _lenient(rng):
    return f"lenient.LenientKLUCB({LENIENCY(rng)})"


def _top_leader(rng):
    return f"lenient.TopLeader({rng.randint(1, 3)})"


def _means_alone(rng):
    gap = rng.choice(["None", "None", "None", GAP(rng)])
    return {"means": MEANS(rng), "leniency": LENIENCY(rng), "m": rng.choice("123"), "gap": gap}


NAMES = {
    "kl": Name(divergence("p", "q"), _two),
    "scaled_kl": Name(divergence("p", "q", "eps"), _two),
    "kinf": Name(divergence("x"), _finite_law),
    "kl_ucb": Name(in_unit, _kl_ucb),
    "hinge": Name(),
    "indicator": Name(),
    "cutoff": Name(),
    "standard": Name(share=0.02),
    "gap_function": Name(),
    "GapFunction": Name(),
    "GapFunction.__call__": Name(costs, others=(("gap", _gaps),), on=GAP),
    "GapFunction.costs": Name(costs, on=GAP),
    "Criterion": Name(),
    "shortfall": Name(),
    "unacceptable": Name(),
    "top": Name(),
    "additive": Name(),
    "multiplicative": Name(),
    "threshold": Name(),
    "Leniency": Name(),
    "Leniency.name": Name(on=LENIENCY, share=0.1),
    "Leniency.g": Name(at_most_one("best"), on=LENIENCY),
    "Leniency.G": Name(in_unit, on=LENIENCY),
    "Leniency.acceptable": Name(one_for_each_arm, on=LENIENCY),
    "Leniency.missing": Name(at_most_one("means"), on=LENIENCY),
    "LenientKLUCB": Name(),
    "LenientKLUCB.name": Name(on=_lenient, share=0.1),
    "LenientKLUCB.__call__": Name(**_policy, on=_lenient),
    "TopLeader": Name(),
    "TopLeader.__call__": Name(
        scores,
        _arms_in_rows,
        on=lambda rng: f"lenient.TopLeader({rng.randint(1, 3)})",
        **_trusts,
    ),
    "leniency_bound": Name(costs, _means_alone),
    "top_bound": Name(costs, _means_alone),
    "suboptimality": Name(one_for_each_arm),
    "Sample": Name(together=_finite_law),
    "Sample.mean": Name(in_unit, on=SAMPLES, share=0.1),
    "Sample.support": Name(in_unit, on=SAMPLES, share=0.1),
    "Sample.rvs": Name(in_unit, on=SAMPLES),
    "law_kinf": Name(divergence("x")),
    "TS": Name(share=0.02),
    "EpsTS": Name(),
    "KLUCB": Name(share=0.02),
    "EpsKLUCB": Name(),
    "SqueezedKLUCB": Name(),
    "TS.__call__": Name(**_policy, on=lambda rng: "lenient.TS()"),
    "EpsTS.__call__": Name(**_policy, on=lambda rng: f"lenient.EpsTS({EPS(rng)})"),
    "KLUCB.__call__": Name(**_policy, on=lambda rng: "lenient.KLUCB()"),
    "EpsKLUCB.__call__": Name(**_policy, on=lambda rng: f"lenient.EpsKLUCB({EPS(rng)})"),
    "SqueezedKLUCB.__call__": Name(
        **_policy, on=lambda rng: f"lenient.SqueezedKLUCB({EPS(rng)})"
    ),
    "UCB1": Name(share=0.02),
    "MOSS": Name(),
    "BayesUCB": Name(share=0.02),
    "IMED": Name(share=0.02),
    "Satisficing": Name(others=(("level", ARGUMENTS["rate"]),)),
    "BetaTS": Name(),
    "EpsGreedy": Name(),
    "ExploreThenCommit": Name(),
    "EXP3": Name(),
    "SlidingWindowTS": Name(),
    "KinfUCB": Name(),
    "LenientNPTS": Name(),
    "kinf_ucb": Name(in_unit, _kinf_ucb),
    **{
        f"{name}.__call__": Name(scores, _first_round, on=lambda rng, e=made: e, **_trusts)
        for name, made in BASELINES.items()
    },
    "compare": Name(table, several_games, share=3),
    "Comparison.rows": Name(**_of_comparison),
    "Comparison.to_frame": Name(**_of_comparison),
    "simulate": Name(plays, game, others=(("means", _arms),), share=6),
    "Simulation.gaps": Name(costs, **_of_simulation, share=0.1),
    "Simulation.runs": Name(**_of_simulation, share=0.02),
    "Simulation.horizon": Name(**_of_simulation, share=0.02),
    "Simulation.mean": Name(over_time, **_of_simulation),
    "Simulation.tail": Name(chances, **_of_simulation),
    "Simulation.to_frame": Name(**_of_simulation, share=0.02),
    "Simulation.to_xarray": Name(**_of_simulation, share=0.02),
    "Simulation.save": Name(**_of_simulation),
    "load": Name(a_simulation),
    "Simulation.regret": Name(regret, others=(("gap", ARGUMENTS["gap"]),), **_of_simulation),
    "Simulation.summary": Name(five_numbers, **_of_simulation),
    "log_checkpoints": Name(increasing),
    "interval": Name(two_ends, others=(("level", ARGUMENTS["rate"]),)),
    "Tail.at_least": Name(in_unit, on=lambda rng: f"{simulation(rng)}.tail({GAP(rng)})"),
    "lower_bound": Name(costs, _bound),
    "upper_bound": Name(costs, _bound),
    "loose_upper_bound": Name(costs, _bound),
    "standard_bound": Name(costs, _bound),
    "tail_exponent": Name(costs, _rivals),
    "finite_time_bound": Name(total, _bound, share=0.3),
    "stage_bound": Name(stages, _bound, share=0.3),
    "StageBound.value": Name(costs, **_of_stages),
    "StageBound.trivial": Name(costs, **_of_stages),
    "StageBound.e": Name(costs, **_of_stages),
    "FiniteTimeBound.log_total": Name(**_of_bound),
    "FiniteTimeBound.A": Name(costs, **_of_bound),
    "FiniteTimeBound.B": Name(costs, **_of_bound),
    "FiniteTimeBound.C": Name(costs, **_of_bound),
    "FiniteTimeBound.total": Name(costs, **_of_bound),
    "FiniteTimeBound.trivial": Name(costs, **_of_bound),
}
# Public, and described by the reference, in modules of their own.
BELOW = {"interval": lenient.statistics.interval, "Tail": lenient.statistics.Tail}
# Records that only their functions make, a module of data, and what the engine calls.
NOT_CALLED = {"Simulation", "Comparison", "FiniteTimeBound", "StageBound", "paper"}
NOT_CALLED |= {"EXP3.observe", "SlidingWindowTS.observe"}
NOT_CALLED |= {"KLUCB.discount", "EpsKLUCB.discount", "SqueezedKLUCB.discount"}
NOT_CALLED |= {"LenientKLUCB.discount"}
NOT_CALLED |= {"KinfUCB.observe", "LenientNPTS.observe"}


def public_names():
    """Everything that can be called or asked for: functions, classes, their methods."""
    yield from ("interval", "Tail.at_least")
    for name in lenient.__all__:
        thing = getattr(lenient, name)
        yield name
        if inspect.isclass(thing):
            data = {field.name for field in fields(thing)} if is_dataclass(thing) else set()
            for member, what in inspect.getmembers_static(thing):
                ours = member == "__call__" or not member.startswith("_")
                constant = not (callable(what) or isinstance(what, (property, classmethod)))
                if ours and not constant and member not in data:
                    yield f"{name}.{member}"


def thing_of(name):
    """The function, class, method or property of that name."""
    owner, _, member = name.partition(".")
    thing = BELOW[owner] if owner in BELOW else getattr(lenient, owner)
    return inspect.getattr_static(thing, member) if member else thing


def written(owner):
    """A name as it is written after `import lenient`."""
    return f"lenient.statistics.{owner}" if owner in BELOW else f"lenient.{owner}"


def asked_for(name):
    """Is it a property, which is not called?"""
    return isinstance(thing_of(name), property)


def parameters_of(name):
    """{parameter: whether it may be left out}; none for what is only asked for."""
    if asked_for(name):
        return {}
    thing = getattr(thing_of(name), "__func__", thing_of(name))
    parameters = inspect.signature(thing).parameters.values()
    return {
        p.name: p.default is not p.empty
        for p in parameters
        if p.name != "self" and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    }


def missing():
    """What the fuzz does not know how to call, in words."""
    public = {*public_names()} - NOT_CALLED
    for name in sorted(public - {*NAMES}):
        yield f"lenient.{name} has no line in tests/fuzz/names.py"
    for name in sorted({*NAMES} - public):
        yield f"lenient.{name} is no public name any more: tests/fuzz/names.py"
    for name in sorted({*NAMES} & public):
        known = {*ARGUMENTS} | {parameter for parameter, _ in NAMES[name].others}
        for parameter in sorted({*parameters_of(name)} - known):
            yield f"lenient.{name}: no {parameter} in tests/fuzz/arguments.py"


# ---- one call ------------------------------------------------------------------------
@dataclass(frozen=True)
class Call:
    """A public name and the texts of its arguments; `on` the object that has the method."""

    name: str
    texts: dict
    on: str | None = None

    def __str__(self):
        owner, _, member = self.name.partition(".")
        named = ", ".join(f"{key}={text}" for key, text in self.texts.items())
        if not member:
            return f"{written(owner)}({named})"
        if member == "__call__":
            return f"{self.on}({named})"
        return f"{self.on}.{member}" + ("" if asked_for(self.name) else f"({named})")


def random_call(rng):
    """Any name; in two of three calls with a hostile argument, in some with two."""
    name = rng.choices([*NAMES], [each.share for each in NAMES.values()])[0]
    about = NAMES[name]
    arguments = ARGUMENTS | dict(about.others)
    optional = parameters_of(name)
    if about.together:
        texts = {key: text for key, text in about.together(rng).items() if key in optional}
        optional_too = rng.random() < 0.1
    else:
        texts, optional_too = {}, rng.random() < 0.6
    for key, may_be_left_out in optional.items():
        if key not in texts and (optional_too or not may_be_left_out):
            texts[key] = arguments[key].good(rng)
    hostile = 0 if about.trusts else rng.choices([0, 1, 2], [3, 5, 1])[0]
    for key in rng.sample([*optional], min(hostile, len(optional))):
        texts[key] = arguments[key].bad(rng)
    return Call(name, texts, about.on(rng) if about.on else None)
