// Things to find out, recognised when they are done.
import { boundsThatApply } from "../model/bounds.js";
import { costs, gapsOf } from "../model/gaps.js";
import { quantile } from "../model/summary.js";
import { h, tell } from "./dom.js";

/** Mean, error, median and worst of a policy in many runs, by a gap function. */
function outcome({ setting, of }, policy, gap) {
  const tally = of[policy];
  if (!tally?.runs) return null;
  const paid = costs(gap, setting.means, setting.eps);
  const ends = tally.ends(paid);
  return { ...tally.curve(paid).at(-1), median: quantile(ends, 0.5), worst: ends.at(-1), runs: tally.runs };
}

function loses(result, gap) {
  const lenient = outcome(result, "ε-TS", gap);
  const usual = outcome(result, "TS", gap);
  if (!lenient || !usual || lenient.runs < 1000) return false;
  return lenient.mean - usual.mean > 2 * Math.hypot(lenient.error, usual.error);
}

const strict = (gap) => (gap === "standard" ? "hinge" : gap);

/** `played(game, setting)` is asked while one run is played, `ran(result)` after many. */
export const TASKS = [
  {
    text: "Make TS and ε-TS do the same for 200 lunches.",
    hint: "What does ε-TS become when nothing is forgiven?",
    played(game, { policies }) {
      if (game.t < 200 || !policies.includes("TS") || !policies.includes("ε-TS")) return false;
      const [ts, eps] = ["TS", "ε-TS"].map((name) => game.players.find((p) => p.name === name).plays);
      return ts.slice(0, 200).every((arm, t) => arm === eps[t]);
    },
  },
  {
    text: "Make ε-TS stop learning: no bad lunch among its last 500, though the street has a bad restaurant.",
    hint: "Give the best restaurant a mean above the ceiling 1−ε.",
    played(game, { means, eps }) {
      const player = game.players.find((p) => p.name === "ε-TS");
      if (!player || game.t < 600) return false;
      const bad = gapsOf(means).map((gap) => gap > eps);
      return bad.some(Boolean) && !player.plays.slice(-500).some((arm) => bad[arm]);
    },
  },
  {
    text: "Make ε-TS lose to TS on the standard regret, by more than two standard errors of 1,000 runs.",
    hint: "A second-best restaurant above the ceiling is good enough for ever.",
    ran: (result) => loses(result, "standard"),
  },
  {
    text: "Find a street on which the worst of 1,000 runs of ε-TS is 100 times its median run (lenient regret).",
    hint: "A very good restaurant and one just beyond ε: 0.95 and 0.74, with ε = 0.2.",
    ran(result) {
      const found = outcome(result, "ε-TS", strict(result.setting.gap));
      return found && found.runs >= 1000 && found.median > 0 && found.worst >= 100 * found.median;
    },
  },
  {
    text: "Make ε-TS lose by its own criterion: its mean lenient regret above that of TS by two standard errors, although both lenient bounds are 0.",
    hint: "A bound of 0 says that regret stops growing, not that it is small. Take 5,000 runs of 0.95 and 0.74.",
    ran(result) {
      const { means, eps, policies, gap } = result.setting;
      const bounds = boundsThatApply(means, eps, strict(gap), policies);
      return bounds["upper bound"] === 0 && bounds["lower bound"] === 0 && loses(result, strict(gap));
    },
  },
];

/**
 * A list of tasks { text, hint, … }, each with questions whether it is done: look("ran", result)
 * asks those that have `ran`. What was done once stays done.
 */
export function tasks(list, heading) {
  const done = new Set();
  const coloured = (text) => {
    const line = h("p");
    tell(line, text);
    return line;
  };
  const items = list.map(({ text, hint }, i) =>
    h("li", { "data-task": i }, h("span", { class: "tick-box", "aria-hidden": "true" }), h("div", {}, coloured(text),
      h("details", {}, h("summary", {}, "a hint"), coloured(hint)))));
  const score = h("span", {});
  const said = h("p", { class: "told", "aria-live": "polite" });
  const count = () => (score.textContent = `${done.size} of ${list.length}`);
  const element = h("section", { class: "tasks", "aria-label": "Tasks" },
    heading ? h("h4", {}, heading, " ", score) : null, h("ol", {}, items), said);
  count();
  function mark(i) {
    done.add(i);
    items[i].classList.add("done");
    items[i].setAttribute("aria-label", `done: ${list[i].text}`);
    count();
    said.textContent = `Done: ${list[i].text}`;
  }
  return {
    element,
    look: (how, ...seen) =>
      list.forEach((task, i) => !done.has(i) && task[how]?.(...seen) && mark(i)),
  };
}
