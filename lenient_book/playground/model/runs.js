// Many runs: pull counts at given times, the one thing from which all regrets follow.
import { blocks } from "./blocks.js";
import { Duel } from "./duel.js";
import { ceiling, compare, exceeds, floorRatio } from "./exact.js";
import { Leap } from "./leap.js";
import { POLICIES } from "./policies.js";
import { Rng } from "./rng.js";

/** At most `count` times evenly spaced in ln t, from 1 to the horizon. */
export function logTimes(horizon, count = 60) {
  const times = new Set();
  for (let i = 0; i < count; i++)
    times.add(Math.round(Math.exp((Math.log(horizon) * i) / Math.max(count - 1, 1))));
  times.delete(0);
  times.add(horizon);
  return [...times].sort((a, b) => a - b);
}

/** Writes down, at each of the times, how often each arm was played. */
class Record {
  constructor(times, arms) {
    this.times = times;
    this.arms = arms;
    this.N = new Float64Array(arms);
  }
  begin(pulls) {
    this.pulls = pulls;
    this.row = 0;
    this.t = 0;
    this.N.fill(0);
  }
  add(arm, rounds) {
    const { times, arms, N } = this;
    const end = this.t + rounds;
    while (this.row < times.length && times[this.row] <= end) {
      const at = this.row * arms;
      for (let a = 0; a < arms; a++) this.pulls[at + a] = N[a];
      this.pulls[at + arm] += times[this.row] - this.t;
      this.row++;
    }
    N[arm] += rounds;
    this.t = end;
  }
}

/** Plays runs one after the other; each call of `next(pulls)` fills in times × arms counts. */
export function runner({ means, policy, eps, seed, times }) {
  const horizon = times[times.length - 1];
  const record = new Record(times, means.length);
  const lenient = policy === "ε-TS" ? eps : 0;
  const play =
    policy !== "TS" && policy !== "ε-TS"
      ? blocks(means, POLICIES[policy](eps), horizon)
      : means.length === 2
        ? duelling(means, ceiling(lenient), horizon)
        : leaping(means, ceiling(lenient), horizon);
  let run = 0;
  return {
    next(pulls) {
      record.begin(pulls);
      play(new Rng(seed, run++), record);
    },
  };
}

function leaping(means, top, horizon) {
  return (rng, record) => {
    new Leap(means, top, rng).run(horizon, (arm, rounds) => record.add(arm, rounds));
  };
}

// When a duel is left to the leaps: one arm leads clearly, or is above 1−ε for long.
const DECIDED = 0.002;
const LONG = 60;

function duelling(means, top, horizon) {
  const state = new Duel();
  const N = [0, 0];
  const S = [0, 0];
  /** Play an arm once; 1 if that won. */
  const play = (arm, rng, record) => {
    record.add(arm, 1);
    N[arm]++;
    const won = rng.random() < means[arm] ? 1 : 0;
    S[arm] += won;
    return won;
  };
  const sure = (arm) => exceeds(S[arm], top, N[arm]);
  const alpha = (arm) => floorRatio(S[arm], top) + 1;

  /** Rounds in which an arm is above 1−ε; whether none is at the end. */
  const aboveCeiling = (rng, record) => {
    for (let i = 0; i < LONG && record.t < horizon; i++) {
      const [first, second] = [sure(0), sure(1)];
      if (!first && !second) return true;
      const order = first && second ? compare(S[0], N[0], S[1], N[1]) : first ? 1 : -1;
      play(order > 0 || (order === 0 && rng.random() < 0.5) ? 0 : 1, rng, record);
    }
    return false;
  };

  return (rng, record) => {
    N.fill(0);
    S.fill(0);
    state.set(1, 1, 1, 1);
    while (record.t < horizon && state.h > DECIDED && state.h < 1 - DECIDED) {
      const arm = rng.random() < state.h ? 0 : 1;
      const won = play(arm, rng, record);
      if (won && sure(arm)) {
        if (!aboveCeiling(rng, record)) break;
        const [a, c] = [alpha(0), alpha(1)];
        state.set(a, N[0] + 2 - a, c, N[1] + 2 - c);
      } else if (!won) {
        if (arm === 0) state.bUp();
        else state.dUp();
      } else {
        // ⌊S/(1−ε)⌋ grows by one or more, and the rest of N is beta
        const up = alpha(arm);
        const rest = N[arm] + 2 - up;
        if (arm === 0) {
          while (state.b > rest) state.bDown();
          while (state.a < up) state.aUp();
        } else {
          while (state.d > rest) state.dDown();
          while (state.c < up) state.cUp();
        }
      }
    }
    if (record.t === horizon) return;
    const leap = new Leap(means, top, rng);
    leap.set(N, S, record.t);
    leap.run(horizon, (which, rounds) => record.add(which, rounds));
  };
}
