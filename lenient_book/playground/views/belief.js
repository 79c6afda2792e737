// Chapter 4: one arm's belief, as rewards are clicked in and ε is dragged.
import { ceiling } from "../model/exact.js";
import { belief } from "../model/policies.js";
import { moments } from "../model/beta.js";
import { hill, outline } from "./beliefs.js";
import { button, drag, h, keys, plain, redraw, s, slider, tell } from "./dom.js";
import { tasks } from "./tasks.js";

const TASKS = [
  {
    text: "Take all doubt away: make the belief of ε-TS a single point.",
    hint: "More good lunches, or a lower ceiling: the mean must be above it.",
    believed: ({ sure }) => sure !== undefined,
  },
  {
    text: "Bring the mean exactly to the ceiling. Is there a doubt?",
    hint: "4 good lunches of 5, and ε = 0.2.",
    believed: (belief, S, N, top) => belief.sure === undefined && S > 0 && S * top.q === N * top.p,
  },
];
const HEIGHT = 250;
const BASE = 208;
const TALL = 170;

export function beliefOfOneArm(root, model) {
  let eps = model.get("eps") ?? 0.2;
  let rewards = (model.get("given")?.rewards ?? [1, 1, 0, 1]).slice(0, model.get("n") ?? 4);
  const svg = s("svg", { role: "img" });
  const said = h("p", { class: "words", "aria-live": "polite" });
  const history = h("p", { class: "plates wide" });
  const forgive = slider({ label: "ε", min: 0, max: 0.7, step: 0.01, value: eps, input: (v) => set(v) });
  const add = (reward) => {
    rewards.push(reward);
    draw();
  };
  const todo = tasks(TASKS);
  root.replaceChildren(
    h("div", { class: "tools" },
      button("a good lunch", () => add(1), { class: "main" }), button("a bad lunch", () => add(0)),
      button("take one back", () => { rewards.pop(); draw(); }), button("start again", () => { rewards = []; draw(); }),
      forgive.element),
    history, svg, said, todo.element,
  );
  // The ceiling itself can be dragged.
  const line = s("line", { class: "ceiling" });
  const knob = s("circle", { class: "enough-knob", r: 8 });
  const grip = s("g", { class: "band side", tabindex: 0, role: "slider", "aria-label": "ceiling 1−ε", "aria-valuemin": 0.3, "aria-valuemax": 1 }, line, s("rect", { class: "hold", fill: "transparent", width: 44, y: 0, height: HEIGHT }), knob);
  const curves = s("g");
  svg.append(curves, grip);
  let width = 600;
  let touched = false; // the start is nobody's doing
  const x = (v) => 10 + (width - 20) * v;
  drag(svg, grip, (px) => set(1 - (px - 10) / (width - 20)));
  keys(grip, { get: () => 1 - eps, set: (v) => set(1 - v), min: 0.3 });

  function set(value) {
    eps = Number(Math.min(0.7, Math.max(0, value)).toFixed(2));
    forgive.set(eps);
    draw();
  }

  function draw() {
    width = Math.max(260, svg.clientWidth || 600);
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.setAttribute("height", HEIGHT);
    const N = rewards.length;
    const S = rewards.reduce((a, b) => a + b, 0);
    const top = ceiling(eps);
    const parts = [
      s("rect", { class: "beyond", x: x(top.value), width: x(1) - x(top.value), y: 10, height: BASE - 10 }),
      s("line", { class: "axis", x1: x(0), x2: x(1), y1: BASE, y2: BASE }),
      ...[0, 0.25, 0.5, 0.75, 1].map((v) => s("text", { x: x(v), y: BASE + 34, "text-anchor": v ? (v === 1 ? "end" : "middle") : "start" }, String(v))),
    ];
    const paint = (law, colour, dash) =>
      hill(outline(law, 120), x, (y) => BASE - y * TALL, colour, dash);
    const usual = belief(N, S, ceiling(0));
    const lenient = belief(N, S, top);
    if (usual.sure === undefined) parts.push(...paint(usual, "var(--ts)"));
    let words;
    if (lenient.sure !== undefined) {
      const at = x(lenient.sure);
      parts.push(s("line", { x1: at, x2: at, y1: BASE, y2: BASE - TALL, style: "stroke:var(--eps-ts)", "stroke-width": 4 }), s("circle", { cx: at, cy: BASE - TALL, r: 8, style: "fill:var(--eps-ts)" }));
      words = `${S} good of ${N}: the mean ${lenient.sure.toFixed(3)} is above the ceiling ${plain(top.value)}. ε-TS has no doubt left; its score is the mean itself.`;
    } else {
      parts.push(...paint(lenient, "var(--eps-ts)", "7 4"));
      const { mean, sd } = moments(lenient.alpha, lenient.beta);
      words = `${S} good of ${N}. ε-TS draws ${plain(top.value)} · Beta(${lenient.alpha}, ${lenient.beta}): around ${(mean * top.value).toFixed(2)}, give or take ${(sd * top.value).toFixed(2)}, and never above the ceiling. TS draws Beta(${S + 1}, ${N - S + 1}).`;
    }
    if (N) parts.push(s("path", { d: `M${x(S / N)} ${BASE + 3}l6 11h-12z`, style: "fill:var(--ink)" }));
    const at = x(top.value);
    const left = top.value > 0.45;
    parts.push(
      s("text", { x: left ? at - 12 : at + 12, y: 20, "text-anchor": left ? "end" : "start" }, `ceiling 1−ε = ${plain(top.value)}`),
      s("text", { x: x(0) + 4, y: 20, style: "fill:var(--ts)" }, "TS"),
      s("text", { x: x(0) + 4, y: 37, style: "fill:var(--eps-ts)" }, "ε-TS (dashed)"),
    );
    curves.replaceChildren(...parts);
    line.setAttribute("x1", at);
    line.setAttribute("x2", at);
    line.setAttribute("y1", 10);
    line.setAttribute("y2", BASE);
    grip.children[1].setAttribute("x", at - 22);
    knob.setAttribute("cx", at);
    knob.setAttribute("cy", 10);
    grip.setAttribute("aria-valuenow", top.value);
    grip.setAttribute("aria-valuetext", `${plain(top.value)}, so ε = ${plain(eps)}`);
    history.replaceChildren(...rewards.slice(-60).map((r) => h("i", { class: r ? "good" : "poor" })));
    tell(said, words);
    svg.setAttribute("aria-label", words);
    if (touched) todo.look("believed", lenient, S, N, top);
  }
  draw();
  redraw(svg, draw);
  touched = true;
}
