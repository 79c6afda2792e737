// Many runs, in a worker: curves, shares and the law of the end, while it computes.
import { boundsThatApply } from "../model/bounds.js";
import { costs, gapsOf } from "../model/gaps.js";
import { logTimes } from "../model/runs.js";
import { quantile, Tally, tailOf } from "../model/summary.js";
import { playAll } from "../model/worker.js";
import { chart } from "./chart.js";
import { armColour, button, h, letter, menu, policyColour, policyDash, power, short, tell } from "./dom.js";
/* global lenientModel: all of the model as one function, made where the files are joined */

export const BOUND_LOOK = {
  "lower bound": { colour: "var(--ink)", dash: "6 4", width: 1.4 },
  "upper bound": { colour: "var(--ink)", dash: "2 3", width: 1.4 },
  "standard bound": { colour: "var(--soft)", dash: "8 3 2 3", width: 1.4 },
};
export const boundName = (name, c) => (c ? `${name} ${short(c)} ln t` : `${name} 0`);
const FRAME = 200; // milliseconds between two pictures

/** Start the work somewhere else; a function that stops it. */
function begin(task, hear) {
  try {
    const source = `(${lenientModel})().serve(self)`;
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.onmessage = ({ data }) => hear(data);
    worker.postMessage(task);
    return () => {
      worker.terminate();
      URL.revokeObjectURL(address);
    };
  } catch {
    // no workers here: in small portions, so that the page stays awake
    const work = playAll(task, hear);
    let stopped = false;
    const portion = () => {
      const end = performance.now() + 15;
      while (performance.now() < end) if (work.next().done) return;
      if (!stopped) setTimeout(portion);
    };
    portion();
    return () => (stopped = true);
  }
}

