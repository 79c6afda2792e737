// Beta and binomial laws with counts up to 10¹⁵.

export function moments(alpha, beta) {
  const n = alpha + beta;
  const mean = alpha / n;
  return { mean, sd: Math.sqrt((mean * (beta / n)) / (n + 1)) };
}

/** The log-density of Beta(α, β), by Loader's saddle-point form of the binomial law. */
export function logDensity(x, alpha, beta) {
  const wins = alpha - 1;
  const losses = beta - 1;
  const n = wins + losses;
  if (wins === 0) return Math.log(n + 1) + (losses === 0 ? 0 : losses * Math.log1p(-x));
  if (losses === 0) return Math.log(n + 1) + wins * Math.log(x);
  const scale = Math.log(((n + 1) * (n + 1) * n) / (2 * Math.PI * wins * losses)) / 2;
  const error = stirlingError(n) - stirlingError(wins) - stirlingError(losses);
  return scale + error - deviance(wins, n * x) - deviance(losses, n * (1 - x));
}

/** The derivative of the log-density. */
export function logSlope(x, alpha, beta) {
  return (alpha - 1) / x - (beta - 1) / (1 - x);
}

/** count·ln(count/expected) + expected − count, without cancellation. */
function deviance(count, expected) {
  const d = (count - expected) / expected;
  return expected * ((1 + d) * Math.log1p(d) - d);
}

const SMALL = [0];
for (let n = 1, log = 0; n < 16; n++) {
  log += Math.log(n);
  SMALL.push(log - (n + 0.5) * Math.log(n) + n - Math.log(2 * Math.PI) / 2);
}

/** ln n! minus Stirling's formula for it. */
function stirlingError(n) {
  if (n < 16) return SMALL[n];
  const s = 1 / (n * n);
  return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / n;
}

/** ln n!, for whole n. */
export function logFactorial(n) {
  if (n === 0) return 0;
  return (n + 0.5) * Math.log(n) - n + Math.log(2 * Math.PI) / 2 + stirlingError(n);
}

/** ln B(a, b), for whole a, b ≥ 1. */
export function logBeta(a, b) {
  return logFactorial(a - 1) + logFactorial(b - 1) - logFactorial(a + b - 1);
}

/** ln P of so many wins in n rounds; −∞ where there is no such number. */
export function logBinomial(wins, n, p) {
  if (wins < 0 || wins > n) return -Infinity;
  if (p <= 0 || p >= 1) return wins === n * p ? 0 : -Infinity;
  return logDensity(p, wins + 1, n - wins + 1) - Math.log(n + 1);
}

/** ln P of a Poisson number. */
export function logPoisson(k, mean) {
  if (k < 0) return -Infinity;
  if (k === 0) return -mean;
  return -deviance(k, mean) - stirlingError(k) - Math.log(2 * Math.PI * k) / 2;
}
