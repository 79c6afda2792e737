// ε, means and counts as the decimals that were written, without a float's slip.
//
// ⌊S/(1−ε)⌋, S/N > 1−ε and Δ > ε are statements about rationals that floats get wrong for
// some ε: with ε = 0.7, 3/(1−ε) is 9.999999999999998. With 1−ε = p/q they are about integers.

const SAFE = Number.MAX_SAFE_INTEGER;

/** The number as the decimal its writer saw, a fraction [n, d] of BigInts: 0.1 is 1/10. */
export function decimal(x) {
  let text = x.toPrecision(15);
  if (Number(text) === 1 && x < 1) text = String(x); // what is below 1 stays there
  const [digits, power = "0"] = text.split("e");
  const [whole, places = ""] = digits.split(".");
  const exponent = Number(power) - places.length;
  const n = BigInt(whole + places);
  return exponent >= 0 ? [n * 10n ** BigInt(exponent), 1n] : [n, 10n ** BigInt(-exponent)];
}

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

/** The double nearest to n/d, by way of a decimal that a browser reads exactly. */
function nearest(n, d) {
  // d divides a power of ten here, so the quotient has finitely many digits
  let places = 0;
  while (10n ** BigInt(places) % d) places++;
  return Number(`${n * (10n ** BigInt(places) / d)}e-${places}`);
}

/** 1−ε as an exact fraction {p, q}, and the double next to it. */
export function ceiling(eps) {
  let [n, d] = decimal(eps);
  n = d - n;
  const most = 10n ** 18n;
  if (d > most) {
    // read to 18 places, and never 0
    const scale = d / most;
    n = (n + scale / 2n) / scale || 1n;
    d = most;
  }
  const value = nearest(n, d);
  const common = gcd(n, d);
  const p = n / common;
  const q = d / common;
  const plain = q <= BigInt(SAFE); // then Number holds both
  return { p: Number(p), q: Number(q), big: { p, q }, plain, value };
}

/** ⌊S/(1−ε)⌋, exactly. */
export function floorRatio(S, top) {
  const product = S * top.q;
  if (top.plain && product <= SAFE) return Math.floor(product / top.p);
  return Number((BigInt(S) * top.big.q) / top.big.p);
}

/** Is S/N > 1−ε? Exactly; an arm never played has mean 0. */
export function exceeds(S, top, N) {
  const left = S * top.q;
  if (top.plain && left <= SAFE && N * top.q <= SAFE) return left > N * top.p;
  return BigInt(S) * top.big.q > BigInt(N) * top.big.p;
}

/** The sign of a/b − c/d, for counts whose products may be beyond 2⁵³. */
export function compare(a, b, c, d) {
  if (b === 0) return -1;
  const left = a * d;
  const right = c * b;
  if (left <= SAFE && right <= SAFE) return Math.sign(left - right);
  const exact = BigInt(a) * BigInt(d) - BigInt(c) * BigInt(b);
  return exact > 0n ? 1 : exact < 0n ? -1 : 0;
}

/** ⌊a·b/c⌋, also where a·b is beyond 2⁵³. */
export function quotient(a, b, c) {
  const product = a * b;
  if (product <= SAFE) return Math.floor(product / c);
  return Number((BigInt(a) * BigInt(b)) / BigInt(c));
}

/** x + sign·y as decimals: 0.8 + 0.2 is 1, and 0.9 − 0.7 is 0.2. */
export function add(x, y, sign = 1) {
  const [n, d] = decimal(x);
  const [m, e] = decimal(y);
  return nearest(n * e + BigInt(sign) * m * d, d * e);
}
