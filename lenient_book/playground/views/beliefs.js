// What a policy believes of each arm, what it has drawn from that, and what it chose.
import { logDensity, moments } from "../model/beta.js";
import { armColour, plain, redraw, s } from "./dom.js";

const HEIGHT = 136;
const BASE = 104;
const TALL = 88;

/** The outline of a squeezed Beta density: points [x, height from 0 to 1]. */
export function outline({ alpha, beta, top }, points = 72) {
  const { mean, sd } = moments(alpha, beta);
  const from = Math.max(0, mean - 5 * sd);
  const to = Math.min(1, mean + 5 * sd);
  const path = [];
  let highest = 0;
  for (let i = 0; i <= points; i++) {
    const u = from + ((to - from) * i) / points;
    const inside = Math.min(1 - 1e-9, Math.max(1e-9, u));
    const y = Math.exp(logDensity(inside, alpha, beta)) / top;
    highest = Math.max(highest, y);
    path.push([u * top, y]);
  }
  // Narrow beliefs are higher, but not as much as they truly are.
  const scale = Math.min(1, 0.22 * Math.sqrt(highest)) / highest;
  return path.map(([x, y]) => [x, y * scale]);
}

/** An outline as a filled hill: the line on top, and what is between it and the ground. */
export function hill(points, x, y, colour, dash) {
  const path = points.map(([u, v]) => `${x(u).toFixed(1)} ${y(v).toFixed(1)}`).join("L");
  const [from, to] = [points[0][0], points.at(-1)[0]];
  const style = `--hill:${colour}`;
  return [
    s("path", { class: "hill-fill", style, d: `M${x(from)} ${y(0)}L${path}L${x(to)} ${y(0)}Z` }),
    s("path", { class: "hill-line", style, d: `M${path}`, "stroke-dasharray": dash }),
  ];
}

export function beliefs({ height = HEIGHT } = {}) {
  const svg = s("svg", { class: "beliefs", role: "img" });
  let now = null;

  function draw() {
    if (!now) return;
    const { player, eps, bad, means, colour } = now;
    const width = Math.max(220, svg.clientWidth || 320);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    const base = BASE;
    const x = (v) => 8 + (width - 16) * v;
    const parts = [];
    if (now.ceiling) {
      const at = x(1 - eps);
      parts.push(
        s("rect", { class: "beyond", x: at, y: 6, width: x(1) - at, height: base - 6 }),
        s("line", { class: "ceiling", x1: at, x2: at, y1: 6, y2: base }),
        s("text", { class: "halo", x: at - 4, y: 15, "text-anchor": "end" }, `ceiling 1−ε = ${plain(1 - eps)}`),
      );
    }
    parts.push(s("line", { class: "axis", x1: x(0), x2: x(1), y1: base, y2: base }));
    for (const v of [0, 0.5, 1])
      parts.push(s("text", { class: "small", x: x(v), y: height - 2, "text-anchor": v === 0 ? "start" : v === 1 ? "end" : "middle" }, String(v)));
    means?.forEach((m, arm) =>
      parts.push(s("path", { d: `M${x(m)} ${base + 2}l4 7h-8z`, fill: armColour(arm, bad[arm]) })));
    player.N.forEach((N, arm) => {
      const fill = armColour(arm, bad[arm]);
      const belief = player.policy.belief?.(N, player.S[arm]);
      if (!belief) {
        // an index: from the mean that was seen up to what is still thought possible
        const row = base - 10 - arm * Math.min(14, (base - 24) / player.N.length);
        const from = N ? player.S[arm] / N : 0;
        const index = player.scores?.[arm] ?? Infinity;
        const to = Number.isFinite(index) && index >= 0 ? Math.min(1, index) : N ? from : 1;
        parts.push(
          s("line", { x1: x(from), x2: x(to), y1: row, y2: row, stroke: fill, "stroke-width": 4, opacity: 0.75 }),
          s("circle", { cx: x(from), cy: row, r: 4, fill }),
        );
        if (arm === player.arm) parts.push(s("circle", { class: "chosen", cx: x(to), cy: row, r: 6, style: `stroke:${colour}` }));
        return;
      }
      if (belief.sure !== undefined) {
        const at = x(belief.sure);
        parts.push(
          s("line", { x1: at, x2: at, y1: base, y2: base - TALL, stroke: fill, "stroke-width": 3 }),
          s("circle", { cx: at, cy: base - TALL, r: 6, fill }),
        );
        return;
      }
      parts.push(...hill(outline(belief), x, (y) => base - y * TALL, fill));
    });
    if (player.scores && player.policy.belief)
      player.scores.forEach((theta, arm) => {
        const chosen = arm === player.arm;
        const fill = armColour(arm, bad[arm]);
        if (chosen) parts.push(s("line", { class: "drop", x1: x(theta), x2: x(theta), y1: 22, y2: base, stroke: fill }));
        parts.push(s("circle", { cx: x(theta), cy: base, r: chosen ? 6 : 4, fill, class: chosen ? "chosen" : "drawn", style: chosen ? `stroke:${colour}` : null }));
      });
    svg.replaceChildren(...parts);
  }
  redraw(svg, draw);
  return {
    element: svg,
    show(what) {
      now = what;
      svg.setAttribute("aria-label", what.words ?? "beliefs");
      draw();
    },
  };
}
