# Typical wrong answers to "Regret analysis by simulation", each of which a check must find.
# %% q1: gaps in plain floats
def mean_and_error(pulls, means, gap):
    means = np.array(means)
    regret = pulls @ gap(means.max() - means)
    return regret.mean(), regret.std(ddof=1) / np.sqrt(len(regret))
# %% q1: the standard deviation for the standard error
def mean_and_error(pulls, means, gap):
    regret = pulls @ gap(lenient.suboptimality(means))
    return regret.mean(), regret.std(ddof=1)
# %% q1: divided by n in place of n - 1
def mean_and_error(pulls, means, gap):
    regret = pulls @ gap(lenient.suboptimality(means))
    return regret.mean(), regret.std() / np.sqrt(len(regret))
# %% q1: the first arm taken for the best
def mean_and_error(pulls, means, gap):
    gaps = np.maximum(np.round(means[0] - np.array(means), 9), 0)
    regret = pulls @ gap(gaps)
    return regret.mean(), regret.std(ddof=1) / np.sqrt(len(regret))
# %% q2: logarithm to the base 10
def slope(pulls, times, means, gap):
    regret = pulls @ gap(lenient.suboptimality(means))
    each = (regret[:, -1] - regret[:, 0]) / np.log10(times[-1] / times[0])
    return each.mean(), each.std(ddof=1) / np.sqrt(len(each))
# %% q2: errors of the two means taken as independent
def slope(pulls, times, means, gap):
    regret = pulls @ gap(lenient.suboptimality(means))
    scale = np.log(times[-1] / times[0])
    mean = regret.mean(axis=0)
    error = regret.std(axis=0, ddof=1) / np.sqrt(len(regret))
    return ((mean[-1] - mean[0]) / scale,
            np.hypot(error[-1], error[0]) / scale)
# %% q2: regret at the end over ln T
def slope(pulls, times, means, gap):
    regret = pulls @ gap(lenient.suboptimality(means))
    each = regret[:, -1] / np.log(times[-1])
    return each.mean(), each.std(ddof=1) / np.sqrt(len(each))
# %% q2: logarithm of the difference of the times
def slope(pulls, times, means, gap):
    regret = pulls @ gap(lenient.suboptimality(means))
    each = (regret[:, -1] - regret[:, 0]) / np.log(times[-1] - times[0])
    return each.mean(), each.std(ddof=1) / np.sqrt(len(each))
# %% q2: the first two checkpoints
def slope(pulls, times, means, gap):
    regret = pulls @ gap(lenient.suboptimality(means))
    each = (regret[:, 1] - regret[:, 0]) / np.log(times[1] / times[0])
    return each.mean(), each.std(ddof=1) / np.sqrt(len(each))
# %% q2: a line fitted to all checkpoints
def slope(pulls, times, means, gap):
    regret = pulls @ gap(lenient.suboptimality(means))
    each = np.polyfit(np.log(times), regret.T, 1)[0]
    return each.mean(), each.std(ddof=1) / np.sqrt(len(each))
# %% q3: one error to each side
def position(s, e, means, eps, gap):
    lower = lenient.lower_bound(means, eps, gap)
    upper = lenient.upper_bound(means, eps, gap)
    if s + e < lower:
        return "below"
    if s - e > upper:
        return "above"
    return "between" if lower <= s - e and s + e <= upper else "unclear"
# %% q3: the error is ignored
def position(s, e, means, eps, gap):
    if s < lenient.lower_bound(means, eps, gap):
        return "below"
    if s > lenient.upper_bound(means, eps, gap):
        return "above"
    return "between"
# %% q3: the loose upper bound
def position(s, e, means, eps, gap):
    lower = lenient.lower_bound(means, eps, gap)
    upper = lenient.loose_upper_bound(means, eps, gap)
    if s + 2 * e < lower:
        return "below"
    if s - 2 * e > upper:
        return "above"
    if lower <= s - 2 * e and s + 2 * e <= upper:
        return "between"
    return "unclear"
# %% q3: ends not included
def position(s, e, means, eps, gap):
    lower = lenient.lower_bound(means, eps, gap)
    upper = lenient.upper_bound(means, eps, gap)
    if s + 2 * e < lower:
        return "below"
    if s - 2 * e > upper:
        return "above"
    if lower < s - 2 * e and s + 2 * e < upper:
        return "between"
    return "unclear"
# %% q4: overflow of the parts
def anatomy(bound):
    parts = np.array([np.exp(bound.log_A).sum(), np.exp(bound.log_B),
                      np.exp(bound.log_C)])
    T = parts.sum() / max(bound.costs)
    return (*(parts / parts.sum()), np.log10(T))
