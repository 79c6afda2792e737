// The Bernoulli divergence d(p, q), its form on [0, 1−ε], and its inverse in q.
import { ceiling } from "./exact.js";

/** d(p, q) = p ln(p/q) + (1−p) ln((1−p)/(1−q)); ∞ where p > 0 = q or p < 1 ≤ q. */
export function kl(p, q) {
  return onUnit(p, q, 1);
}

/** d(p/(1−ε), q/(1−ε)); ∞ where p or q exceeds 1−ε. */
export function scaledKl(p, q, eps) {
  return onUnit(p, q, ceiling(eps).value);
}

function onUnit(p, q, c) {
  if (!(p >= 0 && p <= 1 && q >= 0)) return NaN;
  if (p > c || q > c) return Infinity;
  // The two differences cancel; each term is then ≥ 0 and accurate.
  return term(p, q, q - p, c) + term(c - p, c - q, p - q, c);
}

/** [a ln(a/b) + b − a] / c ≥ 0, given diff = b − a; a series where a and b are near. */
function term(a, b, diff, c) {
  if (diff === 0) return 0;
  const v = diff / (a + b);
  const v2 = v * v;
  if (Math.abs(v) < 0.1) {
    let tail = 1 / 15;
    for (const odd of [13, 11, 9, 7, 5, 3]) tail = 1 / odd + v2 * tail;
    return v * (diff / c - 2 * (a / c) * v2 * tail);
  }
  const log = a === 0 ? 0 : 2 * (a / c) * Math.log(Math.sqrt(a) / Math.sqrt(b));
  return log + diff / c;
}

/** The largest q in [p, 1] with n·d(p, q) ≤ level: the index of KL-UCB. */
export function klUcb(p, n, level) {
  if (n === 0 || level === Infinity) return 1;
  const rate = level / n;
  if (rate === 0 || p === 1) return p;
  const pBar = 1 - p;
  const rho = Math.min(rate / pBar, 100); // beyond, 1 − q < exp(−100): q is 1
  // In z = ln((1−p)/(1−q)) the divergence is convex; a start within a tenth, and two steps
  // of Halley's method.
  let z = (rho + Math.sqrt(rho) * Math.sqrt(rho + 8 * p)) / 2;
  for (let i = 0; i < 2; i++) {
    const step = -pBar * Math.expm1(-z);
    const q = p + step;
    const over = pBar * (z - rho) - (p === 0 ? 0 : p * Math.log1p(Math.min(step / p, 1e300)));
    const halley = 1 - ((over / step) * ((p * (1 - q)) / step)) / 2;
    z = Math.max(z - ((over / step) * q) / Math.max(halley, 0.5), z / 2);
  }
  return Math.min(p - pBar * Math.expm1(-z), 1);
}
