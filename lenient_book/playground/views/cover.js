// The cover: a thousand lunches under two policies, filled in lunch by lunch.
import { Game } from "../model/game.js";
import { gapsOf } from "../model/gaps.js";
import { button, calm, h, redraw, slider } from "./dom.js";

const MEANS = [0.9, 0.89, 0.88, 0.87, 0.86, 0.85, 0.84, 0.83, 0.6, 0.55, 0.5, 0.4];
// Neighbours in quality are far apart in lightness, as in _ext/draw_cover.py.
const COLOURS = ["#d6f0fa", "#1f6f9f", "#8ccde8", "#2f8f83", "#5aa9d6", "#a8dccb", "#3e5c9a", "#66b5a0", "#c9b6e4", "#8f7fc0", "#e4b7c8", "#b08ea2"];
const BAD = "#ffb000";
const EMPTY = "#1b3550";
const LUNCHES = 1000;
const COLUMNS = 40;
const SECONDS = 9; // to fill it

function sheet(title) {
  const canvas = h("canvas", { role: "img" });
  const count = h("span", {}, "0 bad lunches");
  const element = h("figure", {}, h("p", {}, title), canvas, h("figcaption", {}, h("i", {}), count));
  let seen = 0;
  let step = 0;
  return {
    element,
    /** Squares from the last one drawn on; all of them if the size is new. */
    draw(plays, bad, all = false) {
      const width = canvas.clientWidth || 400;
      const context = canvas.getContext("2d");
      if (all || canvas.dataset.width !== String(width)) {
        const dots = Math.min(2, globalThis.devicePixelRatio || 1);
        step = width / COLUMNS;
        canvas.dataset.width = width;
        canvas.width = Math.round(width * dots);
        canvas.height = Math.round(step * (LUNCHES / COLUMNS) * dots);
        context.setTransform(dots, 0, 0, dots, 0, 0);
        context.fillStyle = EMPTY;
        for (let i = 0; i < LUNCHES; i++) square(context, i);
        seen = 0;
      }
      for (; seen < plays.length; seen++) {
        context.fillStyle = bad[plays[seen]] ? BAD : COLOURS[plays[seen]];
        square(context, seen);
      }
      const wrong = plays.reduce((sum, arm) => sum + (bad[arm] ? 1 : 0), 0);
      count.textContent = `${wrong} bad ${wrong === 1 ? "lunch" : "lunches"}`;
      canvas.setAttribute("aria-label", `${title}: ${plays.length} lunches, ${count.textContent}`);
    },
  };
  function square(context, i) {
    const gap = step > 6 ? 1.6 : 0.8;
    context.fillRect((i % COLUMNS) * step, Math.floor(i / COLUMNS) * step, step - gap, step - gap);
  }
}

export function cover(root, model) {
  let eps = model.get("eps") ?? 0.2;
  let seed = model.get("seed") ?? 1;
  let game, bad;
  let filling = 0;
  const sheets = [sheet("Thompson sampling"), sheet("ε-TS, lenient")];
  const said = h("p", { class: "said", "aria-live": "polite" });
  const forgive = slider({
    label: "forgive up to ε =", min: 0, max: 0.5, step: 0.01, value: eps,
    input: (value) => {
      eps = value;
      fill(true);
    },
  });
  const replay = button("Replay", () => {
    seed++;
    fill(calm());
  });
  root.replaceChildren(
    h("div", { class: "sheets" }, sheets.map((one) => one.element)),
    h("div", { class: "tools" }, forgive.element, replay), said,
  );

  function draw(all = false) {
    game.players.forEach((player, k) => sheets[k].draw(player.plays, bad, all));
  }

  /** All at once, or lunch by lunch: slowly at first, then faster. */
  function fill(atOnce) {
    const mine = ++filling;
    bad = gapsOf(MEANS).map((gap) => gap > eps);
    game = new Game({ means: MEANS, eps, policies: ["TS", "ε-TS"], seed });
    draw(true);
    const until = (lunch) => {
      while (game.t < Math.min(lunch, LUNCHES)) game.step();
      draw();
      if (game.t === LUNCHES) report();
    };
    if (atOnce) return until(LUNCHES);
    said.textContent = "";
    let start = 0;
    const frame = (now) => {
      if (mine !== filling || !root.isConnected) return;
      start ||= now;
      const part = Math.min(1, (now - start) / 1000 / SECONDS);
      until(Math.ceil(LUNCHES * part ** 2.2));
      if (game.t < LUNCHES) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  function report() {
    const wrong = game.players.map((p) => p.plays.filter((arm) => bad[arm]).length);
    const most = Math.max(...game.players[1].N);
    said.textContent = bad.some(Boolean)
      ? `TS: ${wrong[0]} bad lunches of 1,000. ε-TS: ${wrong[1]}, and ${most} of its lunches at one restaurant.`
      : "With so much forgiven, no restaurant on this street is a bad one.";
  }

  redraw(root, () => game && draw(true));
  // It begins when it is in sight, and once its place on the page is known.
  const begin = () => fill(calm());
  if (!globalThis.IntersectionObserver) begin();
  else {
    const watch = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      watch.disconnect();
      begin();
    });
    watch.observe(root);
  }
}
