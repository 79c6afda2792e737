// A chart of lines: axes with few ticks, bands, steps, and a reader for mouse, finger, keys.
import { h, power, redraw, s, short } from "./dom.js";

/** A scale from values to pixels: linear, logarithmic, or linear up to 1 and then logarithmic. */
export function scale(kind, [from, to], [first, last]) {
  const bend = {
    linear: (v) => v,
    log: (v) => Math.log10(Math.max(v, from || 1e-12)),
    symlog: (v) => (v <= 1 ? v : 1 + Math.log10(v)),
  }[kind];
  const back = {
    linear: (u) => u,
    log: (u) => 10 ** u,
    symlog: (u) => (u <= 1 ? u : 10 ** (u - 1)),
  }[kind];
  const [u, w] = [bend(from), bend(to)];
  const at = (v) => first + ((bend(v) - u) / (w - u || 1)) * (last - first);
  at.invert = (pixel) => back(u + ((pixel - first) / (last - first)) * (w - u));
  return at;
}

/** Few round numbers in a range. */
export function ticks(kind, [from, to], count) {
  if (kind !== "linear") {
    const low = kind === "symlog" ? 0 : Math.ceil(Math.log10(from) - 1e-9);
    const high = Math.floor(Math.log10(to) + 1e-9);
    const every = Math.max(1, Math.ceil((high - low + 1) / count));
    const marks = kind === "symlog" ? [0] : [];
    for (let e = low; e <= high; e += every) marks.push(10 ** e);
    if (kind === "symlog" && high < 0) marks.push(to);
    return marks;
  }
  const raw = (to - from) / count || 1;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * ([1, 2, 2.5, 5, 10].find((m) => unit * m >= raw * 0.999) ?? 10);
  const marks = [];
  for (let v = Math.ceil(from / step - 1e-9) * step; v <= to + step * 1e-6; v += step)
    marks.push(Number(v.toPrecision(12)));
  return marks;
}

// The margins of the plot, in pixels: for the numbers and words of the axes.
const [LEFT, RIGHT, ABOVE, BELOW] = [44, 12, 8, 34];

const tickText = (v) =>
  Math.abs(v) >= 1e4 || (v > 0 && v < 1e-3) ? power(v) : short(v, 3);

/**
 * chart({ title, x, y, height }) with axes { label, kind, range: [from, to] | null }.
 * show({ lines, x, y }) draws lines { name, colour, points, dash, width, band, step }; what is
 * read at a place are their values, or read(x), a text.
 */
