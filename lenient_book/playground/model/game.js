// One run that is watched: several policies beside each other, on the same luck.
import { argmax, POLICIES, scores } from "./policies.js";
import { luck, Rng } from "./rng.js";

export class Game {
  constructor({ means, eps, policies, seed }) {
    this.means = means;
    this.seed = seed;
    this.t = 0;
    this.players = policies.map((name) => ({
      name,
      policy: POLICIES[name](eps),
      rng: new Rng(seed), // the same for all: with ε = 0, ε-TS is TS
      N: means.map(() => 0),
      S: means.map(() => 0),
      plays: [], // the arm of each round
      scores: null, // of the last round
      arm: -1,
      won: false,
    }));
  }

  /** One round of each policy. The n-th play of an arm gives all of them the same. */
  step() {
    this.t++;
    for (const player of this.players) {
      const { N, S, rng } = player;
      player.scores = scores(player.policy, N, S, this.t, rng);
      const arm = argmax(player.scores, rng);
      player.arm = arm;
      player.won = luck(this.seed, arm, N[arm]) < this.means[arm];
      N[arm]++;
      if (player.won) S[arm]++;
      player.plays.push(arm);
    }
  }
}

/** The regret of a sequence of plays at some of its rounds: [[t, regret], …]. */
export function regretOf(plays, costs, points = 240) {
  const stride = Math.max(1, Math.floor(plays.length / points));
  const path = [[0, 0]];
  let total = 0;
  for (let t = 1; t <= plays.length; t++) {
    total += costs[plays[t - 1]];
    if (t % stride === 0 || t === plays.length) path.push([t, total]);
  }
  return path;
}
