// What one play of an arm costs: the ε-gap functions, of gaps between decimals.
import { add } from "./exact.js";

export const GAPS = {
  standard: (gap) => gap,
  hinge: (gap, eps) => Math.max(gap - eps, 0),
  indicator: (gap, eps) => (gap > eps ? 1 : 0),
  cutoff: (gap, eps) => (gap > eps ? gap : 0),
};

/** Δ = μ* − μ for each of the means, as decimals. */
export function gapsOf(means) {
  const best = Math.max(...means);
  return means.map((mean) => add(best, mean, -1));
}

/** The cost of one play of each arm. */
export function costs(name, means, eps) {
  return gapsOf(means).map((gap) => GAPS[name](gap, eps));
}
