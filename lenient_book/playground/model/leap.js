// The same law of runs as round by round, without visiting every round (chapter 7).
//
// Once one arm leads clearly, almost every round is boring: the leader is played again. The
// chance of anything else is bounded over a whole block of rounds, so that the next round
// that may be otherwise, a candidate, is drawn at once. This approximates nothing. TS is ε-TS
// with ε = 0. As in lenient/leap.py, leader, threshold and length of a block depend on
// nothing but the present counts.
import { logBinomial, logDensity, logPoisson, logSlope } from "./beta.js";
import { compare, exceeds, floorRatio, quotient } from "./exact.js";

// When to skip rounds, and how many. Any values are exact; these are fast.
const CLEAR = 1.3; // no box unless the leader is so many deviations ahead
const LIKELY = 0.3; // no box whose rounds are candidates more often than this
const LONGEST = 2 ** 32;
const FAINTEST = -600; // no chance underflows to 0

class Arm {
  constructor(mean) {
    this.mean = mean;
    this.N = 0;
    this.S = 0;
    this.alpha = 1;
    this.beta = 1;
    this.center = 0.5;
    this.spread = 0.1;
    this.sure = false; // is S/N > 1−ε, so that the score is S/N itself?
    this.weight = 0; // its side of the box
    this.height = 0;
    this.slope = 0;
    this.tailHeight = 0; // at 1.5 deviations above the centre
    this.tailSlope = 0;
  }
}

export class Leap {
  constructor(means, top, rng) {
    this.top = top; // 1−ε, a fraction
    this.rng = rng;
    this.t = 0;
    this.arms = means.map((mean) => new Arm(mean));
    for (const arm of this.arms) this.update(arm);
    this.next = { arm: 0, rounds: 0, wins: 0, x: 0 };
  }

  /** Begin from these counts. */
  set(N, S, t) {
    this.t = t;
    this.arms.forEach((arm, a) => {
      arm.N = N[a];
      arm.S = S[a];
      this.update(arm);
    });
  }

  /** Play on to the horizon; `played(arm, rounds)` is told before each stretch is counted. */
  run(horizon, played) {
    const { arms, rng, next } = this;
    while (this.t < horizon) {
      this.nextRounds(horizon - this.t);
      const { arm, rounds, wins, x } = next;
      this.count(arm, rounds, wins, played);
      if (x > 0 && this.t < horizon) {
        // a round follows that may be outside the box
        const which = this.candidate(arm, x);
        this.count(which, 1, rng.random() < arms[which].mean ? 1 : 0, played);
      }
    }
  }

  count(a, rounds, wins, played) {
    if (rounds === 0) return;
    played(a, rounds);
    this.t += rounds;
    const arm = this.arms[a];
    arm.N += rounds;
    arm.S += wins;
    this.update(arm);
  }

  /** The posterior from the counts. */
  update(arm) {
    arm.sure = exceeds(arm.S, this.top, arm.N);
    if (arm.sure) return;
    const alpha = floorRatio(arm.S, this.top) + 1;
    const n = arm.N + 2;
    const mean = alpha / n;
    arm.alpha = alpha;
    arm.beta = n - alpha;
    arm.center = mean;
    arm.spread = Math.sqrt((mean * (1 - mean)) / (n + 1));
    arm.tailSlope = 0;
  }

  choose(arm, rounds, wins, x) {
    const { next } = this;
    next.arm = arm;
    next.rounds = rounds;
    next.wins = wins;
    next.x = x;
  }

  /** Which arm is played next, for how many rounds in a row; x > 0: a candidate follows. */
  nextRounds(left) {
    const { arms, rng } = this;
    const sure = this.highestSure();
    if (sure >= 0) {
      if (this.ties === 1) return this.sureRounds(sure, left);
      return this.choose(sure, 1, rng.random() < arms[sure].mean ? 1 : 0, 0);
    }
    let leader = 0;
    for (let a = 1; a < arms.length; a++) if (arms[a].center > arms[leader].center) leader = a;
    if (this.chooseBox(leader)) {
      const chance = this.fillBox(leader);
      if (chance <= LIKELY) return this.boringRounds(leader, chance, left);
    }
    const best = this.highest(leader);
    return this.choose(best, 1, rng.random() < arms[best].mean ? 1 : 0, 0);
  }

  /** The arm with the highest θ, in one ordinary round. */
  highest(leader) {
    const { arms, rng } = this;
    let best = leader;
    let top = rng.beta(arms[leader].alpha, arms[leader].beta);
    for (let a = 0; a < arms.length; a++) {
      if (a === leader) continue;
      const theta = this.drawAbove(arms[a], top);
      if (theta > top) {
        best = a;
        top = theta;
      }
    }
    return best;
  }