export function chart({ title, x, y, height = 200, drag = null }) {
  const svg = s("svg", { class: "chart", role: "img", tabindex: "0", "aria-label": title ?? "chart" });
  const legend = h("div", { class: "legend" });
  const read = h("p", { class: "readout", "aria-live": "polite" });
  const heading = h("p", { class: "chart-title" }, title ?? "");
  const element = h("figure", { class: "chart-box" }, heading, legend, svg, read);
  let now = { lines: [] };
  let at = null; // the place that is read, in pixels
  let X, Y, width;

  function draw() {
    width = Math.max(240, svg.clientWidth || 340);
    const [left, right, top, bottom] = [LEFT, width - RIGHT, ABOVE, height - BELOW];
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    const ax = { ...x, ...now.x };
    const ay = { ...y, ...now.y };
    X = scale(ax.kind ?? "linear", ax.range, [left, right]);
    Y = scale(ay.kind ?? "linear", ay.range, [bottom, top]);
    const parts = [];
    for (const v of ticks(ay.kind ?? "linear", ay.range, Math.max(3, Math.round(height / 60))))
      parts.push(
        s("line", { class: "grid", x1: left, x2: right, y1: Y(v), y2: Y(v) }),
        s("text", { x: left - 6, y: Y(v) + 4, "text-anchor": "end" }, tickText(v)),
      );
    for (const v of ticks(ax.kind ?? "linear", ax.range, width < 400 ? 4 : 6))
      parts.push(
        s("line", { class: "tick", x1: X(v), x2: X(v), y1: bottom, y2: bottom + 4 }),
        s("text", { x: X(v), y: bottom + 17, "text-anchor": X(v) > right - 8 ? "end" : "middle" }, tickText(v)),
      );
    parts.push(s("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
    parts.push(s("text", { class: "label", x: right, y: height - 3, "text-anchor": "end" }, ax.label ?? ""));
    // What is beyond the range is cut off, by an inner picture of the size of the plot.
    const plot = s("svg", {
      class: "plot", x: left, y: top, width: right - left, height: bottom - top + 1,
      viewBox: `${left} ${top} ${right - left} ${bottom - top + 1}`,
    });
    parts.push(plot);
    const far = (py) => Math.min(bottom + 999, Math.max(top - 999, py)).toFixed(1);
    plot.append(...(now.under?.(X, Y, { left, right, top, bottom }) ?? []));
    for (const line of now.lines) {
      const { points, band, colour } = line;
      if (band && points.length > 1) {
        const up = points.map(([v], i) => `${X(v).toFixed(1)},${far(Y(band[i][1]))}`);
        const down = points.map(([v], i) => `${X(v).toFixed(1)},${far(Y(band[i][0]))}`).reverse();
        plot.append(s("polygon", { points: [...up, ...down].join(" "), style: `fill:${colour}`, opacity: 0.18 }));
      }
      let path = "";
      points.forEach(([v, w], i) => {
        const [px, py] = [X(v).toFixed(1), far(Y(w))];
        if (line.step && i) path += `H${px}`;
        path += `${i && !line.gaps?.has(i) ? "L" : "M"}${px} ${py}`;
      });
      if (path)
        plot.append(s("path", {
          d: path, fill: "none", style: `stroke:${colour}`,
          "stroke-width": line.width ?? 2.2, "stroke-dasharray": line.dash,
          "stroke-linejoin": "round",
        }));
      for (const [v, w] of line.marks ?? [])
        parts.push(s("circle", { cx: X(v), cy: Y(w), r: 4, style: `fill:${colour}` }));
    }
    for (const extra of now.extra?.(X, Y, { left, right, top, bottom }) ?? []) parts.push(extra);
    if (at !== null)
      parts.push(s("line", { class: "cursor", x1: at, x2: at, y1: top, y2: bottom }));
    svg.replaceChildren(...parts);
    if (at !== null) sayValues(ax);
  }

  function sayValues(ax) {
    const v = X.invert(at);
    if (now.read) return (read.textContent = now.read(v));
    const texts = now.lines.filter((l) => l.name).map((line) => {
      const value = valueAt(line, v);
      return value === null ? null : `${line.name} ${short(value)}`;
    });
    read.textContent = `${ax.short ?? ax.label} ${short(v)}: ${texts.filter(Boolean).join(", ")}`;
  }

  function point(px) {
    at = Math.min(width - RIGHT, Math.max(LEFT, px));
    draw();
  }
  // Read by mouse on its way, by finger where it taps or moves along; by arrow keys.
  const place = (e) => {
    const box = svg.getBoundingClientRect();
    return [((e.clientX - box.left) / box.width) * width, ((e.clientY - box.top) / box.height) * height];
  };
  const follow = (e) => point(place(e)[0]);
  svg.addEventListener("pointermove", follow);
  svg.addEventListener("pointerdown", follow);
  const leave = () => {
    at = null;
    read.textContent = "";
    draw();
  };
  svg.addEventListener("pointerleave", (e) => e.pointerType !== "touch" && leave());
  svg.addEventListener("blur", leave);
  svg.addEventListener("keydown", (e) => {
    const by = { ArrowLeft: -8, ArrowRight: 8, Home: -1e5, End: 1e5 }[e.key];
    if (!by) return;
    e.preventDefault();
    point((at ?? width / 2) + by);
  });
  if (drag) {
    // the whole plot is a handle: drag(x, y) is told the place in the units of the axes
    svg.classList.add("handle");
    const move = (e) => {
      const [px, py] = place(e);
      drag(
        X.invert(Math.min(width - RIGHT, Math.max(LEFT, px))),
        Y.invert(Math.min(height - BELOW, Math.max(ABOVE, py))),
      );
    };
    svg.addEventListener("pointerdown", (e) => {
      svg.setPointerCapture(e.pointerId);
      move(e);
      svg.addEventListener("pointermove", move);
      const stop = () => svg.removeEventListener("pointermove", move);
      svg.addEventListener("pointerup", stop, { once: true });
      svg.addEventListener("pointercancel", stop, { once: true });
    });
  }
  redraw(svg, () => now.x && draw());

  return {
    element, svg, heading,
    show(what) {
      now = what;
      legend.replaceChildren(
        ...what.lines.filter((l) => l.name).map((line) =>
          h("span", {}, swatch(line), line.name)),
      );
      svg.setAttribute("aria-label", what.words ?? title ?? "chart");
      draw();
    },
  };
}

/** A piece of the line, for the legend. */
function swatch({ colour, dash, width = 2.2 }) {
  return s("svg", { class: "swatch", width: 26, height: 8, "aria-hidden": "true" },
    s("line", { x1: 0, x2: 26, y1: 4, y2: 4, style: `stroke:${colour}`, "stroke-width": Math.max(2, width), "stroke-dasharray": dash }));
}

/** The value of a line at x, between its points; null outside. */
export function valueAt({ points, step }, x) {
  if (!points.length || x < points[0][0]) return null;
  let i = points.findIndex(([v]) => v >= x);
  if (i < 0) return step ? 0 : null;
  if (step || i === 0 || points[i][0] === x) return points[i][1];
  const [[a, u], [b, w]] = [points[i - 1], points[i]];
  return u + ((w - u) * (x - a)) / (b - a);
}
