// A seeded generator (sfc32), and draws that are made of its uniform ones.

export class Rng {
  constructor(seed, stream = 0) {
    // Each word of the state from the seed, by splitmix32; then a warm-up.
    let x = (seed ^ Math.imul(stream + 1, 0x9e3779b9)) | 0;
    const word = () => {
      x = (x + 0x9e3779b9) | 0;
      let t = x ^ (x >>> 16);
      t = Math.imul(t, 0x21f0aaad);
      t ^= t >>> 15;
      t = Math.imul(t, 0x735a2d97);
      return t ^ (t >>> 15);
    };
    this.a = word();
    this.b = word();
    this.c = (Math.floor(seed / 4294967296) ^ word()) | 0;
    this.d = 1;
    this.spare = NaN;
    for (let i = 0; i < 15; i++) this.bits();
  }

  bits() {
    const t = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + t) | 0;
    return t >>> 0;
  }

  /** Uniform on [0, 1), with 53 bits. */
  random() {
    return ((this.bits() >>> 5) * 67108864 + (this.bits() >>> 6)) / 9007199254740992;
  }

  exponential() {
    return -Math.log1p(-this.random());
  }

  /** Standard normal, by the polar method: two at a time. */
  normal() {
    if (this.spare === this.spare) {
      const kept = this.spare;
      this.spare = NaN;
      return kept;
    }
    let u, v, s;
    do {
      u = this.bits() / 2147483648 - 1;
      v = this.bits() / 2147483648 - 1;
      s = u * u + v * v;
    } while (s >= 1 || s === 0);
    const scale = Math.sqrt((-2 * Math.log(s)) / s);
    this.spare = v * scale;
    return u * scale;
  }

  /** Gamma(a, 1) for a ≥ 1: Marsaglia and Tsang (2000). */
  gamma(a) {
    const d = a - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      let v = 1 + c * x;
      if (v <= 0) continue;
      v = v * v * v;
      const u = this.random();
      const x2 = x * x;
      if (u < 1 - 0.0331 * x2 * x2) return d * v;
      if (Math.log(u) < 0.5 * x2 + d * (1 - v + Math.log(v))) return d * v;
    }
  }

  /** Beta(a, b) for a, b ≥ 1. */
  beta(a, b) {
    const x = this.gamma(a);
    return x / (x + this.gamma(b));
  }

  /** From a log-concave law on whole numbers with this mode: Devroye's rejection (1987). */
  logConcave(mode, logChance) {
    const top = logChance(mode);
    const p = Math.exp(top);
    const w = 1 + p / 2;
    for (;;) {
      const y =
        this.random() * (1 + w) <= w
          ? (this.random() * w) / p
          : (w + this.exponential()) / p;
      const guess = mode + Math.floor(y + 0.5) * (this.random() < 0.5 ? 1 : -1);
      const chance = logChance(guess) - top; // −∞ where there is no such number
      if (Math.min(0, w - p * y) - this.exponential() <= chance) return guess;
    }
  }
}

/** A uniform number for the n-th play of an arm, the same whoever asks: shared luck. */
export function luck(seed, arm, n) {
  let x = (seed ^ Math.imul(arm + 1, 0x85ebca6b) ^ Math.imul(n + 1, 0xc2b2ae35)) | 0;
  for (const m of [0x21f0aaad, 0x735a2d97, 0x7feb352d]) {
    x ^= x >>> 16;
    x = Math.imul(x, m);
  }
  return ((x ^ (x >>> 15)) >>> 0) / 4294967296;
}
