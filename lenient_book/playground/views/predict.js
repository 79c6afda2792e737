// Chapter 9: four scenarios, predicted before they are seen.
import { costs, gapsOf } from "../model/gaps.js";
import { logTimes, runner } from "../model/runs.js";
import { Tally } from "../model/summary.js";
import { armColour, button, h, plain, policyColour, short, tell } from "./dom.js";

const CHOICES = {
  half: "less than half of TS's",
  less: "less, but more than half",
  more: "as much, or more",
};
const RUNS = 600;
const ROUNDS = 5000;

/** Which of the choices a ratio of means is. */
export const kindOf = (ratio) => (ratio < 0.5 ? "half" : ratio < 0.97 ? "less" : "more");

export function predict(root, model) {
  const scenarios = model.get("scenarios") ?? [
    { means: [0.5, 0.2], eps: 0.2 }, { means: [0.9, 0.6], eps: 0.2 },
    { means: [0.5, 0.45, 0.2], eps: 0.2 }, { means: [0.9, 0.85, 0.6], eps: 0.2 },
  ];
  let right = 0;
  let answered = 0;
  const score = h("p", { class: "words", "aria-live": "polite" }, `Guess. Then ${RUNS} runs of each are played.`);
  root.replaceChildren(h("div", { class: "cards" }, scenarios.map(card)), score);

  function card({ means, eps }, k) {
    const gaps = gapsOf(means);
    const bars = h("div", { class: "mini", "aria-hidden": "true" }, means.map((mean, a) =>
      h("i", { style: `height:${100 * mean}%;background:${armColour(a, gaps[a] > eps)}` }, h("span", {}, plain(mean)))));
    const out = h("div", { class: "outcome", "aria-live": "polite" });
    const choices = Object.entries(CHOICES).map(([key, words]) =>
      button(words, () => guess(key), { "data-guess": key }));
    const element = h("section", { class: "card-of-bandit", "aria-label": `means ${means.map(plain).join(", ")}` },
      bars, h("p", {}, `Means ${means.map(plain).join(", ")}, ε = ${plain(eps)}. After 5,000 rounds the hinge regret of ε-TS is, on average …`),
      h("div", { class: "guesses" }, choices), out);

    function guess(key) {
      choices.forEach((b) => {
        b.disabled = true;
        b.hidden = b.dataset.guess !== key;
      });
      out.textContent = "playing …";
      play(means, eps, k, (found) => show(key, found));
    }

    function show(key, found) {
      const ratio = found["ε-TS"].mean / found.TS.mean;
      const truth = kindOf(ratio);
      answered++;
      if (truth === key) right++;
      const most = Math.max(...Object.values(found).map((f) => f.mean));
      out.replaceChildren(
        h("p", { class: truth === key ? "yes" : "no" }, truth === key ? "✓ Right." : `✗ It is ${CHOICES[truth]}.`),
        ...Object.entries(found).map(([name, f]) => h("div", { class: "share" },
          h("i", { style: `width:${(100 * f.mean) / most}%;background:${policyColour(name)}` }),
          h("span", {}, `${name} ${short(f.mean)} ± ${short(f.error, 1)}, worst ${short(f.worst)}`))),
      );
      score.textContent = `${right} of ${answered} predicted.${answered === scenarios.length ? " Which of the four surprised you? The text below says why." : ""}`;
    }
    return element;
  }

  /** Some runs of both, in small portions so that the page stays awake. */
  function play(means, eps, k, done) {
    const times = logTimes(ROUNDS, 2);
    const pulls = new Float64Array(times.length * means.length);
    const work = ["TS", "ε-TS"].map((policy) => ({
      policy, tally: new Tally(times.length, means.length, RUNS), player: runner({ means, eps, policy, seed: 100 + k, times }),
    }));
    let run = 0;
    const portion = () => {
      const end = performance.now() + 12;
      while (run < RUNS && performance.now() < end) {
        for (const { tally, player } of work) {
          player.next(pulls);
          tally.add(pulls);
        }
        run++;
      }
      if (run < RUNS) return setTimeout(portion);
      const paid = costs("hinge", means, eps);
      done(Object.fromEntries(work.map(({ policy, tally }) =>
        [policy, { ...tally.curve(paid).at(-1), worst: tally.ends(paid).at(-1) }])));
    };
    portion();
  }
}