  /** The arm's θ if it is above `top`; else it does not matter, and need not be drawn. */
  drawAbove(arm, top) {
    const { rng } = this;
    const edge = arm.center + 1.5 * arm.spread;
    if (top < edge || edge >= 1) return rng.beta(arm.alpha, arm.beta);
    if (arm.tailSlope === 0) {
      // not known since the arm was played last
      arm.tailSlope = -logSlope(edge, arm.alpha, arm.beta);
      arm.tailHeight = logDensity(edge, arm.alpha, arm.beta);
    }
    const height = arm.tailHeight - arm.tailSlope * (top - edge);
    const density = Math.exp(height);
    if (!(density < arm.tailSlope)) return rng.beta(arm.alpha, arm.beta);
    if (rng.random() * arm.tailSlope >= density) return 0;
    return this.drawBeyond(arm, top, 1, height, arm.tailSlope);
  }

  /** From the envelope exp(height − slope·|θ − x|), thinned to the density; 0 if thinned out. */
  drawBeyond(arm, x, side, height, slope) {
    const { rng } = this;
    const theta = x + (side * rng.exponential()) / slope;
    if (!(theta > 0 && theta < 1)) return 0;
    const density = logDensity(theta, arm.alpha, arm.beta);
    const envelope = height - slope * Math.abs(theta - x);
    return -rng.exponential() > density - envelope ? 0 : theta;
  }

  // ---- above 1−ε -------------------------------------------------------------------

  /** The arm with the highest mean above 1−ε, one at random of several; −1 if there is none. */
  highestSure() {
    const { arms, rng } = this;
    let best = -1;
    this.ties = 0;
    for (let a = 0; a < arms.length; a++) {
      const arm = arms[a];
      if (!arm.sure) continue;
      const order = best < 0 ? 1 : compare(arm.S, arm.N, arms[best].S, arms[best].N);
      if (order > 0) {
        best = a;
        this.ties = 1;
      } else if (order === 0 && rng.random() * ++this.ties < 1) best = a;
    }
    return best;
  }

  /** The leader plays until the failure that could take its mean down to the barrier. */
  sureRounds(leader, left) {
    const { arms, rng, top } = this;
    const { S, N, mean } = arms[leader];
    let f = Infinity; // with fewer than f failures more, the mean stays above all others
    for (let a = 0; a < arms.length; a++)
      if (a !== leader && arms[a].sure)
        f = Math.min(f, quotient(S, arms[a].N, arms[a].S) - N);
    f = Math.max(1, Math.min(f, floorRatio(S, top) - N));
    f = Math.min(f, 1 + Math.floor((1 - mean) * LONGEST));
    const rounds = roundsUntilFailure(rng, f, mean, left);
    if (rounds > left) this.choose(leader, left, winsBeforeFailure(rng, f, mean, left), -1);
    else this.choose(leader, rounds, rounds - f, 0);
  }

  // ---- the box ---------------------------------------------------------------------

  /** this.f and this.x: a block lasts until the leader's f-th failure; x is the threshold. */
  chooseBox(leader) {
    const { arms } = this;
    const { alpha, beta, center: mean, spread: sd } = arms[leader];
    let rival = -1;
    let ahead = Infinity; // in deviations, from the nearest rival
    for (let a = 0; a < arms.length; a++) {
      if (a === leader) continue;
      const by = (mean - arms[a].center) / (sd + arms[a].spread);
      if (by < ahead) {
        rival = a;
        ahead = by;
      }
    }
    if (ahead < CLEAR) return false;
    const x = mean - ahead * sd; // as far from the leader as from the rival
    const { alpha: a, beta: b } = arms[rival];
    const falls = -logSlope(x, a, b);
    const rises = logSlope(x, alpha, beta);
    if (!(falls > 0 && rises > 0)) return false;
    // The chance of leaving the box is least where the two densities cross: Newton's step.
    const height = logDensity(x, alpha, beta);
    const step = (logDensity(x, a, b) - height) / (falls + rises);
    const chance = Math.exp(Math.max(height + rises * step, FAINTEST)) * (1 / falls + 1 / rises);
    if (!(chance < LIKELY)) return false;
    const growth = (alpha + beta) / (mean * falls);
    const candidateFailures = (1 - mean) / chance;
    const longest = (1 - arms[leader].mean) * LONGEST;
    const f = 1 + Math.floor(Math.min(growth, candidateFailures, longest));
    const lowest = alpha / (alpha + beta + f - 1);
    this.f = f;
    this.x = x + step - (mean - lowest);
    return true;
  }

