# Typical wrong answers to "Design your own lenient criterion", each of which a check must find.
# %% q1: strict inequality on the wrong side
def violations(f, eps, gaps):
    cost = f(np.array(gaps))
    return [g for g, c in zip(gaps, cost)
            if (g < eps and c != 0) or (g >= eps and not 0 < c < np.inf)]

def test_gaps(eps):
    return [*np.linspace(0, 1, 1001), eps, np.nextafter(eps, 1)]
# %% q1: negative costs and NaN accepted
def violations(f, eps, gaps):
    cost = f(np.array(gaps))
    return [g for g, c in zip(gaps, cost)
            if (g <= eps and c > 0) or (g > eps and c <= 0)]

def test_gaps(eps):
    return [*np.linspace(0, 1, 1001), eps, np.nextafter(eps, 1)]
# %% q1: a grid without the two sides of eps
def violations(f, eps, gaps):
    cost = f(np.array(gaps))
    return [g for g, c in zip(gaps, cost)
            if not (c == 0 if g <= eps else 0 < c < np.inf)]

def test_gaps(eps):
    return list(np.linspace(0, 1, 4001))
# %% q1: a grid that is too coarse
def violations(f, eps, gaps):
    cost = f(np.array(gaps))
    return [g for g, c in zip(gaps, cost)
            if not (c == 0 if g <= eps else 0 < c < np.inf)]

def test_gaps(eps):
    return [*np.linspace(0, 1, 21), eps, np.nextafter(eps, 1)]
# %% q1: gaps below eps forgotten
def violations(f, eps, gaps):
    cost = f(np.array(gaps))
    return [g for g, c in zip(gaps, cost)
            if not (c == 0 if g <= eps else 0 < c < np.inf)]

def test_gaps(eps):
    return [eps, np.nextafter(eps, 1), *np.linspace(eps, 1, 2000)]
# %% q1: f called with the list itself
def violations(f, eps, gaps):
    return [g for g, c in zip(gaps, f(gaps))
            if not (c == 0 if g <= eps else 0 < c < np.inf)]

def test_gaps(eps):
    return [*np.linspace(0, 1, 1001), eps, np.nextafter(eps, 1)]
# %% q1: a grid whose points can be the ends of the interval
def violations(f, eps, gaps):
    cost = f(np.array(gaps))
    return [g for g, c in zip(gaps, cost)
            if not (c == 0 if g <= eps else 0 < c < np.inf)]

def test_gaps(eps):
    return [*np.linspace(0, 1, 101), eps, np.nextafter(eps, 1)]
# %% q2: no end of the rise
def ramp(eps, width):
    return lenient.gap_function(
        lambda gap: np.maximum(gap - eps, 0) / width, eps=eps, name="ramp")
# %% q2: hinge cut off at the width, not scaled
def ramp(eps, width):
    return lenient.gap_function(
        lambda gap: np.minimum(np.maximum(gap - eps, 0), width),
        eps=eps, name="ramp")
# %% q2: width taken for the upper end
def ramp(eps, width):
    return lenient.gap_function(
        lambda gap: np.clip((gap - eps) / (width - eps), 0, 1),
        eps=eps, name="ramp")
# %% q2: ends at eps in place of beginning there
def ramp(eps, width):
    low = max(eps - width, 0)
    return lenient.gap_function(
        lambda gap: np.clip((gap - low) / width, 0, 1), eps=low,
        name="ramp")
# %% q2: an if for a whole array
def ramp(eps, width):
    def rise(gap):
        if gap <= eps:
            return 0.0
        return min((gap - eps) / width, 1)
    return lenient.gap_function(rise, eps=eps, name="ramp")
# %% q2: negative below eps
def ramp(eps, width):
    return lenient.gap_function(
        lambda gap: np.minimum((gap - eps) / width, 1), eps=eps,
        name="ramp")
# %% q2: no name
def ramp(eps, width):
    return lenient.gap_function(
        lambda gap: np.clip((gap - eps) / width, 0, 1), eps=eps)
# %% q2: rounded to 0 at the next float
def ramp(eps, width):
    return lenient.gap_function(
        lambda gap: np.clip(1 - (eps + width - gap) / width, 0, 1),
        eps=eps, name="ramp")
# %% q2: rounded where two quotients are subtracted
def ramp(eps, width):
    return lenient.gap_function(
        lambda gap: np.clip(gap / width - eps / width, 0, 1),
        eps=eps, name="ramp")
# %% q3: >= for >
def from_tolerances(tolerances):
    limits = np.sort(tolerances)
    return lenient.gap_function(
        lambda gap: np.searchsorted(limits, gap, side="right")
        / len(limits), eps=limits[0], name="complaints")
# %% q3: list taken as sorted
def from_tolerances(tolerances):
    limits = np.array(tolerances)
    return lenient.gap_function(
        lambda gap: np.searchsorted(limits, gap, side="left")
        / len(limits), eps=limits.min(), name="complaints")
# %% q3: number of people, not share
def from_tolerances(tolerances):
    limits = np.sort(tolerances)
    return lenient.gap_function(
        lambda gap: np.searchsorted(limits, gap, side="left"),
        eps=limits[0], name="complaints")
