// A square a lunch, line by line. More lunches than room: smaller squares.
import { armColour, h, redraw } from "./dom.js";

const SIZES = [12, 10, 8, 6, 5, 4, 3, 2.5, 2, 1.6, 1.3, 1];

export function mosaic({ height = 122, start = 200 } = {}) {
  const canvas = h("canvas", { class: "mosaic", role: "img" });
  let plays = [];
  let bad = [];
  let drawn = 0;
  let size = 0;
  let columns = 0;

  function fit() {
    const width = canvas.clientWidth || 320;
    const room = Math.max(start, plays.length);
    const side = SIZES.find((c) => Math.floor(width / c) * Math.floor(height / c) >= room) ?? 1;
    return { width, side };
  }

  function draw(all = false) {
    const { width, side } = fit();
    const dots = Math.min(2, globalThis.devicePixelRatio || 1);
    const context = canvas.getContext("2d");
    if (all || side !== size || canvas.width !== Math.round(width * dots)) {
      canvas.width = Math.round(width * dots);
      canvas.height = height * dots;
      canvas.style.height = `${height}px`;
      context.setTransform(dots, 0, 0, dots, 0, 0);
      size = side;
      columns = Math.floor(width / side);
      drawn = 0;
      // where the next lunches will be
      context.fillStyle = getComputedStyle(canvas).getPropertyValue("--wash") || "#eee";
      for (let i = 0; i < start && i < columns * Math.floor(height / size); i++) square(context, i);
    }
    for (; drawn < plays.length; drawn++) {
      const arm = plays[drawn];
      context.fillStyle = armColour(arm, bad[arm]);
      square(context, drawn);
    }
  }
  function square(context, i) {
    const inner = size > 5 ? size - 1.5 : size > 2.5 ? size - 0.7 : size;
    context.fillRect((i % columns) * size, Math.floor(i / columns) * size, inner, inner);
  }
  redraw(canvas, () => draw(true));

  return {
    element: canvas,
    /** Other plays, or other arms that are bad: all is drawn anew. */
    set(what, which) {
      plays = what;
      bad = which;
      draw(true);
    },
    draw: () => draw(),
    say: (words) => canvas.setAttribute("aria-label", words),
  };
}
