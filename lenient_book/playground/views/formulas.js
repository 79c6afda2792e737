// Pictures of formulas: each a few lines over an axis, and one or two numbers to move.
//
// A picture has `controls`, `drag` (which of them the plot itself moves: drag(x, y, values, given)
// is the part of the values that a place in the plot stands for), `panels`, a `task`, and
// show(values, given), which says what to draw in each panel and what it means in words.
import { logBinomial, logDensity, logSlope } from "../model/beta.js";
import { kl, scaledKl } from "../model/divergence.js";
import { duel } from "../model/duel.js";
import { upperBound } from "../model/bounds.js";
import { chart } from "./chart.js";
import { h, plain, s, slider, tell } from "./dom.js";
import { tasks } from "./tasks.js";

const HUES = ["#440154", "#3b518b", "#21908c", "#5ac864", "#c5b300"];
const [BLUE, VERMILLION, ORANGE, SKY, PURPLE, INK, SOFT] = [
  "var(--ts)", "var(--eps-ts)", "var(--bad)", "#56b4e9", "var(--eps-kl-ucb)", "var(--ink)", "var(--soft)",
];
const EPS = { label: "ε", min: 0, max: 0.6, step: 0.01, start: 0.2 };

const sample = (from, to, f, points = 120) =>
  Array.from({ length: points + 1 }, (_, i) => {
    const x = from + ((to - from) * i) / points;
    return [x, f(x)];
  }).filter(([, y]) => Number.isFinite(y));

const shade = (from, to, colour, opacity = 0.13) => (X, Y, { top, bottom }) => [
  s("rect", { x: X(from), width: Math.max(0, X(to) - X(from)), y: top, height: bottom - top, style: `fill:${colour}`, opacity }),
];
const upright = (x, colour = INK, dash = "3 3") => (X, Y, { top, bottom }) => [
  s("line", { x1: X(x), x2: X(x), y1: top, y2: bottom, style: `stroke:${colour}`, "stroke-width": 1.4, "stroke-dasharray": dash }),
];
const dot = (x, y, colour, open = false) => (X, Y) => [
  s("circle", { cx: X(x), cy: Y(y), r: 5, style: `fill:${open ? "var(--paper)" : colour};stroke:${colour}`, "stroke-width": 2 }),
];
const all = (...parts) => (...args) => parts.flatMap((part) => part(...args));

