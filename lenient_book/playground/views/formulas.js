// Pictures of formulas: each a few lines over an axis, and one or two numbers to move.
//
// A picture has `controls`, `drag` (the control that the plot itself moves), `panels`, and
// show(values, given), which says what to draw in each panel and what it means in words.
import { logBinomial, logDensity, logSlope } from "../model/beta.js";
import { kl, scaledKl } from "../model/divergence.js";
import { duel } from "../model/duel.js";
import { upperBound } from "../model/bounds.js";
import { chart } from "./chart.js";
import { h, plain, s, slider } from "./dom.js";

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

export const FORMULAS = {
  "gap-functions": {
    controls: { eps: { ...EPS, max: 0.9 } },
    drag: "eps",
    panels: [{ x: { label: "gap Δ", range: [0, 1], short: "at gap" }, y: { range: [0, 1.05] }, height: 280 }],
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
    drag: "eps",
    panels: [{ x: { label: "level ε", range: [0, 0.7], short: "at level" }, y: {}, height: 280 }],
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
            tall > 11 ? s("text", { x: X(gaps[a]) + 5, y: y + tall / 2 + 4 }, `${names[a]}: ${counts[a]} × ${plain(gaps[a])}`) : null,
          ].filter(Boolean);
        });
      };
      return {
        pictures: [{
          lines: [{ name: "bad plays", colour: INK, width: 1.8, points: stairs }],
          y: { range: [0, most] },
          under: all(bars, shade(0, eps, "var(--paper)", 0.6), upright(eps)),
          extra: dot(eps, height(eps), INK),
        }],
        words: `At ε = ${plain(eps)} the stairs are ${height(eps)} high: so many lunches were bad. The area to the right of it is ${area.toFixed(2)}, the hinge regret.`,
      };
    },
  },

  kinf: {
    controls: { x: { label: "wanted mean x", min: 0.325, max: 0.97, step: 0.005, start: 0.6 } },
    drag: "x",
    panels: [
      { title: "the law ν and the nearest with mean x", x: { label: "reward v", range: [-0.06, 1.06], short: "reward" }, y: { range: [0, 0.7] }, height: 240 },
      { title: "the dual function", x: { label: "λ(1−x)", range: [0, 1], short: "at" }, y: {}, height: 240, still: true },
    ],
    show({ x }, { values, probs }) {
      const phi = (t) => values.reduce((sum, v, i) => sum + probs[i] * Math.log(1 - (t * (v - x)) / (1 - x)), 0);
      const slope = (t) => values.reduce((sum, v, i) => sum - (probs[i] * (v - x)) / (1 - x - t * (v - x)), 0);
      const t = slope(1 - 1e-9) > 0 ? 1 : solve(slope, 0, 1 - 1e-9);
      const weights = values.map((v, i) => probs[i] / (1 - (t * (v - x)) / (1 - x)));
      const atOne = Math.max(0, 1 - weights.reduce((a, b) => a + b, 0));
      const best = phi(Math.min(t, 1 - 1e-12));
      const bars = (X, Y) => values.map((v, i) => s("rect", { x: X(v) - 8, width: 16, y: Y(probs[i]), height: Y(0) - Y(probs[i]), fill: SKY, opacity: 0.75 }));
      const dots = values.map((v, i) => dot(v, weights[i], VERMILLION));
      return {
        pictures: [
          { lines: [], under: all(bars, upright(x, VERMILLION)), extra: all(...dots, dot(1, atOne, VERMILLION)) },
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
    panels: [{ x: { label: "level ε′", range: [0, 0.2], short: "for ε′" }, y: { range: [0, 6] }, height: 260 }],
    show({ best }) {
      const bad = Number((best - 0.3).toFixed(6));
      const known = upperBound([best, bad], 0.2, "indicator");
      const demand = (e) => 1 / kl(bad, best + e);
      const level = solve((e) => demand(e) - known, 0, 0.2);
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
    controls: { eps: { label: "ε", min: 0.005, max: 0.4, step: 0.005, start: 0.1 } },
    panels: [{ x: { label: "gap Δ in units of ε", range: [0, 6], short: "at gap" }, y: { range: [0, 1] }, height: 280 }],
    show({ eps }) {
      const lines = [0.02, 0.1, 0.3, 0.6, 0.8].flatMap((p, k) =>
        p >= 1 - eps ? [] : [{
          name: `p = ${p}`, colour: `color-mix(in srgb, ${HUES[k]} 75%, var(--ink))`,
          points: sample(0.01, Math.min(6, (1 - eps - p) / eps - 1e-6), (u) => scaledKl(p, p + u * eps, eps) / kl(p, Math.min(1, p + u * eps + eps))),
        }]);
      lines.push({ name: "(Δ/(Δ+ε))²", colour: INK, dash: "6 4", points: sample(0, 6, (u) => (u / (1 + u)) ** 2) });
      const forbidden = (X, Y) => [
        s("rect", { x: X(1), width: X(6) - X(1), y: Y(0.25), height: Y(0) - Y(0.25), style: "fill:var(--soft)", opacity: 0.15 }),
        s("text", { x: X(5.9), y: Y(0.25) + 16, "text-anchor": "end" }, "forbidden by the lemma"),
      ];
      return { pictures: [{ lines, under: forbidden }], words: `The ratio of the two divergences for ε = ${plain(eps)}. All curves stay above the dashed one, which passes through ¼ at gap ε.` };
    },
  },

  "x-c": {
    controls: { c: { label: "c", min: 0, max: 20, step: 0.05, start: 0.5 } },
    panels: [{ x: { label: "x", range: [0.08, 0.8], short: "at x" }, y: { range: [0, 1.05] }, height: 280 }],
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
    panels: [{ x: { label: "x", short: "at x" }, y: { range: [-12, 0.5] }, height: 280 }],
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
          x: { range: [mu, 1] },
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
    drag: "x",
    panels: [
      { title: "densities", x: { label: "θ", range: [0, 1], short: "at" }, y: { range: [0, 4] }, height: 250 },
      { title: "the same, logarithmic", x: { label: "θ", range: [0, 1], short: "at" }, y: { kind: "log", range: [1e-5, 20] }, height: 250 },
    ],
    show({ x, f }, { leader, rival }) {
      const worst = [leader[0], leader[1] + f - 1];
      const laws = [["leader, worst state", worst, -1, BLUE, undefined], ["rival", rival, 1, ORANGE, "6 4"]];
      const weights = laws.map(([, [a, b], side]) => {
        const rate = -side * logSlope(x, a, b);
        return rate > 0 ? Math.exp(logDensity(x, a, b)) / rate : Infinity;
      });
      const inside = x < worst[0] / (worst[0] + worst[1]);
      const W = inside ? weights[0] + weights[1] : Infinity;
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
      const text = W < 1 ? `the bound is W = ${W.toFixed(3)}` : "there is no box";
      return {
        pictures: [{ lines, under: upright(x) }, { lines: lines.filter((l) => !l.fill), under: upright(x) }],
        words: `Threshold ${plain(x)}, block of ${f} ${f === 1 ? "failure" : "failures"}: ${text}. The rival is played with probability ${win.toFixed(3)}.`,
      };
    },
  },
};

/** A view for one of the formulas. */
export const formula = (name) => (root, model) => {
  const { controls, drag, panels, show } = FORMULAS[name];
  const given = model.get("given") ?? {};
  const values = {};
  const sliders = {};
  const clamp = ({ min, max, step }, v) =>
    Number(Math.min(max, Math.max(min, Math.round(v / step) * step)).toFixed(6));
  const set = (key, value) => {
    values[key] = clamp(controls[key], value);
    sliders[key].set(values[key]);
    draw();
  };
  for (const [key, control] of Object.entries(controls)) {
    values[key] = model.get(key) ?? control.start;
    sliders[key] = slider({ ...control, value: values[key], input: (v) => set(key, v) });
  }
  const charts = panels.map((panel) => chart({ ...panel, drag: drag && !panel.still ? (v) => set(drag, v) : null }));
  const words = h("p", { class: "words", "aria-live": "polite" });
  root.classList.add("formula");
  root.replaceChildren(
    h("div", { class: "tools" }, Object.values(sliders).map((one) => one.element)),
    h("div", { class: "charts" }, charts.map((one) => one.element)),
    words,
  );
  function draw() {
    const { pictures, words: text } = show(values, given);
    pictures.forEach((picture, k) =>
      charts[k].show({ ...picture, x: { ...panels[k].x, ...picture.x }, words: text }));
    words.textContent = text;
  }
  draw();
};