# %% q4: shares of the logarithms
def anatomy(bound):
    logs = np.array([np.logaddexp.reduce(bound.log_A), bound.log_B,
                     bound.log_C])
    log_T = np.logaddexp.reduce(logs) - np.log(max(bound.costs))
    return (*(logs / logs.sum()), log_T / np.log(10))
# %% q4: natural logarithm of T
def anatomy(bound):
    logs = np.array([np.logaddexp.reduce(bound.log_A), bound.log_B,
                     bound.log_C])
    total = np.logaddexp.reduce(logs)
    return (*np.exp(logs - total), total - np.log(max(bound.costs)))
# %% q4: the first cost for the largest, the first arm only
def anatomy(bound):
    logs = np.array([bound.log_A[0], bound.log_B, bound.log_C])
    total = np.logaddexp.reduce(logs)
    log_T = total - np.log(bound.costs[0])
    return (*np.exp(logs - total), log_T / np.log(10))
# %% q5: the sum begins at n = 0
def tail_model(kappa, a, horizon, relative):
    n = np.arange(0.0, horizon + 1)
    tail = (1 + n / a) ** -kappa
    mean = tail.sum()
    variance = ((2 * n - 1) * tail).sum() - mean**2
    up_to = 1 - np.append(tail[1:], 0)
    return (mean, int(np.searchsorted(up_to, 0.5)),
            int(np.searchsorted(up_to, 0.99)),
            math.ceil(variance / (relative * mean) ** 2))
# %% q5: percentiles one too large
def tail_model(kappa, a, horizon, relative):
    n = np.arange(1.0, horizon + 1)
    tail = (1 + n / a) ** -kappa
    mean = tail.sum()
    variance = ((2 * n - 1) * tail).sum() - mean**2
    up_to = 1 - np.append(tail, 0)
    return (mean, int(np.searchsorted(up_to, 0.5)) + 1,
            min(int(np.searchsorted(up_to, 0.99)) + 1, horizon),
            math.ceil(variance / (relative * mean) ** 2))
# %% q5: the horizon is left out
def tail_model(kappa, a, horizon, relative):
    n = np.arange(1.0, horizon)
    tail = (1 + n / a) ** -kappa
    mean = tail.sum()
    variance = ((2 * n - 1) * tail).sum() - mean**2
    up_to = 1 - np.append(tail, 0)
    return (mean, int(np.searchsorted(up_to, 0.5)),
            int(np.searchsorted(up_to, 0.99)),
            math.ceil(variance / (relative * mean) ** 2))
# %% q5: E[N²] for the variance
def tail_model(kappa, a, horizon, relative):
    n = np.arange(1.0, horizon + 1)
    tail = (1 + n / a) ** -kappa
    mean = tail.sum()
    square = ((2 * n - 1) * tail).sum()
    up_to = 1 - np.append(tail, 0)
    return (mean, int(np.searchsorted(up_to, 0.5)),
            int(np.searchsorted(up_to, 0.99)),
            math.ceil(square / (relative * mean) ** 2))
# %% q5: percentiles from a tail without an end
def tail_model(kappa, a, horizon, relative):
    n = np.arange(1.0, horizon + 1)
    tail = (1 + n / a) ** -kappa
    mean = tail.sum()
    variance = ((2 * n - 1) * tail).sum() - mean**2
    half, high = (math.ceil(a * (q ** (-1 / kappa) - 1)) - 1
                  for q in (0.5, 0.01))
    return (mean, half, high,
            math.ceil(variance / (relative * mean) ** 2))
# %% q6: standard errors added
def difference(x, y):
    n = len(x)
    apart = (x.std(ddof=1) + y.std(ddof=1)) / math.sqrt(n)
    return x.mean() - y.mean(), apart, (x - y).std(ddof=1) / math.sqrt(n)
# %% q6: y minus x
def difference(x, y):
    n = len(x)
    apart = math.sqrt((x.var(ddof=1) + y.var(ddof=1)) / n)
    return y.mean() - x.mean(), apart, (y - x).std(ddof=1) / math.sqrt(n)
# %% q6: 2n runs in the denominator
def difference(x, y):
    n = len(x)
    apart = math.sqrt((x.var(ddof=1) + y.var(ddof=1)) / (2 * n))
    return x.mean() - y.mean(), apart, (x - y).std(ddof=1) / math.sqrt(n)
# %% q6: divided by n in place of n - 1
def difference(x, y):
    n = len(x)
    apart = math.sqrt((x.var() + y.var()) / n)
    return x.mean() - y.mean(), apart, (x - y).std() / math.sqrt(n)
