// The four asymptotic bounds, coefficients of ln T; only arms with Δ > ε count.
import { kl, scaledKl } from "./divergence.js";
import { add, ceiling } from "./exact.js";
import { GAPS, gapsOf } from "./gaps.js";

function sum(means, eps, gap, divergence, beyond = eps) {
  const best = Math.max(...means);
  let total = 0;
  gapsOf(means).forEach((delta, a) => {
    if (delta > beyond) total += GAPS[gap](delta, eps) / divergence(means[a], best);
  });
  return total;
}

/** Σ f(Δ)/d(μ, μ*+ε): no consistent policy stays below. */
export function lowerBound(means, eps, gap) {
  return sum(means, eps, gap, (mu, best) => kl(mu, add(best, eps)));
}

// Σ f(Δ)/d(μ/(1−ε), μ*/(1−ε)): what ε-TS achieves; 0 where μ* ≥ 1−ε.
export function upperBound(means, eps, gap) {
  return sum(means, eps, gap, (mu, best) => scaledKl(mu, best, eps));
}

/** 4(1−ε) Σ f(Δ)/d(μ, μ*+ε): the upper bound's second form. */
export function looseUpperBound(means, eps, gap) {
  return 4 * ceiling(eps).value * lowerBound(means, eps, gap);
}

/** Σ f(Δ)/d(μ, μ*): what TS and KL-UCB achieve. */
export function standardBound(means, eps, gap) {
  return sum(means, eps, gap, kl, gap === "standard" ? 0 : eps);
}

/** {name: coefficient} of the bounds that say something about these policies here. */
export function boundsThatApply(means, eps, gap, policies) {
  const gaps = gapsOf(means);
  const paid = gaps.map((delta) => GAPS[gap](delta, eps));
  if (!paid.some(Boolean)) return {};
  const found = {};
  // Bounds with ε are about functions that charge nothing up to ε.
  if (eps > 0 && !gaps.some((delta, a) => delta <= eps && paid[a])) {
    found["lower bound"] = lowerBound(means, eps, gap);
    if (policies.includes("ε-TS")) found["upper bound"] = upperBound(means, eps, gap);
  }
  if (eps === 0 || policies.includes("TS") || policies.includes("KL-UCB"))
    found["standard bound"] = standardBound(means, eps, gap);
  return found;
}

/** κ = ln(1−μ₁)/ln(1−μ₂/(1−ε)): with a chance of about T^−κ, ε-TS plays the rival nearly always. */
export function tailExponent(mu1, mu2, eps) {
  return Math.log1p(-mu1) / Math.log1p(-mu2 / ceiling(eps).value);
}
