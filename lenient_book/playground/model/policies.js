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

const first = (index) => ({
  score: (N, S, t) => (N ? index(N, S, t) : Infinity),
});

/** Policies by name, each a function of ε; `belief` is for those that have one. */
export const POLICIES = {
  TS: () => thompson(0),
  "ε-TS": thompson,
  "KL-UCB": () => first((N, S, t) => klUcb(S / N, N, Math.log(t))),
  // KL-UCB whose doubt is forgiven up to ε: max(μ̂, U − ε), with U = 1 if never played
  "ε-KL-UCB": (eps) => ({
    score: (N, S, t) => Math.max(mean(N, S), klUcb(mean(N, S), N, Math.log(t)) - eps),
  }),
  UCB1: () => first((N, S, t) => S / N + Math.sqrt((2 * Math.log(t)) / N)),
  IMED: () => ({
    // the score of an arm needs the best of all means
    scores(N, S) {
      const best = Math.max(...N.map((n, a) => mean(n, S[a])));
      return N.map((n, a) =>
        n ? -Number((n * kl(S[a] / n, best) + Math.log(n)).toFixed(12)) : Infinity);
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