# %% q3: eps is the mean tolerance
def from_tolerances(tolerances):
    limits = np.sort(tolerances)
    return lenient.gap_function(
        lambda gap: np.searchsorted(limits, gap, side="left")
        / len(limits), eps=float(limits.mean()), name="complaints")
# %% q3: equal tolerances counted once
def from_tolerances(tolerances):
    limits = np.unique(tolerances)
    return lenient.gap_function(
        lambda gap: np.searchsorted(limits, gap, side="left")
        / len(limits), eps=limits[0], name="complaints")
# %% q3: one gap at a time
def from_tolerances(tolerances):
    def share(gap):
        return sum(1 for t in tolerances if gap > t) / len(tolerances)
    return lenient.gap_function(share, eps=min(tolerances), name="people")
# %% q4: divergence of the standard algorithms
def contributions(means, eps, gap):
    best = max(means)
    return np.array([0.0 if d <= eps else gap(d) / lenient.kl(m, best)
                     for m, d in zip(means, lenient.suboptimality(means))])
# %% q4: divergence of the lower bound
def contributions(means, eps, gap):
    best = max(means)
    return np.array([lenient.lower_bound([best, m], eps, gap)
                     for m in means])
# %% q4: the cost is left out
def contributions(means, eps, gap):
    best = max(means)
    return np.array([0.0 if d <= eps else 1 / lenient.scaled_kl(m, best, eps)
                     for m, d in zip(means, lenient.suboptimality(means))])
# %% q4: the first arm taken for the best
def contributions(means, eps, gap):
    return np.array([lenient.upper_bound([means[0], m], eps, gap)
                     for m in means])
# %% q4: shares of the sum
def contributions(means, eps, gap):
    best = max(means)
    terms = np.array([lenient.upper_bound([best, m], eps, gap)
                      for m in means])
    return terms / terms.sum()
# %% q5: no terrible arms
BANDIT = [0.95, 0.8, 0.4]
# %% q5: no arm that only ε-TS accepts
BANDIT = [0.95, 0.1, 0.1, 0.1, 0.1, 0.1]
# %% q5: an arm that both criteria forgive
BANDIT = [0.95, 0.9, 0.1, 0.1, 0.1, 0.1]
# %% q5: too many arms
BANDIT = [0.95, 0.84] + [0.1] * 12
# %% q5: a text
BANDIT = "0.95, 0.84, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1"
# %% q6: the usual level, and gaps that differ
WITNESS = ([0.5, 0.3], [0.9, 0.8])
def relative_bound(means, eps):
    best = max(means)
    if best + eps >= 1:
        return 0.0
    return sum(1 / lenient.kl(m, best + eps) for m in means
               if m < (1 - eps) * best)
# %% q6: the level (1 + eps) mu*
WITNESS = ([0.5, 0.35], [0.9, 0.75])
def relative_bound(means, eps):
    best = max(means)
    level = (1 + eps) * best
    if level >= 1:
        return 0.0
    return float(sum(1 / lenient.kl(m, level) for m in means
                     if m < (1 - eps) * best))
# %% q6: absolute gaps decide who is bad
WITNESS = ([0.5, 0.35], [0.9, 0.75])
def relative_bound(means, eps):
    best = max(means)
    if best >= 1 - eps:
        return 0.0
    return float(sum(1 / lenient.kl(m, best / (1 - eps)) for m in means
                     if best - m > eps))
# %% q6: comparison in floats
WITNESS = ([0.5, 0.35], [0.9, 0.75])
def relative_bound(means, eps):
    best = max(means)
    if best >= 1 - eps:
        return 0.0
    return float(sum(1 / lenient.kl(m, best / (1 - eps)) for m in means
                     if best - m > eps * best))
# %% q6: the bandits in the wrong order
WITNESS = ([0.9, 0.75], [0.5, 0.35])
def relative_bound(means, eps):
    exact = [Fraction(str(mean)) for mean in means]
    factor, best = 1 - Fraction(str(eps)), max(exact)
    level = best / factor
    if level >= 1:
        return 0.0
    return float(sum(1 / lenient.kl(float(mu), float(level))
                     for mu in exact if mu < factor * best))
# %% q6: a level made up without a reason
WITNESS = ([0.5, 0.35], [0.9, 0.75])
def relative_bound(means, eps):
    best = max(means)
    if best >= 1 - eps:
        return 0.0
    return float(sum(1 / lenient.kl(m, best + eps * m + 0.03)
                     for m in means if m < (1 - eps) * best))
# %% q6: a level that is too high
WITNESS = ([0.5, 0.35], [0.9, 0.75])
def relative_bound(means, eps):
    best = max(means)
    level = best / (1 - eps) ** 2
    if level >= 1:
        return 0.0
    return float(sum(1 / lenient.kl(m, level) for m in means
                     if m < (1 - eps) * best))
# %% q6: divergences in place of their reciprocals
WITNESS = ([0.5, 0.35], [0.9, 0.75])
def relative_bound(means, eps):
    best = max(means)
    level = best / (1 - eps)
    if level >= 1:
        return 0.0
    return float(sum(lenient.kl(m, level) for m in means
                     if m < (1 - eps) * best))