/** get() is the setting, set(part) changes it; done(results) is told what came out. */
export function many({ get, set, done }) {
  let stop = null;
  let todo = []; // what is still to be drawn
  let result = null; // { setting, times, of: {policy: Tally} }
  let due = 0;

  const runs = menu({
    label: "runs", value: get().runs,
    choices: { 100: "100", 1000: "1,000", 5000: "5,000" },
    input: (v) => set({ runs: Number(v) }),
  });
  const rounds = menu({
    label: "lunches each", value: get().horizon,
    choices: { 1000: "1,000", 5000: "5,000", 100000: "100,000", 1000000: "10⁶", 1000000000: "10⁹" },
    input: (v) => set({ horizon: Number(v) }),
  });
  const go = button("Play them", () => (stop ? cancel("stopped") : play()), { class: "main go" });
  const bar = h("progress", { max: 1, value: 0, "aria-label": "runs that are done" });
  const words = h("p", { class: "words", "aria-live": "polite" });
  const lenient = chart({ x: { label: "lunch t (log scale)", kind: "log", short: "at lunch" }, y: {}, height: 220 });
  const standard = chart({ title: "standard regret, mean of the runs", x: { label: "lunch t (log scale)", kind: "log", short: "at lunch" }, y: {}, height: 220 });
  const law = chart({
    title: "share of runs that end with at least this regret",
    x: { label: "regret at the end (log scale from 1 on)", kind: "symlog", short: "at least" },
    y: { kind: "log" }, height: 220,
  });
  const share = h("div", { class: "share-table" });
  const shareBox = h("figure", { class: "chart-box" }, h("p", { class: "chart-title" }, "share of the lunches, by restaurant"), share);
  const pictures = h("div", { class: "charts", hidden: true }, lenient.element, standard.element, law.element, shareBox);
  const element = h(
    "section",
    { class: "many", "aria-label": "Many runs" },
    h("h4", {}, "One run is an anecdote. Play many"),
    h("div", { class: "tools" }, runs.element, rounds.element, go, bar),
    words, pictures,
  );

  function play() {
    const setting = structuredClone(get());
    const { policies } = setting;
    const times = logTimes(setting.horizon, 60);
    result = { setting, times, of: {}, seconds: 0 };
    for (const name of policies)
      result.of[name] = new Tally(times.length, setting.means.length, setting.runs);
    const start = performance.now();
    go.textContent = "Stop";
    bar.value = 0;
    element.setAttribute("aria-busy", "true");
    pictures.hidden = false;
    stop = begin({ ...setting, times }, (message) => {
      if (!stop) return;
      if (message.done) {
        result.seconds = (performance.now() - start) / 1000;
        cancel();
        draw(() => {
          report();
          done(result);
        });
        return;
      }
      result.of[message.policy].add(message.pulls);
      bar.value = Object.values(result.of).reduce((sum, o) => sum + o.runs, 0) / (setting.runs * policies.length);
      if (performance.now() > due) {
        draw();
        due = performance.now() + FRAME;
      }
    });
  }

  function cancel(why) {
    stop?.();
    stop = null;
    go.textContent = "Play them";
    element.removeAttribute("aria-busy");
    if (why) words.textContent = `Stopped after ${short(Math.min(...Object.values(result.of).map((o) => o.runs)))} runs.`;
  }

  /** All four pictures of what is there, one after the other, so that no frame is late. */
  function draw(then) {
    if (!result) return;
    const waiting = todo.length;
    todo = [...pictured, ...(then ? [then] : todo.filter((part) => !pictured.includes(part)))];
    if (!waiting) next();
  }

  function next() {
    todo.shift()();
    if (todo.length) setTimeout(() => todo.length && next());
  }

  const lenientName = () => (get().gap === "standard" ? "hinge" : get().gap);
  const pictured = [
    () => {
      lenient.heading.textContent = `lenient regret (${lenientName()}), mean of the runs`;
      curves(lenient, lenientName());
    },
    () => curves(standard, "standard"),
    () => tails(),
    () => shares(),
  ];

  function tails() {
    const { means, eps } = result.setting;
    const { gap } = get();
    const paid = costs(gap, means, eps);
    law.heading.textContent = `share of runs that end with at least this ${gap} regret`;
    const lines = [];
    let most = 1;
    let least = 1;
    for (const [policy, tally] of Object.entries(result.of)) {
      const n = tally.runs;
      if (!n) continue;
      const ends = tally.ends(paid);
      const mean = ends.reduce((a, b) => a + b, 0) / n;
      const steps = tailOf(ends);
      most = Math.max(most, ends[n - 1]);
      least = Math.min(least, 1 / n);
      const above = steps.find(([v]) => v >= mean) ?? steps.at(-1);
      lines.push({ name: policy, colour: policyColour(policy), dash: policyDash(policy), points: [[0, 1], ...steps], step: true, marks: [[mean, above[1]]] });
    }
    law.show({
      lines, x: { range: [0, most * 1.1] }, y: { range: [least * 0.8, 1.3] },
      words: "The law of the final regret: for each amount, the share of runs with at least so much; the mean is marked.",
    });
  }

  function curves(picture, gap) {
    const { setting: { means, eps, policies }, times } = result;
    const paid = costs(gap, means, eps);
    const lines = [];
    let highest = 0.1;
    for (const [policy, tally] of Object.entries(result.of)) {
      if (!tally.runs) continue;
      const curve = tally.curve(paid);
      highest = Math.max(highest, ...curve.map(({ mean, error }) => mean + 2 * error));
      lines.push({
        name: policy, colour: policyColour(policy), dash: policyDash(policy),
        points: curve.map(({ mean }, i) => [times[i], mean]),
        band: curve.map(({ mean, error }) => [mean - 2 * error, mean + 2 * error]),
      });
    }
    const bounds = boundsThatApply(means, eps, gap, policies);
    for (const [name, c] of Object.entries(bounds))
      lines.push({
        name: boundName(name, c), ...BOUND_LOOK[name],
        points: times.map((t) => [t, c * Math.log(t)]),
      });
    picture.show({ lines, x: { range: [1, times.at(-1)] }, y: { range: [0, highest * 1.12] } });
  }

  function shares() {
    const { setting: { means, eps }, times } = result;
    const gaps = gapsOf(means);
    const rows = means.map((mean, a) => {
      const bars = Object.entries(result.of).map(([policy, tally]) => {
        const part = tally.runs ? tally.plays(a) / times.at(-1) : 0;
        return h("div", { class: "share" }, h("i", { style: `width:calc((100% - 4em) * ${part.toFixed(4)});background:${policyColour(policy)}` }), h("span", {}, `${short(100 * part, 2)} %`));
      });
      return h("div", { class: "share-row" }, h("b", { style: `--arm:${armColour(a, gaps[a] > eps)}` }, letter(a)), h("div", {}, bars));
    });
    share.replaceChildren(...rows);
  }

  /** The result in words. */
  function report() {
    const { setting, of } = result;
    const { means, eps, gap, runs: n, horizon } = setting;
    const paid = costs(gap, means, eps);
    const each = Object.entries(of).map(([policy, tally]) => {
      const { mean, error } = tally.curve(paid).at(-1);
      const ends = tally.ends(paid);
      return `${policy} ${short(mean)} ± ${short(error, 2)} (median ${short(quantile(ends, 0.5))}, worst ${short(ends[n - 1])})`;
    });
    const rounds = horizon >= 1e6 ? power(horizon) : horizon.toLocaleString("en");
    tell(words, `Mean ${gap} regret after ${rounds} lunches, ${n.toLocaleString("en")} runs in ${result.seconds.toFixed(1)} s: ${each.join("; ")}.`);
  }

  return {
    element, draw, play, cancel,
    update() {
      const { runs: n, horizon } = get();
      for (const [what, value] of [[runs, n], [rounds, horizon]]) {
        const known = [...what.select.options].some((o) => o.value === String(value));
        if (!known) what.select.append(h("option", { value }, value.toLocaleString("en")));
        what.set(String(value));
      }
      draw();
    },
    forget() {
      cancel();
      todo = [];
      result = null;
      pictures.hidden = true;
      words.textContent = "";
    },
    get result() {
      return result;
    },
  };
}