/** The x at which a falling or rising function takes a value. */
function solve(f, from, to) {
  const sign = Math.sign(f(from));
  for (let i = 0; i < 60; i++) {
    const middle = (from + to) / 2;
    if (Math.sign(f(middle)) === sign) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}

/** Of all laws with mean x the one nearest to ν, by the dual function Φ and its maximum t. */
function nearestLaw(x, values, probs) {
  const phi = (t) => values.reduce((sum, v, i) => sum + probs[i] * Math.log(1 - (t * (v - x)) / (1 - x)), 0);
  const slope = (t) => values.reduce((sum, v, i) => sum - (probs[i] * (v - x)) / (1 - x - t * (v - x)), 0);
  const t = slope(1 - 1e-9) > 0 ? 1 : solve(slope, 0, 1 - 1e-9);
  const weights = values.map((v, i) => probs[i] / (1 - (t * (v - x)) / (1 - x)));
  const atOne = Math.max(0, 1 - weights.reduce((a, b) => a + b, 0));
  return { phi, t, weights, atOne };
}

/** What ε-TS needs at most on the means best and best − 0.3, and the level it undercuts. */
function undercut(best) {
  const bad = Number((best - 0.3).toFixed(6));
  const known = upperBound([best, bad], 0.2, "indicator");
  const demand = (e) => 1 / kl(bad, best + e);
  return { bad, known, demand, level: solve((e) => demand(e) - known, 0, 0.2) };
}

/** P(Beta(a, b) ≤ x), for whole a and b: at least a of a+b−1 tosses are won. */
function below(x, [a, b]) {
  let sum = 0;
  for (let k = a; k < a + b; k++) sum += Math.exp(logBinomial(k, a + b - 1, x));
  return sum;
}

/** The two laws of a box, the weights of their sides beyond x, and W, their sum. */
function boxOf(x, f, { leader, rival }) {
  const worst = [leader[0], leader[1] + f - 1];
  const laws = [["leader, worst state", worst, -1, BLUE, undefined], ["rival", rival, 1, ORANGE, "6 4"]];
  const weights = laws.map(([, [a, b], side]) => {
    const rate = -side * logSlope(x, a, b);
    return rate > 0 ? Math.exp(logDensity(x, a, b)) / rate : Infinity;
  });
  const inside = x < worst[0] / (worst[0] + worst[1]);
  return { laws, weights, W: inside ? weights[0] + weights[1] : Infinity };
}

const ratioOf = (p, u, eps) => scaledKl(p, p + u * eps, eps) / kl(p, Math.min(1, p + u * eps + eps));
const widest = (p, eps) => Math.min(6, (1 - eps - p) / eps - 1e-6); // the largest gap, in ε

export const FORMULAS = {
  "gap-functions": {
    controls: { eps: { ...EPS, max: 0.9 } },
    drag: (x) => ({ eps: x }),
    task: {
      text: "Let the hinge charge 0.25 for a gap of 0.6.",
      hint: "The hinge charges what exceeds ε.",
      seen: ({ eps }) => Math.abs(0.6 - eps - 0.25) < 1e-9,
    },
    panels: [{ title: "cost f(Δ) of one play", x: { label: "gap Δ", range: [0, 1], short: "at gap" }, y: { range: [0, 1.05] }, height: 280 }],
    show({ eps }) {
      const line = (name, colour, f, more) => ({ name, colour, points: [[eps, f(eps)], ...sample(eps, 1, f, 40)], ...more });
      return {
        pictures: [{
          lines: [
            line("indicator", ORANGE, () => 1, { dash: "8 3 2 3" }),
            line("cutoff", SKY, (d) => d, { width: 5 }),
            line("hinge", PURPLE, (d) => Math.max(d - eps, 0)),
            { name: "standard", colour: INK, dash: "5 4", width: 1.4, points: [[0, 0], [1, 1]] },
            { colour: SOFT, width: 4, points: [[0, 0], [eps, 0]] },
          ],
          under: shade(0, eps, "var(--kl-ucb)"),
          extra: all(dot(eps, 1, ORANGE, true), eps > 0.01 ? dot(eps, eps, SKY, true) : () => [], dot(eps, 0, SOFT)),
        }],
        words: `Gaps up to ε = ${plain(eps)} cost nothing. Beyond, the indicator costs 1, the cut-off the gap itself, the hinge the gap minus ${plain(eps)}.`,
      };
    },
  },

  staircase: {
    controls: { eps: { ...EPS, max: 0.7, step: 0.005 } },
    drag: (x) => ({ eps: x }),
    task: {
      text: "Find the smallest ε with which no lunch was bad.",
      hint: "Where do the stairs reach the ground?",
      seen: ({ eps }, { gaps }) => Math.abs(eps - Math.max(...gaps)) < 0.0026,
    },
    panels: [{ title: "bad plays at this level", x: { label: "level ε", range: [0, 0.7], short: "at level" }, y: {}, height: 280 }],
    show({ eps }, { gaps, counts, names }) {
      const order = gaps.map((g, a) => a).filter((a) => gaps[a] > 0).sort((a, b) => gaps[b] - gaps[a]);
      const height = (e) => order.reduce((sum, a) => sum + (gaps[a] > e ? counts[a] : 0), 0);
      const area = order.reduce((sum, a) => sum + counts[a] * Math.max(gaps[a] - eps, 0), 0);
      const edges = [0, ...[...new Set(order.map((a) => gaps[a]))].sort((a, b) => a - b)];
      const stairs = edges.flatMap((e, i) => [[e, height(e)], [edges[i + 1] ?? 0.7, height(e)]]);
      const most = height(0) * 1.08;
      const bars = (X, Y) => {
        let bottom = 0;
        return order.flatMap((a, k) => {
          const y = Y(bottom + counts[a]);
          const tall = Y(bottom) - y;
          bottom += counts[a];
          return [
            s("rect", { x: X(0), y, width: X(gaps[a]) - X(0), height: tall, style: `fill:${[PURPLE, ORANGE, "var(--kl-ucb)", SKY][k % 4]}`, opacity: 0.5 }),
          ];
        });
      };
      // In its bar, if there is room, or to the right of it.
      const labels = (X, Y) => {
        let bottom = 0;
        return order.flatMap((a) => {
          const middle = (Y(bottom) + Y(bottom + counts[a])) / 2;
          const tall = Y(bottom) - Y(bottom + counts[a]);
          bottom += counts[a];
          const text = `${names[a]}: ${counts[a]} × ${plain(gaps[a])}`;
          const inside = X(gaps[a]) - X(0) > 7 * text.length + 8;
          return tall > 11
            ? [s("text", { class: inside ? "ink" : "halo", x: (inside ? X(0) : X(gaps[a])) + 6, y: middle + 4 }, text)]
            : [];
        });
      };
      return {
        pictures: [{
          lines: [{ name: "bad plays", colour: INK, width: 1.8, points: stairs }],
          y: { range: [0, most] },
          under: all(bars, shade(0, eps, "var(--paper)", 0.6), upright(eps)),
          extra: all(labels, dot(eps, height(eps), INK)),
        }],
        words: `At ε = ${plain(eps)} the stairs are ${height(eps)} high: so many lunches were bad. The area to the right of it is ${area.toFixed(2)}, the hinge regret.`,
      };
    },
  },

  kinf: {
    controls: { x: { label: "wanted mean x", min: 0.325, max: 0.97, step: 0.005, start: 0.6 } },
    drag: (x) => ({ x }),
    task: {
      text: "Find the mean from which on the nearest law has mass at 1.",
      hint: "Watch the maximum of the dual function: it reaches the right end there.",
      seen: ({ x }, { values, probs }) => {
        const [now, before] = [x, x - 0.015].map((m) => nearestLaw(m, values, probs).atOne);
        return now > 1e-4 && before <= 1e-4;
      },
    },
    panels: [
      { title: "the law ν and the nearest with mean x", x: { label: "reward v", range: [-0.06, 1.06], short: "reward" }, y: { range: [0, 0.7] }, height: 240 },
      { title: "the dual function", x: { label: "λ(1−x)", range: [0, 1], short: "at" }, y: {}, height: 240, still: true },
    ],
    show({ x }, { values, probs }) {
      const { phi, t, weights, atOne } = nearestLaw(x, values, probs);
      const best = phi(Math.min(t, 1 - 1e-12));
      const mean = values.reduce((sum, v, i) => sum + v * probs[i], 0);
      const bars = (X, Y) => values.map((v, i) => s("rect", { x: X(v) - 8, width: 16, y: Y(probs[i]), height: Y(0) - Y(probs[i]), fill: SKY, opacity: 0.75 }));
      const dots = values.map((v, i) => dot(v, weights[i], VERMILLION));
      return {
        pictures: [
          { lines: [], under: all(bars, upright(mean, SKY), upright(x, VERMILLION)), extra: all(...dots, dot(1, atOne, VERMILLION)), read: (v) => {
            const [at, before, after] = [...values.map((u, i) => [u, probs[i], weights[i]]), [1, 0, atOne]]
              .reduce((a, b) => (Math.abs(b[0] - v) < Math.abs(a[0] - v) ? b : a));
            return `reward ${plain(at)}: ${before.toFixed(3)} under ν, ${after.toFixed(3)} under the nearest`;
          } },
          {
            lines: [{ name: "Φ", colour: INK, points: sample(0, 0.9999, phi) }],
            y: { range: [Math.min(0, 1.1 * phi(0.9999)), 1.25 * best] },
            extra: dot(t, best, VERMILLION),
          },
        ],
        words: `The nearest law with mean ${plain(x)} is at distance ${best.toFixed(3)}, the maximum of the dual. It has mass ${atOne.toFixed(2)} at 1.`,
      };
    },
  },

  "two-levels": {
    controls: { best: { label: "best mean μ*", min: 0.45, max: 0.799, step: 0.001, start: 0.7 } },
    // of all bandits the one whose crossing is nearest
    drag: (x, y) => {
      const off = (best) => {
        const { level, known } = undercut(best);
        return Math.hypot((level - x) / 0.2, (known - y) / 6);
      };
      let best = 0.45;
      for (let b = 0.45; b < 0.8; b += 0.004) if (off(b) < off(best)) best = b;
      return { best };
    },
    task: {
      text: "Let ε-TS undercut the demand for every level up to 0.15.",
      hint: "Its ceiling is 0.8.",
      seen: ({ best }) => undercut(best).level >= 0.15,
    },
    panels: [{ title: "plays of the bad arm, divided by ln T", x: { label: "level ε′", range: [0, 0.2], short: "for ε′" }, y: { range: [0, 6] }, height: 260 }],
    show({ best }) {
      const { bad, known, demand, level } = undercut(best);
      return {
        pictures: [{
          lines: [
            { name: "demanded for ε′", colour: INK, dash: "6 4", points: sample(0, 0.2, demand) },
            { name: "done by ε-TS, at most", colour: VERMILLION, points: [[0, known], [0.2, known]] },
          ],
          under: shade(0, level, ORANGE, 0.2),
          extra: dot(level, known, VERMILLION),
        }],
        words: `With means ${plain(best)} and ${plain(bad)}, ε-TS needs at most ${known.toFixed(2)} ln T plays, fewer than the lower bound demands for every ε′ below ${level.toFixed(3)}.`,
      };
    },
  },

  comparison: {
    controls: {
      eps: { label: "ε", min: 0.005, max: 0.4, step: 0.005, start: 0.1 },
      p: { label: "p", min: 0.01, max: 0.95, step: 0.01, start: 0.1 },
      u: { label: "Δ/ε", min: 0.05, max: 6, step: 0.05, start: 2 },
    },
    // the gap under the pointer, and of all curves the nearest there
    drag(x, y, { eps }) {
      let best = { p: 0.01, off: Infinity };
      for (let p = 0.01; p <= 0.95; p += 0.01) {
        const off = Math.abs(ratioOf(p, x, eps) - y);
        if (widest(p, eps) >= x && off < best.off - 1e-9) best = { p, off };
      }
      return { u: x, p: best.p };
    },
    task: {
      text: "Bring the point within 0.005 of the dashed curve, at a gap of ε or more.",
      hint: "With small ε all curves settle on it.",
      seen: ({ eps, p, u }) => u >= 1 && u <= widest(p, eps) && ratioOf(p, u, eps) - (u / (1 + u)) ** 2 < 0.005,
    },
    panels: [{ title: "ratio of the two divergences", x: { label: "gap Δ in units of ε", range: [0, 6], short: "at gap" }, y: { range: [0, 1] }, height: 280 }],
    show({ eps, p, u }) {
      const lines = [0.02, 0.1, 0.3, 0.6, 0.8].flatMap((q, k) =>
        q >= 1 - eps ? [] : [{
          name: `p = ${q}`, colour: `color-mix(in srgb, ${HUES[k]} 75%, var(--ink))`, width: 1.6,
          points: sample(0.01, widest(q, eps), (v) => ratioOf(q, v, eps)),
        }]);
      lines.push({ name: "(Δ/(Δ+ε))²", colour: INK, dash: "6 4", points: sample(0, 6, (v) => (v / (1 + v)) ** 2) });
      const forbidden = (X, Y) => [
        s("rect", { x: X(1), width: X(6) - X(1), y: Y(0.25), height: Y(0) - Y(0.25), style: "fill:var(--soft)", opacity: 0.15 }),
        s("text", { x: X(5.9), y: Y(0.25) + 16, "text-anchor": "end" }, "forbidden by the lemma"),
      ];
      const room = p < 1 - eps && u <= widest(p, eps);
      const r = room ? ratioOf(p, u, eps) : 0;
      if (p < 1 - eps) lines.push({ colour: VERMILLION, width: 2.6, points: sample(0.01, widest(p, eps), (v) => ratioOf(p, v, eps)) });
      const [from, to] = [p, p + u * eps].map((v) => plain(v));
      const words = room
        ? `From p = ${from} to q = ${to}, a gap of ${plain(u)} times ε = ${plain(eps)}: the ratio is ${r.toFixed(3)}, and the dashed curve is at ${((u / (1 + u)) ** 2).toFixed(3)}. No curve goes below it; at gap ε it is at ¼.`
        : `With ε = ${plain(eps)} there is no room between p = ${from} and the ceiling for a gap of ${plain(u)} times ε.`;
      return { pictures: [{ lines, under: forbidden, extra: room ? dot(u, r, VERMILLION) : undefined }], words };
    },
  },

  "x-c": {
    controls: { c: { label: "c", min: 0, max: 20, step: 0.05, start: 0.5 } },
    drag: (x, y) => ({ c: 1 / Math.max(y, 0.03) - 1 }),
    task: {
      text: "Cut the curves at half their height.",
      hint: "The height is 1/(1+c).",
      seen: ({ c }) => Math.abs(c - 1) < 1e-9,
    },
    panels: [{ title: "divergence from x to q, over that from p to q", x: { label: "x", range: [0.08, 0.8], short: "at x" }, y: { range: [0, 1.05] }, height: 280 }],
    show({ c }) {
      const [p, eps, level] = [0.1, 0.2, 1 / (1 + c)];
      const lines = [];
      const marks = [];
      [0.3, 0.55, 0.78].forEach((q, k) => {
        const colour = `color-mix(in srgb, ${HUES[1 + k]} 75%, var(--ink))`;
        const f = (x) => scaledKl(x, q, eps) / scaledKl(p, q, eps);
        lines.push({ name: `q = ${q}`, colour, points: sample(p, q, f) }, { colour, dash: "2 3", width: 1.2, points: [[p, 1], [q, 0]] });
        const chord = (p + c * q) / (1 + c);
        marks.push(dot(c ? solve((x) => f(x) - level, p, q) : p, level, colour), (X, Y) => [
          s("line", { x1: X(chord), x2: X(chord), y1: Y(level) - 8, y2: Y(level) + 8, style: `stroke:${colour}`, "stroke-width": 2.5 })]);
      });
      lines.push({ colour: INK, dash: "6 4", width: 1.2, points: [[0.08, level], [0.8, level]] });
      return { pictures: [{ lines, extra: all(...marks) }], words: `For c = ${plain(c)} the curves are cut at height 1/(1+c) = ${level.toFixed(3)}: at the dots, always to the left of the cut through the chord (the bars).` };
    },
  },

  tails: {
    controls: {
      n: { label: "tosses n", min: 2, max: 300, step: 1, start: 10 },
      mu: { label: "μ", min: 0.02, max: 0.9, step: 0.01, start: 0.2 },
    },
    drag: (x) => ({ mu: x }),
    task: {
      text: "Make Hoeffding's bound for x = 1 a million times too large.",
      hint: "Hoeffding forgets how little a coin of small mean varies.",
      seen: ({ n, mu }) => n * (-Math.log(mu) - 2 * (1 - mu) ** 2) >= 6 * Math.LN10,
    },
    panels: [{ title: "log₁₀ of the probability", x: { label: "x", range: [0, 1], short: "at x" }, y: { range: [-12, 0.5] }, height: 280 }],
    show({ n, mu }) {
      const first = Math.ceil(mu * n - 1e-9);
      const exact = [];
      let sum = 0;
      for (let k = n; k >= first; k--) {
        sum += Math.exp(logBinomial(k, n, mu));
        exact.unshift([k / n, Math.log10(sum)]);
      }
      const per = Math.LN10;
      return {
        pictures: [{
          lines: [
            { name: "Hoeffding", colour: ORANGE, dash: "2 3", points: sample(mu, 1, (x) => (-2 * n * (x - mu) ** 2) / per) },
            { name: "Chernoff", colour: BLUE, dash: "6 4", points: sample(mu, 1, (x) => (-n * kl(x, mu)) / per) },
            { name: "exact", colour: INK, points: exact, marks: n <= 40 ? exact : [] },
          ],
          under: upright(mu, VERMILLION),
          extra: all(dot(mu, 0, VERMILLION), (X, Y, { bottom }) => [s("text", { class: "halo", x: X(mu) + 6, y: bottom - 6 }, `μ = ${plain(mu)}`)]),
        }],
        words: `Power of ten of the probability that the mean of ${n} tosses of a coin of mean ${plain(mu)} is at least x: exact, Chernoff's bound above it, Hoeffding's above both.`,
      };
    },
  },

  "leap-box": {
    controls: {
      x: { label: "threshold x", min: 0.1, max: 0.6, step: 0.005, start: 0.38 },
      f: { label: "failures f", min: 1, max: 15, step: 1, start: 1 },
    },
    drag: (x) => ({ x }),
    task: {
      text: "Find a box for blocks of 10 failures whose W is at most 0.21.",
      hint: "The leader may fall lower during a longer block: so must the threshold.",
      seen: ({ x, f }, given) => f >= 10 && boxOf(x, f, given).W <= 0.21,
    },
    panels: [
      { title: "densities", x: { label: "θ", range: [0, 1], short: "at" }, y: { range: [0, 4] }, height: 250 },
      { title: "the same, logarithmic", x: { label: "θ", range: [0, 1], short: "at" }, y: { kind: "log", range: [1e-5, 20] }, height: 250 },
    ],
    show({ x, f }, { leader, rival }) {
      const { laws, weights, W } = boxOf(x, f, { leader, rival });
      const lines = laws.flatMap(([name, [a, b], side, colour, dash], k) => {
        const density = (u) => Math.exp(logDensity(u, a, b));
        const [from, to] = side > 0 ? [x, 0.998] : [0.002, x];
        const height = logDensity(x, a, b);
        const tangent = (u) => Math.exp(height + logSlope(x, a, b) * (u - x));
        const wrong = sample(from, to, density, 60);
        return [
          { name, colour, dash, points: sample(0.002, 0.998, density) },
          { colour, width: 0.1, points: wrong, band: wrong.map(([, y]) => [0, y]), fill: true },
          ...(Number.isFinite(weights[k]) ? [{ colour: INK, dash: "2 3", width: 1.4, points: sample(from, to, tangent, 40) }] : []),
        ];
      });
      const [win] = duel(rival[0], rival[1], leader[0], leader[1]);
      const outside = 1 - (1 - below(x, leader)) * below(x, rival);
      const text = W < 1 ? `the bound is W = ${W.toFixed(3)}` : "there is no box";
      return {
        pictures: [{ lines, under: upright(x) }, { lines: lines.filter((l) => !l.fill), under: upright(x) }],
        words: `Threshold ${plain(x)}, block of ${f} ${f === 1 ? "failure" : "failures"}: ${text}. A draw is on the wrong side with probability ${outside.toFixed(3)}, and the rival is played with ${win.toFixed(3)}.`,
      };
    },
  },
};

/** A view for one of the formulas. */
export const formula = (name) => (root, model) => {
  const { controls, drag, panels, show, task } = FORMULAS[name];
  const given = model.get("given") ?? {};
  const values = {};
  const sliders = {};
  const clamp = ({ min, max, step }, v) =>
    Number(Math.min(max, Math.max(min, Math.round(v / step) * step)).toFixed(6));
  const set = (part) => {
    for (const [key, value] of Object.entries(part)) {
      values[key] = clamp(controls[key], value);
      sliders[key].set(values[key]);
    }
    draw();
    todo.look("seen", values, given);
  };
  for (const [key, control] of Object.entries(controls)) {
    values[key] = model.get(key) ?? control.start;
    sliders[key] = slider({ ...control, value: values[key], input: (v) => set({ [key]: v }) });
  }
  const charts = panels.map((panel) =>
    chart({ ...panel, drag: drag && !panel.still ? (x, y) => set(drag(x, y, values, given)) : null }));
  const words = h("p", { class: "words", "aria-live": "polite" });
  const todo = tasks([task]);
  root.classList.add("formula");
  root.replaceChildren(
    h("div", { class: "tools" }, Object.values(sliders).map((one) => one.element)),
    h("div", { class: "charts" }, charts.map((one) => one.element)),
    words, todo.element,
  );
  function draw() {
    const { pictures, words: text } = show(values, given);
    pictures.forEach((picture, k) =>
      charts[k].show({ ...picture, x: { ...panels[k].x, ...picture.x }, words: text }));
    tell(words, text);
  }
  draw();
};
