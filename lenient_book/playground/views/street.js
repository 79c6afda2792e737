// The street: one bar a restaurant, as high as its mean. Drag a bar, or the line below which
// a restaurant is a bad one.
import { gapsOf } from "../model/gaps.js";
import { armColour, drag, h, keys, letter, plain, redraw, s } from "./dom.js";

const HEIGHT = 190;
const TOP = 22;
const BOTTOM = 150;

const put = (node, attributes) => {
  for (const key in attributes) node.setAttribute(key, attributes[key]);
};

export function street({ get, setMean, setEps }) {
  const svg = s("svg", { class: "street", role: "group", "aria-label": "The means of the arms" });
  const element = h("div", { class: "street-box" }, svg);
  const y = (mean) => BOTTOM - mean * (BOTTOM - TOP);
  const mean = (py) => Math.min(1, Math.max(0, Math.round(((BOTTOM - py) / (BOTTOM - TOP)) * 100) / 100));
  let grips = [];
  let band = null;
  let ground = null;

  function build() {
    const { means } = get();
    grips = means.map((_, arm) => {
      const bar = s("rect", { rx: 3 });
      const knob = s("rect", { class: "knob", rx: 3, height: 6 });
      const name = s("text", { class: "name", "text-anchor": "middle", y: BOTTOM + 18 });
      const value = s("text", { class: "value halo", "text-anchor": "middle" });
      const word = s("text", { class: "word", "text-anchor": "middle", y: BOTTOM + 34 });
      const area = s("rect", { fill: "transparent", y: 0, height: HEIGHT });
      const hold = s("rect", { class: "hold", fill: "transparent", height: 44 });
      const group = s(
        "g",
        { class: "bar", tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": 1,
          "aria-orientation": "vertical", "data-arm": arm },
        area, bar, knob, name, value, word, hold,
      );
      const set = (m) => setMean(arm, m);
      drag(svg, group, (px, py) => set(mean(py)));
      keys(group, { get: () => get().means[arm], set });
      return { group, bar, knob, name, value, word, area, hold };
    });
    const line = s("line", { class: "enough" });
    const grip = s("rect", { class: "hold", fill: "transparent" });
    const label = s("text", { class: "enough-label halo" });
    const handle = s("circle", { class: "enough-knob", r: 7 });
    band = {
      group: s("g", { class: "band", tabindex: 0, role: "slider", "aria-valuemin": 0,
        "aria-valuemax": 0.95, "aria-label": "ε, what is forgiven" }, line, grip, label, handle),
      shade: s("rect", { class: "forgiven" }), line, grip, label, handle,
    };
    const toEps = (py) => {
      const best = Math.max(...get().means);
      setEps(Math.min(0.95, Math.max(0, Math.round((best - mean(py)) * 100) / 100)));
    };
    drag(svg, band.group, (px, py) => toEps(py));
    keys(band.group, { get: () => get().eps, set: setEps, max: 0.95 });
    svg.replaceChildren(
      band.shade,
      (ground = s("line", { class: "axis", x1: 0, y1: BOTTOM, y2: BOTTOM })),
      band.group,
      ...grips.map((grip) => grip.group),
    );
  }

  function draw() {
    const { means, eps } = get();
    if (grips.length !== means.length) build();
    const width = Math.max(240, svg.clientWidth || 600);
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.setAttribute("height", HEIGHT);
    ground.setAttribute("x2", width);
    const gaps = gapsOf(means);
    const right = 52; // room for the words of the line
    const each = (width - right) / means.length;
    const wide = Math.min(64, each * 0.68);
    grips.forEach(({ group, bar, knob, name, value, word, area, hold }, arm) => {
      const x = each * (arm + 0.5);
      const bad = gaps[arm] > eps;
      const what = bad ? "bad" : gaps[arm] === 0 ? "best" : "good enough";
      put(area, { x: x - each / 2, width: each });
      put(hold, { x: x - each / 2, width: each, y: y(means[arm]) - 22 });
      put(bar, { x: x - wide / 2, width: wide, y: y(means[arm]), height: BOTTOM - y(means[arm]), fill: armColour(arm, bad) });
      put(knob, { x: x - wide / 2, width: wide, y: y(means[arm]) - 3 });
      put(name, { x });
      put(value, { x, y: y(means[arm]) - 8 });
      put(word, { x });
      name.textContent = letter(arm);
      value.textContent = plain(means[arm]);
      word.textContent = each < 62 && what === "good enough" ? "ok" : what;
      put(group, { "aria-label": `Mean of arm ${letter(arm)}`, "aria-valuenow": means[arm], "aria-valuetext": `${plain(means[arm])}, ${what}` });
    });
    const level = y(Math.max(...means) - eps);
    const best = y(Math.max(...means));
    const low = Math.min(level, BOTTOM);
    put(band.shade, { x: 0, width, y: best, height: Math.max(0, low - best) });
    put(band.line, { x1: 0, x2: width, y1: low, y2: low });
    put(band.grip, { x: width - right, width: right, y: low - 22, height: 44 });
    put(band.handle, { cx: width - 12, cy: low });
    put(band.label, { x: width - 24, y: low - 7, "text-anchor": "end" });
    band.label.textContent = "μ*−ε";
    put(band.group, { "aria-valuenow": eps, "aria-valuetext": `ε = ${plain(eps)}` });
  }
  redraw(svg, draw);
  return { element, draw };
}