  /** Fill in the box; the chance that a round is a candidate, ∞ if it is no box. */
  fillBox(leader) {
    const { arms, f, x } = this;
    if (!(x > 0 && x < 1)) return Infinity;
    let total = 0;
    for (let a = 0; a < arms.length; a++) {
      const arm = arms[a];
      let beta = arm.beta;
      let side = 1;
      if (a === leader) {
        beta += f - 1;
        side = -1;
        if (!(x < arm.alpha / (arm.alpha + beta))) return Infinity;
      }
      arm.slope = -side * logSlope(x, arm.alpha, beta);
      if (!(arm.slope > 0)) return Infinity;
      arm.height = Math.max(logDensity(x, arm.alpha, beta), FAINTEST);
      arm.weight = Math.exp(arm.height) / arm.slope;
      total += arm.weight;
    }
    return total > 0 && total < 1 ? total : Infinity;
  }

  /** The leader plays until its f-th failure or the next candidate round. */
  boringRounds(leader, chance, left) {
    const { rng, f, x } = this;
    const mean = this.arms[leader].mean;
    const rounds = roundsUntilFailure(rng, f, mean, left);
    const boring = rng.exponential() / -Math.log1p(-chance); // geometric, when floored
    if (boring < Math.min(rounds, left)) {
      const some = Math.floor(boring);
      return this.choose(leader, some, winsBeforeFailure(rng, f, mean, some), x);
    }
    if (rounds > left)
      return this.choose(leader, left, winsBeforeFailure(rng, f, mean, left), -1);
    return this.choose(leader, rounds, rounds - f, 0);
  }

  /** The arm of a candidate round: the leader if the round turns out to be boring. */
  candidate(leader, x) {
    const { arms, rng } = this;
    if (arms[leader].sure) return leader;
    let total = 0;
    for (const arm of arms) total += arm.weight;
    let pick = rng.random() * total;
    let chosen = 0;
    while (chosen < arms.length - 1 && pick >= arms[chosen].weight) pick -= arms[chosen++].weight;
    // One arm's θ on the wrong side of x …
    const arm = arms[chosen];
    let top = this.drawBeyond(arm, x, chosen === leader ? -1 : 1, arm.height, arm.slope);
    if (top === 0) return leader;
    // … and the others free. A round with n arms on the wrong side has n ways to be found.
    let best = chosen;
    let wrong = 1;
    for (let a = 0; a < arms.length; a++) {
      if (a === chosen) continue;
      const theta = rng.beta(arms[a].alpha, arms[a].beta);
      if (theta > x !== (a === leader)) wrong++;
      if (theta > top) {
        best = a;
        top = theta;
      }
    }
    return rng.random() * wrong >= 1 ? leader : best;
  }
}

/** How many rounds until the f-th failure; left + 1 if it does not come in time. */
export function roundsUntilFailure(rng, f, mean, left) {
  if (mean === 1) return left + 1;
  if (mean === 0) return Math.min(f, left + 1);
  const wins = rng.gamma(f) * (mean / (1 - mean));
  if (wins > 2 * left + 1000) return left + 1; // a chance under e^−150 to be wrong
  return Math.min(f + poisson(rng, wins), left + 1);
}

/** How many of the rounds are won, where it is known that fewer than f are not. */
export function winsBeforeFailure(rng, f, mean, rounds) {
  let failures = f;
  while (failures >= f) failures = binomial(rng, rounds, 1 - mean);
  return rounds - failures;
}

export function poisson(rng, mean) {
  if (mean >= 12) return rng.logConcave(Math.floor(mean), (k) => logPoisson(k, mean));
  const least = Math.exp(-mean);
  let k = 0;
  for (let product = rng.random(); product > least; product *= rng.random()) k++;
  return k;
}

export function binomial(rng, n, p) {
  if (n <= 16) {
    let wins = 0;
    for (let i = 0; i < n; i++) if (rng.random() < p) wins++;
    return wins;
  }
  if (p > 0.5) return n - binomial(rng, n, 1 - p);
  if (p <= 0) return 0;
  if (n * p < 12) {
    // the waiting times between wins are geometric
    const log = Math.log1p(-p);
    let wins = 0;
    for (let at = Math.log1p(-rng.random()) / log; at < n; wins++)
      at = Math.floor(at) + 1 + Math.log1p(-rng.random()) / log;
    return wins;
  }
  return rng.logConcave(Math.floor((n + 1) * p), (k) => logBinomial(k, n, p));
}
