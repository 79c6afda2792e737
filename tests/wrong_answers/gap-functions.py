# Typical wrong answers to the assignment "Gap functions"; each must fail its check.
# %% q1: >= for > at the boundary
def cost(kind, gap, eps):
    gap = np.asarray(gap, dtype=float)
    if kind == "standard":
        return gap
    if kind == "hinge":
        return np.maximum(gap - eps, 0)
    if kind == "indicator":
        return 1.0 * (gap >= eps)
    return gap * (gap >= eps)
# %% q1: the hinge without the maximum
def cost(kind, gap, eps):
    gap = np.asarray(gap, dtype=float)
    return {"standard": gap, "hinge": gap - eps,
            "indicator": 1.0 * (gap > eps),
            "cutoff": gap * (gap > eps)}[kind]
# %% q1: a tolerance that forgives a little more than eps
def cost(kind, gap, eps):
    gap = np.asarray(gap, dtype=float)
    bad = gap > eps + 1e-9
    return {"standard": gap, "hinge": (gap - eps) * bad,
            "indicator": 1.0 * bad, "cutoff": gap * bad}[kind]
# %% q1: the standard grade forgives too
def cost(kind, gap, eps):
    gap = np.asarray(gap, dtype=float)
    bad = gap > eps
    return {"standard": gap * bad, "hinge": (gap - eps) * bad,
            "indicator": 1.0 * bad, "cutoff": gap * bad}[kind]
# %% q1: max of Python, which wants one number
def cost(kind, gap, eps):
    return {"standard": lambda: gap,
            "hinge": lambda: max(gap - eps, 0),
            "indicator": lambda: 1.0 * (gap > eps),
            "cutoff": lambda: gap * (gap > eps)}[kind]()
# %% q1: no lists
def cost(kind, gap, eps):
    return {"standard": lambda: gap,
            "hinge": lambda: np.maximum(gap - eps, 0),
            "indicator": lambda: 1.0 * (gap > eps),
            "cutoff": lambda: gap * (gap > eps)}[kind]()
# %% q2: takes the jump of C for a level
level = {"A": 0, "B": 0.3, "C": 0.3, "D": None,
         "E": 0.4, "F": 1, "G": None, "H": None}
# %% q2: a level a little before the jump of C
level = {"A": 0, "B": 0.3, "C": 0.2999999, "D": None,
         "E": 0.4, "F": 1, "G": None, "H": None}
# %% q2: asks for an increasing function, and for a gap that costs
level = {"A": 0, "B": 0.3, "C": None, "D": None,
         "E": None, "F": None, "G": None, "H": None}
# %% q2: overlooks the zero of H and takes the smaller zero of B
level = {"A": 0, "B": 0.1, "C": None, "D": None,
         "E": 0.4, "F": 1, "G": None, "H": 0.25}
# %% q3: plain floats
def free_arms(means, eps):
    gaps = max(means) - np.asarray(means)
    return [int(a) for a in np.flatnonzero(gaps <= eps)]
# %% q3: rounded to ten digits
def free_arms(means, eps):
    gaps = np.round(max(means) - np.asarray(means), 10)
    return [int(a) for a in np.flatnonzero(gaps <= eps)]
# %% q3: the fraction of the float in place of that of the decimal
def free_arms(means, eps):
    exact = [Fraction(float(m)) for m in means]
    lowest = max(exact) - Fraction(float(eps))
    return [a for a, m in enumerate(exact) if m >= lowest]
# %% q3: an array in place of a list
def free_arms(means, eps):
    exact = np.array([Fraction(str(m)) for m in means])
    return np.flatnonzero(exact >= exact.max() - Fraction(str(eps)))
# %% q3: repr, which shows more than the decimal in an array
def free_arms(means, eps):
    exact = [Fraction(repr(m)) for m in means]
    lowest = max(exact) - Fraction(repr(eps))
    return [a for a, m in enumerate(exact) if m >= lowest]
# %% q3: strictly smaller gaps only
def free_arms(means, eps):
    exact = [Fraction(str(m)) for m in means]
    lowest = max(exact) - Fraction(str(eps))
    return [a for a, m in enumerate(exact) if m > lowest]
# %% q4: the grade of the sum in place of the sum of the grades
def regret(pulls, gaps, f):
    return f(pulls @ np.asarray(gaps))
# %% q4: adds the counts up once more over time
def regret(pulls, gaps, f):
    return np.cumsum(pulls @ f(np.asarray(gaps)), axis=1)
# %% q4: adds up over the times in place of the arms
def regret(pulls, gaps, f):
    return (pulls * f(np.asarray(gaps))).sum(axis=1)
# %% q4: the mean over the runs
def regret(pulls, gaps, f):
    return (pulls @ f(np.asarray(gaps))).mean(axis=0)
# %% q4: leaves out the best arm, as if it were always free
def regret(pulls, gaps, f):
    price = np.where(np.asarray(gaps) > 0, f(np.asarray(gaps)), 0)
    return pulls @ price
# %% q5: reads the stairs as if gaps equal to the level counted
def counts(stairs, gaps, horizon):
    order = np.argsort(gaps)
    heights = [stairs(gaps[a]) for a in order] + [0]
    result = [0] * len(gaps)
    for i, a in enumerate(order):
        result[a] = heights[i] - heights[i + 1]
    return result
# %% q5: a level a little below each gap
def counts(stairs, gaps, horizon):
    return [stairs(max(g - 1e-9, 0)) - stairs(g) if g > 0
            else horizon - stairs(0) for g in gaps]
# %% q5: the answer in the order of the sorted gaps
def counts(stairs, gaps, horizon):
    heights = [horizon] + [stairs(g) for g in sorted(gaps)]
    return [a - b for a, b in zip(heights, heights[1:])]
# %% q6: the cut-off as if it had no jump
def q(kind, u, eps):
    return {"hinge": eps + u, "indicator": eps, "cutoff": u,
            "squared": eps + u**0.5}[kind]
# %% q6: the cost of u in place of the gap that costs u
def q(kind, u, eps):
    return {"hinge": max(u - eps, 0), "indicator": 1.0 * (u > eps),
            "cutoff": u * (u > eps), "squared": max(u - eps, 0) ** 2}[kind]
# %% q6: no root for the squared hinge
def q(kind, u, eps):
    return {"hinge": eps + u, "indicator": eps, "cutoff": max(eps, u),
            "squared": eps + u}[kind]
