// The playground: a street, policies beside each other on the same luck, and many runs.
import { boundsThatApply } from "../model/bounds.js";
import { Game, regretOf } from "../model/game.js";
import { costs, gapsOf } from "../model/gaps.js";
import { POLICIES } from "../model/policies.js";
import { fault, readNumber, START } from "../model/setting.js";
import { chart } from "./chart.js";
import { button, calm, h, letter, menu, plain, policyColour, policyDash, short, slider, tell } from "./dom.js";
import { BOUND_LOOK, boundName, many } from "./many.js";
import { panel } from "./panel.js";
import { street } from "./street.js";
import { TASKS, tasks } from "./tasks.js";

const LONGEST = 20000; // lunches of one run that is watched
const SPEEDS = [2, 8, 30, 120, 600, 3000]; // lunches a second
const GAP_WORDS = {
  hinge: "hinge: what exceeds ε",
  indicator: "indicator: 1 for each bad one",
  cutoff: "cutoff: all of a gap beyond ε",
  standard: "standard: every gap",
};

/** `model` is anywidget's, or stands in for it: get, set, on, save_changes. */
export function playground(root, model) {
  const setting = () =>
    Object.fromEntries(Object.keys(START).map((name) => [name, model.get(name) ?? START[name]]));
  let game;
  let panels = [];
  let playing = false;
  let speed = 2;
  let bad = [];

  /** Change part of the setting, if it is accepted; otherwise say what is wrong. */
  function change(part) {
    const wrong = Object.entries(part).map(([name, value]) => fault(name, value)).filter(Boolean);
    if (wrong.length) {
      say(wrong.join(" "), true);
      return false;
    }
    for (const [name, value] of Object.entries(part)) model.set(name, value);
    model.save_changes();
    return true;
  }

  // ---- controls ----------------------------------------------------------------------
  const bars = street({
    get: setting,
    setMean: (arm, mean) => change({ means: setting().means.map((m, a) => (a === arm ? mean : m)) }),
    setEps: (eps) => change({ eps }),
  });
  const typed = h("input", {
    type: "text", class: "typed", inputmode: "decimal", autocomplete: "off", spellcheck: "false",
    onchange: () => {
      const means = typed.value.split(/[,;\s]+/).filter(Boolean).map(readNumber);
      if (!change({ means })) typed.setAttribute("aria-invalid", "true");
      else typed.removeAttribute("aria-invalid");
    },
  });
  const more = button("+", () => change({ means: [...setting().means, 0.5] }), { "aria-label": "one arm more", class: "round" });
  const fewer = button("−", () => change({ means: setting().means.slice(0, -1) }), { "aria-label": "one arm fewer", class: "round" });
  const eps = slider({ label: "ε", min: 0, max: 0.6, step: 0.01, value: setting().eps, input: (v) => change({ eps: v }) });
  const gap = menu({ label: "count", choices: GAP_WORDS, value: setting().gap, input: (v) => change({ gap: v }) });
  const chips = Object.keys(POLICIES).map((name) =>
    button(name, () => {
      const now = setting().policies;
      change({ policies: now.includes(name) ? now.filter((p) => p !== name) : [...now, name] });
    }, { class: "chip", style: `--own:${policyColour(name)}`, "data-policy": name }));
  const go = button("▶ Play", () => toggle(), { class: "main play" });
  const one = button("One lunch", () => {
    if (playing) toggle();
    step(1);
  });
  const again = button("Again", () => restart());
  const luck = button("New luck", () => change({ seed: (setting().seed * 48271 + 11) % 2147483647 }));
  const pace = slider({
    label: "speed", min: 0, max: SPEEDS.length - 1, step: 1, value: speed,
    show: (k) => `${SPEEDS[k].toLocaleString("en")}/s`, input: (k) => (speed = k),
  });
  const share = button("Copy link", async () => {
    const { address } = model;
    if (!address) return;
    try {
      await navigator.clipboard.writeText(address());
      say("The address of this setting is copied.");
    } catch {
      say(`The address of this setting: ${address()}`);
    }
  });
  const said = h("p", { class: "says", "aria-live": "polite" });
  function say(text, alert = false) {
    tell(said, text);
    said.classList.toggle("alert", alert);
  }

  const stage = h("div", { class: "panels" });
  const lenient = chart({ x: { label: "lunches", short: "after" }, y: {}, height: 190 });
  const standard = chart({ title: "standard regret of this run", x: { label: "lunches", short: "after" }, y: {}, height: 190 });
  const todo = tasks(TASKS, "Can you make this happen?");
  const lots = many({
    get: setting, set: change,
    done: (result) => {
      todo.look("ran", result);
      model.set("ran", (model.get("ran") ?? 0) + 1);
      model.save_changes();
    },
  });

  // First what one plays with; what one may set besides is folded away.
  root.replaceChildren(
    bars.element,
    h("div", { class: "tools transport" }, go, one, again, luck, pace.element),
    h("details", { class: "settings" },
      h("summary", {}, "Other restaurants, another ε, other diners"),
      h("div", { class: "tools" },
        h("label", { class: "means" }, h("span", {}, "means"), typed), fewer, more, eps.element),
      h("div", { class: "tools chips", role: "group", "aria-label": "Policies" }, chips),
      h("div", { class: "tools" }, gap.element, model.address ? share : null)),
    said, stage,
    h("div", { class: "charts" }, lenient.element, standard.element),
    lots.element, todo.element,
  );

  // ---- one run -----------------------------------------------------------------------
  function restart() {
    const now = setting();
    bad = gapsOf(now.means).map((delta) => delta > now.eps);
    game = new Game(now);
    if (panels.map((p) => p.name).join() !== now.policies.join()) {
      panels = now.policies.map(panel);
      stage.replaceChildren(...panels.map((p) => p.element));
    }
    panels.forEach((p, k) => p.set(game.players[k], bad));
    draw();
  }

  function draw() {
    const now = setting();
    for (const p of panels) p.draw(now);
    const name = now.gap === "standard" ? "hinge" : now.gap;
    lenient.heading.textContent = `lenient regret (${name}) of this run`;
    growth(lenient, name);
    growth(standard, "standard");
  }

  function growth(picture, name) {
    const { means, eps: e, policies } = setting();
    const paid = costs(name, means, e);
    const end = Math.max(50, game.t);
    let highest = 1;
    const lines = game.players.map((player) => {
      const points = regretOf(player.plays, paid);
      highest = Math.max(highest, points.at(-1)[1]);
      return { name: player.name, colour: policyColour(player.name), dash: policyDash(player.name), points };
    });
    for (const [bound, c] of Object.entries(boundsThatApply(means, e, name, policies)))
      lines.push({
        name: boundName(bound, c), ...BOUND_LOOK[bound],
        points: Array.from({ length: 41 }, (_, i) => {
          const t = Math.max(1, (end * i) / 40);
          return [t, c * Math.log(t)];
        }),
      });
    picture.show({
      lines, x: { range: [0, end] }, y: { range: [0, highest * 1.15] },
      words: `${name} regret after ${game.t} lunches: ${game.players.map((p) => `${p.name} ${short(regretOf(p.plays, paid, 1).at(-1)[1])}`).join(", ")}`,
    });
  }

  function step(rounds) {
    for (let i = 0; i < rounds && game.t < LONGEST; i++) game.step();
    draw();
    todo.look("played", game, setting());
    if (!playing) report();
  }

  /** What there is to be seen, in a sentence. */
  function report() {
    if (!game.t) return;
    const { means, eps: e, gap: name } = setting();
    const paid = costs(name, means, e);
    const parts = game.players.map((player) => {
      const wrong = player.N.reduce((sum, n, a) => sum + (bad[a] ? n : 0), 0);
      const most = player.N.indexOf(Math.max(...player.N));
      const regret = player.N.reduce((sum, n, a) => sum + n * paid[a], 0);
      return `${player.name} had ${wrong.toLocaleString("en")} bad ones and ate most often at ${letter(most)} (${name} regret ${short(regret)})`;
    });
    say(`After ${game.t.toLocaleString("en")} ${game.t === 1 ? "lunch" : "lunches"}, ${parts.join("; ")}.`);
  }

  let before = 0;
  let owed = 0;
  function frame(now) {
    if (!playing || !root.isConnected) return;
    const rest = calm() ? 400 : 0; // few pictures for those who want little motion
    if (now - before >= rest) {
      owed += (Math.min(now - before, rest + 100) / 1000) * SPEEDS[speed];
      before = now;
      const rounds = Math.floor(owed);
      owed -= rounds;
      if (rounds) step(rounds);
    }
    if (game.t >= LONGEST) toggle();
    else requestAnimationFrame(frame);
  }

  function toggle() {
    playing = !playing;
    go.textContent = playing ? "❚❚ Pause" : "▶ Play";
    root.classList.toggle("playing", playing);
    if (playing) {
      if (game.t >= LONGEST) restart();
      before = performance.now();
      owed = 1;
      requestAnimationFrame(frame);
    } else report();
  }

  // ---- the setting has changed --------------------------------------------------------
  const seen = {}; // what the pictures show
  function update() {
    const now = setting();
    const { means } = now;
    if (document.activeElement !== typed) typed.value = means.map(plain).join(", ");
    more.disabled = means.length >= 8;
    fewer.disabled = means.length <= 2;
    eps.range.max = Math.max(0.6, now.eps);
    eps.set(now.eps);
    gap.set(now.gap);
    for (const chip of chips) {
      const on = now.policies.includes(chip.dataset.policy);
      chip.setAttribute("aria-pressed", on);
      chip.disabled = on ? now.policies.length === 1 : now.policies.length >= 4;
    }
    bars.draw();
    const key = JSON.stringify([means, now.eps, now.policies, now.seed]);
    const runsKey = JSON.stringify([means, now.eps, now.policies, now.seed, now.horizon, now.runs]);
    if (runsKey !== seen.runs) lots.forget();
    if (key !== seen.game) {
      if (seen.game) say(described(now));
      restart();
    } else draw();
    lots.update();
    Object.assign(seen, { game: key, runs: runsKey });
  }

  function described({ means, eps: e }) {
    const gaps = gapsOf(means);
    const names = (test) => gaps.flatMap((delta, a) => (test(delta, a) ? [letter(a)] : []));
    const wrong = names((delta) => delta > e);
    const over = names((delta, a) => means[a] > Number((1 - e).toFixed(9)));
    return `ε = ${plain(e)}: ${wrong.length ? `${wrong.join(", ")} bad` : "no restaurant is bad"}; ` +
      `${over.length ? `${over.join(", ")} above` : "none above"} the ceiling ${plain(1 - e)}.`;
  }

  // Several parts of a setting may change at once: one picture for all of them.
  let asked = false;
  const soon = () => {
    if (asked) return;
    asked = true;
    queueMicrotask(() => {
      asked = false;
      update();
    });
  };
  for (const name of Object.keys(START)) model.on(`change:${name}`, soon);
  update();
  if (model.faults?.length) say(model.faults.join(" "), true);
  else say("Drag the bars and the line μ*−ε. Then press Play.");
  root.classList.add("alive");
  return () => {
    playing = false;
    lots.cancel();
  };
}
