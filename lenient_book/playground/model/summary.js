// From pull counts of many runs to curves, shares and the law of the end.

/**
 * Sums over runs that are there so far, from which the mean and the standard error of every
 * regret follow: a regret is Σ count · cost, so its variance needs the counts' covariances.
 */
export class Tally {
  constructor(times, arms, runs) {
    this.times = times;
    this.arms = arms;
    this.runs = 0;
    this.sum = new Float64Array(times * arms);
    this.products = new Float64Array(times * arms * arms);
    this.last = new Float64Array(runs * arms); // the counts at the end of each run
  }

  /** Runs more: times × arms counts for each, one after the other. */
  add(pulls) {
    const { times, arms, sum, products, last } = this;
    const size = times * arms;
    for (let from = 0; from < pulls.length; from += size) {
      for (let t = 0; t < times; t++)
        for (let a = 0; a < arms; a++) {
          const n = pulls[from + t * arms + a];
          sum[t * arms + a] += n;
          for (let b = 0; b <= a; b++)
            products[(t * arms + a) * arms + b] += n * pulls[from + t * arms + b];
        }
      last.set(pulls.subarray(from + size - arms, from + size), this.runs * arms);
      this.runs++;
    }
  }

  /** Mean and standard error of the regret at each time. */
  curve(costs) {
    const { times, arms, sum, products, runs } = this;
    return Array.from({ length: times }, (_, t) => {
      let mean = 0;
      let square = 0;
      for (let a = 0; a < arms; a++) {
        mean += (costs[a] * sum[t * arms + a]) / runs;
        for (let b = 0; b <= a; b++)
          square += ((a === b ? 1 : 2) * costs[a] * costs[b] * products[(t * arms + a) * arms + b]) / runs;
      }
      const variance = Math.max(0, square - mean * mean) * (runs / Math.max(1, runs - 1));
      return { mean, error: runs > 1 ? Math.sqrt(variance / runs) : 0 };
    });
  }

  /** The regrets at the end, sorted. */
  ends(costs) {
    const ends = new Float64Array(this.runs);
    for (let run = 0, at = 0; run < ends.length; run++)
      for (let a = 0; a < this.arms; a++) ends[run] += this.last[at++] * costs[a];
    return ends.sort();
  }

  /** How often an arm was played, on average. */
  plays(arm) {
    return this.sum[(this.times - 1) * this.arms + arm] / this.runs;
  }
}

/** [[x, share of runs with at least x], …], one step a value. */
export function tailOf(ends) {
  const steps = [];
  for (let i = 0; i < ends.length; i++)
    if (i === 0 || ends[i] > ends[i - 1]) steps.push([ends[i], (ends.length - i) / ends.length]);
  return steps;
}

export function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
