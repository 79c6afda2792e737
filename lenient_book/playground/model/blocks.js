// Index policies without visiting every round (chapter 14): blocks in which the leader plays.
import { binomial, roundsUntilFailure, winsBeforeFailure } from "./leap.js";
import { argmax, scores } from "./policies.js";

const LONGEST = 2 ** 32;

/** [f, rounds]: the leader plays until its f-th failure, and for at most so many rounds. */
export function longestBlock(policy, N, S, leader, loss, t) {
  let best = [1, 1];
  // A larger f leaves the rivals less to climb. It doubles while its failures are expected.
  for (let f = 1; f <= 2 ** 31; f *= 2) {
    const most = Math.min(LONGEST, 1 + Math.ceil((2 * f) / Math.max(loss, 1 / (N[leader] + 1))));
    const rounds = Math.min(LONGEST, policy.block(N, S, leader, f, t, most));
    if (!(rounds >= 1) || (f > 1 && loss * rounds < f)) break;
    best = [f, rounds];
  }
  return best;
}

/** Runs of an index policy; play(rng, record) plays one. */
export function blocks(means, policy, horizon) {
  return (rng, record) => {
    const N = means.map(() => 0);
    const S = means.map(() => 0);
    let t = 1;
    while (t <= horizon) {
      const values = scores(policy, N, S, t, rng);
      const arm = argmax(values, rng);
      const alone = values.every((v, a) => a === arm || v < values[arm]);
      const mu = means[arm];
      const [f, most] = alone && N[arm] ? longestBlock(policy, N, S, arm, 1 - mu, t) : [1, 1];
      const left = Math.min(most, horizon - t + 1);
      const until = left > 1 ? roundsUntilFailure(rng, f, mu, left) : 0;
      const rounds = until ? Math.min(until, left) : 1;
      const wins =
        until === 0 ? binomial(rng, 1, mu)
        : until > left ? winsBeforeFailure(rng, f, mu, left)
        : rounds - f;
      record.add(arm, rounds);
      N[arm] += rounds;
      S[arm] += wins;
      t += rounds;
    }
  };
}
