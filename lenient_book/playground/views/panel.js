// One policy at work: its beliefs, its lunches, its counts.
import { beliefs } from "./beliefs.js";
import { armColour, h, letter, policyColour, short } from "./dom.js";
import { mosaic } from "./mosaic.js";

export function panel(name) {
  const colour = policyColour(name);
  const mind = beliefs();
  const lunches = mosaic();
  const last = h("p", { class: "last" });
  const shares = h("div", { class: "shares", "aria-hidden": "true" });
  const counts = h("p", { class: "counts" });
  const element = h(
    "section",
    { class: "panel", "aria-label": name, style: `--own:${colour}` },
    h("h4", {}, name),
    mind.element, last, lunches.element, shares, counts,
  );
  let player = null;
  let bad = [];

  /** What the last round was, in words. */
  function words() {
    if (player.arm < 0) return ["Nothing eaten yet."];
    const { arm, won, scores } = player;
    const how = player.policy.belief ? "drew" : "scores";
    const draws = scores.map((v, a) => `${letter(a)} ${Number.isFinite(v) ? v.toFixed(2) : "∞"}`);
    return [
      h("i", { class: won ? "good" : "poor", "aria-hidden": "true" }),
      `${how} ${draws.join(", ")} → ${letter(arm)}, ${won ? "enjoyed" : "a disappointment"}`,
    ];
  }

  function draw({ eps, means }) {
    const seen = player.N.map((n, a) => `${letter(a)} ${n} times`).join(", ");
    mind.show({
      player, eps, bad, means, colour, ceiling: ["ε-TS", "ε-KL-UCB", "squeezed KL-UCB"].includes(name) && eps > 0,
      words: `Beliefs of ${name}: ${player.N.map((n, a) => `${letter(a)} ${player.S[a]} of ${n}`).join(", ")}`,
    });
    last.replaceChildren(...words());
    lunches.draw();
    const t = Math.max(1, player.plays.length);
    const wrong = player.plays.length ? player.N.reduce((sum, n, a) => sum + (bad[a] ? n : 0), 0) : 0;
    shares.replaceChildren(
      ...player.N.map((n, a) => h("i", { style: `flex-grow:${n / t};background:${armColour(a, bad[a])}` })),
    );
    counts.replaceChildren(
      ...player.N.map((n, a) =>
        h("span", {}, h("i", { style: `background:${armColour(a, bad[a])}` }), `${letter(a)} ${n.toLocaleString("en")}`)),
    );
    lunches.say(`${player.plays.length} lunches of ${name}: ${seen}; ${wrong} bad ones`);
  }

  return {
    element, draw, name,
    set(who, which) {
      player = who;
      bad = which;
      lunches.set(player.plays, bad);
    },
    summary() {
      const wrong = player.N.reduce((sum, n, a) => sum + (bad[a] ? n : 0), 0);
      return `${name}: ${short(wrong)} bad`;
    },
  };
}
