// Chapter 8: one run of 10¹² rounds on a logarithmic time axis, leapt.
import { boundsThatApply } from "../model/bounds.js";
import { ceiling } from "../model/exact.js";
import { costs } from "../model/gaps.js";
import { Leap } from "../model/leap.js";
import { Rng } from "../model/rng.js";
import { chart } from "./chart.js";
import { button, calm, h, menu, policyColour, power, s, short, tell } from "./dom.js";
import { BOUND_LOOK, boundName } from "./many.js";
import { tasks } from "./tasks.js";

const HORIZON = 1e12;
const SECONDS = 6;
const TASKS = [{
  text: "Find a run in which ε-TS plays the bad arm for the last time before round 100, and TS still after a thousand million.",
  hint: "On which of these streets does ε-TS stop learning?",
  ended: ({ TS, "ε-TS": lenient }) =>
    (lenient.events.at(-1)?.[0] ?? 0) < 100 && (TS.events.at(-1)?.[0] ?? 0) > 1e9,
}];
const POLICY_NAMES = ["TS", "ε-TS"];

/** The rounds in which something was paid, and the regret after each: [[t, regret], …]. */
export function payments(means, eps, policy, seed, paid, horizon = HORIZON) {
  const leap = new Leap(means, ceiling(policy === "ε-TS" ? eps : 0), new Rng(seed));
  const events = [];
  let t = 0;
  let regret = 0;
  let visits = 0;
  leap.run(horizon, (arm, rounds) => {
    visits++;
    t += rounds;
    if (!paid[arm]) return;
    regret += rounds * paid[arm];
    events.push([t, regret]);
  });
  return { events, visits, N: leap.arms.map((arm) => arm.N) };
}

export function longRun(root, model) {
  const eps = model.get("eps") ?? 0.2;
  let means = model.get("means") ?? [0.5, 0.2];
  let seed = model.get("seed") ?? 3;
  let runs = {};
  let shown = HORIZON;
  let going = 0;
  const STREETS = { "0.5,0.2": "0.5 and 0.2", "0.7,0.4": "0.7 and 0.4", "0.9,0.6": "0.9 and 0.6" };
  const picture = chart({ title: "hinge regret of one run", x: { label: "round t (log scale)", kind: "log", range: [1, HORIZON], short: "round" }, y: {}, height: 300 });
  const said = h("p", { class: "words", "aria-live": "polite" });
  const bandit = menu({
    label: "arms", choices: STREETS, value: means.join(),
    input: (text) => {
      means = text.split(",").map(Number);
      leap();
    },
  });
  const todo = tasks(TASKS);
  root.replaceChildren(
    h("div", { class: "tools" }, button("Leap to 10¹²", () => leap(), { class: "main" }), bandit.element,
      button("Another run", () => { seed++; leap(); })),
    picture.element, said, todo.element,
  );

  function compute() {
    const paid = costs("hinge", means, eps);
    const start = performance.now();
    runs = Object.fromEntries(POLICY_NAMES.map((name) => [name, payments(means, eps, name, seed, paid)]));
    runs.took = performance.now() - start;
  }

  function draw() {
    const bounds = boundsThatApply(means, eps, "hinge", POLICY_NAMES);
    let highest = 1;
    const lines = POLICY_NAMES.map((name) => {
      const events = runs[name].events.filter(([t]) => t <= shown);
      const points = [[1, 0]];
      let before = 0;
      for (const [t, regret] of events) {
        points.push([t, before], [t, regret]);
        before = regret;
      }
      points.push([shown, before]);
      highest = Math.max(highest, runs[name].events.at(-1)?.[1] ?? 0);
      return { name, colour: policyColour(name), points };
    });
    for (const [name, c] of Object.entries(bounds)) {
      highest = Math.max(highest, c * Math.log(HORIZON));
      lines.push({ name: boundName(name, c), ...BOUND_LOOK[name], points: [[1, 0], [HORIZON, c * Math.log(HORIZON)]] });
    }
    // Below the curves: a stroke for every play of the bad arm.
    const strokes = (X, Y, { bottom }) => POLICY_NAMES.flatMap((name, k) =>
      runs[name].events.filter(([t]) => t <= shown).map(([t]) =>
        s("line", { x1: X(t), x2: X(t), y1: bottom - 3 - 12 * k, y2: bottom - 12 - 12 * k, style: `stroke:${policyColour(name)}`, "stroke-width": 1.4, opacity: 0.8 })));
    picture.show({ lines, y: { range: [-0.13 * highest, 1.1 * highest] }, x: { range: [1, HORIZON] }, under: strokes,
      words: "Hinge regret of one run of TS and one of ε-TS over the logarithm of the round, with the bounds as straight lines; a stroke below marks each play of the bad arm." });
  }

  function leap() {
    const mine = ++going;
    compute();
    const end = () => {
      shown = HORIZON;
      draw();
      todo.look("ended", runs);
      const parts = POLICY_NAMES.map((name) => {
        const { N, events } = runs[name];
        const last = events.at(-1)?.[0];
        return `${name} played the bad arm ${short(N[1])} times${last ? `, the last time in round ${last < 1e4 ? last : power(last)}` : ""}`;
      });
      tell(said, `10¹² rounds each, computed in ${Math.max(1, Math.round(runs.took))} ms by visiting ${short(runs.TS.visits)} and ${short(runs["ε-TS"].visits)} of them. ${parts.join("; ")}.`);
    };
    if (calm()) return end();
    let start = 0;
    const frame = (now) => {
      if (mine !== going || !root.isConnected) return;
      start ||= now;
      const part = Math.min(1, (now - start) / 1000 / SECONDS);
      shown = Math.max(1, 10 ** (12 * part));
      if (part === 1) return end();
      const words = `round ${power(10 ** Math.floor(12 * part))} …`;
      if (said.textContent !== words) said.textContent = words;
      draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  compute();
  shown = 1000; // the rest is for the reader to guess
  draw();
  said.textContent = "A thousand rounds of each policy. A stroke below is a play of the bad arm. How many more will there be up to 10¹²?";
}
