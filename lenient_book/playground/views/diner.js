// Chapter 1: the reader is the diner. Ten lunches by hand, then TS and ε-TS on the same street.
import { Game } from "../model/game.js";
import { gapsOf } from "../model/gaps.js";
import { luck } from "../model/rng.js";
import { armColour, button, h, inkOn, letter, plain, policyColour, tell } from "./dom.js";
import { tasks } from "./tasks.js";

const LUNCHES = 10;
const TASKS = [{
  text: "Can you have more good lunches than both learners?",
  hint: "Skill helps to find a good place, luck does the rest. Take a new street if this one is over.",
  eaten: ([you, ...learners]) => learners.every((one) => you > one),
}];

export function diner(root, model) {
  const means = model.get("means") ?? [0.85, 0.6, 0.8, 0.4, 0.65];
  const eps = model.get("eps") ?? 0.2;
  let seed = model.get("seed") ?? 5;
  let order, N, S, plays, street;

  const doors = h("div", { class: "doors", role: "group", "aria-label": "Restaurants" });
  const said = h("p", { class: "words", "aria-live": "polite" });
  const table = h("div", { class: "verdict" });
  const again = button("A new street", () => {
    seed++;
    begin();
  });
  const others = button("Let TS and ε-TS eat", () => reveal(), { class: "main" });
  const todo = tasks(TASKS);
  root.replaceChildren(doors, said, h("div", { class: "tools" }, others, again), table, todo.element);

  /** The restaurants stand in another order on every street. */
  function begin() {
    order = means.map((_, a) => a).sort((a, b) => luck(seed, 90 + a, 0) - luck(seed, 90 + b, 0));
    street = order.map((a) => means[a]);
    N = street.map(() => 0);
    S = street.map(() => 0);
    plays = [];
    others.hidden = true;
    table.replaceChildren();
    said.textContent = `${street.length} restaurants, ${LUNCHES} lunches, and you know nothing. Where do you eat?`;
    draw();
  }

  function eat(arm) {
    if (plays.length >= LUNCHES) return;
    const won = luck(seed, arm, N[arm]) < street[arm];
    N[arm]++;
    if (won) S[arm]++;
    plays.push(arm);
    const left = LUNCHES - plays.length;
    const total = S.reduce((a, b) => a + b, 0);
    said.textContent = `${letter(arm)}: ${won ? "a good lunch" : "a bad lunch"}. ` +
      (left ? `${left} to go.` : `You had ${total} good lunches of ${LUNCHES}. What would the two learners have done?`);
    others.hidden = left > 0;
    draw();
  }

  function draw(open = false) {
    const gaps = gapsOf(street);
    doors.replaceChildren(...street.map((mean, arm) => {
      const bad = gaps[arm] > eps;
      const colour = open ? armColour(order[arm], bad) : "var(--soft)";
      const results = h("span", { class: "plates", "aria-hidden": "true" },
        Array.from({ length: N[arm] }, (_, n) =>
          h("i", { class: luck(seed, arm, n) < mean ? "good" : "poor" })));
      return h("button", {
        type: "button", class: "door", disabled: plays.length >= LUNCHES, onclick: () => eat(arm),
        "aria-label": `Restaurant ${letter(arm)}, ${S[arm]} good of ${N[arm]}`, style: `--arm:${colour}`,
      }, h("b", {}, letter(arm)), results, h("small", {}, open ? `${plain(mean)}${bad ? ", bad" : ""}` : `${S[arm]} of ${N[arm]}`));
    }));
  }

  /** One run of each on the same luck, and what a hundred runs have on average. */
  function reveal() {
    const gaps = gapsOf(street);
    const bad = gaps.map((gap) => gap > eps);
    const wrong = (list) => list.filter((arm) => bad[arm]).length;
    const good = (list) => {
      const n = street.map(() => 0);
      return list.filter((arm) => luck(seed, arm, n[arm]++) < street[arm]).length;
    };
    const game = new Game({ means: street, eps, policies: ["TS", "ε-TS"], seed });
    for (let t = 0; t < LUNCHES; t++) game.step();
    const rows = [["you", plays, "var(--ink)"], ...game.players.map((p) => [p.name, [...p.plays], policyColour(p.name)])];
    const average = {};
    for (const name of ["TS", "ε-TS"]) {
      let sum = 0;
      for (let k = 0; k < 100; k++) {
        const one = new Game({ means: street, eps, policies: [name], seed: seed * 1000 + k });
        for (let t = 0; t < 100; t++) one.step();
        sum += wrong(one.players[0].plays);
      }
      average[name] = sum / 100;
    }
    draw(true);
    table.replaceChildren(...rows.map(([name, list, colour]) =>
      h("div", { class: "run" }, h("b", { style: `color:${colour}` }, name),
        h("span", { class: "squares" }, list.map((arm) => {
          const colour = armColour(order[arm], bad[arm]);
          return h("i", { style: `background:${colour};color:${inkOn(colour)}` }, letter(arm));
        })),
        h("span", {}, `${good(list)} good, ${wrong(list)} at a bad place`))));
    tell(said, `Ten lunches are few: all of you were still looking. In a hundred lunches on this street TS eats ` +
      `${average.TS.toFixed(0)} times at a bad place (more than ${plain(eps)} below the best) and ε-TS ${average["ε-TS"].toFixed(0)} times, on average of 100 runs.`);
    others.hidden = true;
    todo.look("eaten", rows.map(([, list]) => good(list)));
  }

  begin();
}
