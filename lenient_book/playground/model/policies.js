// Each policy is a function from what has been seen to a score per arm, as in
// lenient/policies.py. The arm with the highest score is played, ties at random.
import { klUcb, kl } from "./divergence.js";
import { ceiling, exceeds, floorRatio } from "./exact.js";

const mean = (N, S) => (N ? S / N : 0);

/** What ε-TS believes of an arm: a Beta law squeezed under 1−ε, or its mean above it. */
export function belief(N, S, top) {
  if (exceeds(S, top, N)) return { sure: S / N };
  const alpha = floorRatio(S, top) + 1;
  return { alpha, beta: N + 2 - alpha, top: top.value };
}

const thompson = (eps) => {
  const top = ceiling(eps);
  return {
    belief: (N, S) => belief(N, S, top),
    score(N, S, t, rng) {
      const b = belief(N, S, top);
      return b.sure ?? b.top * rng.beta(b.alpha, b.beta);
    },
  };
};

// An index policy is random in its rewards alone. While one arm leads, the others' counts
// stand still, and when their scores will have grown to a given height can be computed:
// block(N, S, leader, f, t, most) is a number of rounds, from round t on, in all of which the
// leader plays, unless it fails f times before (`blocks.js`; chapter 14).

/** Up to this round no rival of the leader has reached the height m; 0 if that is not known. */
function lastBelow(N, S, leader, m, reach) {
  let log = Infinity;
  for (let a = 0; a < N.length; a++)
    if (a !== leader) log = Math.min(log, mean(N[a], S[a]) >= m ? 0 : reach(N[a], S[a], m));
  return Math.floor(Math.exp(log - 1e-12)); // and its score decides in the last one
}

/**
 * max(S/N, g(U)), where U is the index of KL-UCB: score(N, S, t), and needed(m), the least u
 * with g(u) ≥ m. More wins and later rounds only raise a score, so that the leader is lowest
 * after f − 1 failures now.
 */
const klUcbLike = ({ score, needed, unplayed, scale = 1 }) => ({
  score: (N, S, t) => (N ? score(N, S, t) : unplayed),
  block(N, S, leader, f, t) {
    const m = score(N[leader] + f - 1, S[leader], t);
    const reach = (n, s) =>
      n === 0 ? (unplayed < m ? Infinity : 0) : n * kl(Math.min(s / n / scale, 1), needed(m));
    return lastBelow(N, S, leader, m, reach) - t + 1;
  },
});

const index = (N, S, t) => klUcb(S / N, N, Math.log(t));

/** Policies by name, each a function of ε; `belief` is for those that have one. */
export const POLICIES = {
  TS: () => thompson(0),
  "ε-TS": thompson,
  "KL-UCB": () => klUcbLike({ score: index, needed: (m) => m, unplayed: Infinity }),
  // optimism, discounted by ε, but never below the mean
  "ε-KL-UCB": (eps) => {
    const top = ceiling(eps).value;
    const score = (N, S, t) => Math.max(S / N, top - (1 - index(N, S, t)));
    return klUcbLike({ score, needed: (m) => m + (1 - top), unplayed: top });
  },
  // an index in [0, 1−ε], and no doubt above 1−ε
  "squeezed KL-UCB": (eps) => {
    const top = ceiling(eps);
    const scale = top.value;
    const score = (N, S, t) =>
      exceeds(S, top, N) ? S / N : scale * klUcb(Math.min(S / N / scale, 1), N, Math.log(t));
    return klUcbLike({ score, needed: (m) => m / scale, unplayed: scale, scale });
  },
  UCB1: () => ({
    score: (N, S, t) => (N ? S / N + Math.sqrt((2 * Math.log(t)) / N) : Infinity),
    block(N, S, leader, f, t, most) {
      const m = S[leader] / (N[leader] + f - 1) + Math.sqrt((2 * Math.log(t)) / (N[leader] + most));
      const reach = (n, s) => (n * (m - s / n) ** 2) / 2;
      if (N.includes(0)) return 0;
      return Math.min(most, lastBelow(N, S, leader, m, reach) - t + 1);
    },
  }),
  IMED: () => ({
    // the score of an arm needs the best of all means
    scores(N, S) {
      const best = Math.max(...N.map((n, a) => mean(n, S[a])));
      return N.map((n, a) =>
        n ? -Number((n * kl(S[a] / n, best) + Math.log(n)).toFixed(12)) : Infinity);
    },
    block(N, S, leader, f) {
      // the leader has the best mean, and plays until its ln N reaches the lowest of the others
      const lowest = S[leader] / (N[leader] + f - 1);
      const reach = (n, s) => n * kl(s / n, lowest) + Math.log(n) - 2e-12;
      if (N.includes(0)) return 0;
      return lastBelow(N, S, leader, lowest, reach) - N[leader];
    },
  }),
};

/** A score for each arm. */
export function scores(policy, N, S, t, rng) {
  if (policy.scores) return policy.scores(N, S, t, rng);
  return N.map((n, a) => policy.score(n, S[a], t, rng));
}

/** The place of the highest score, one at random of several. */
export function argmax(values, rng) {
  let best = 0;
  let ties = 1;
  for (let a = 1; a < values.length; a++) {
    if (values[a] > values[best]) {
      best = a;
      ties = 1;
    } else if (values[a] === values[best] && rng.random() * ++ties < 1) best = a;
  }
  return best;
}
