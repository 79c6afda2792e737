// Brings views to life: in a page, where the setting is in the address; in a notebook.
import { readAddress, START, writeAddress } from "../model/setting.js";
import { beliefOfOneArm } from "./belief.js";
import { cover } from "./cover.js";
import { diner } from "./diner.js";
import { FORMULAS, formula } from "./formulas.js";
import { longRun } from "./longrun.js";
import { playground } from "./playground.js";
import { predict } from "./predict.js";

const VIEWS = { playground, cover, diner, belief: beliefOfOneArm, "long-run": longRun, predict };
for (const name of Object.keys(FORMULAS)) VIEWS[name] = formula(name);

/** Stands in for anywidget's model in a page: get, set, on, off, save_changes. */
function localModel(start) {
  const values = structuredClone(start);
  const listeners = {};
  const changed = new Set();
  return {
    get: (name) => values[name],
    set(name, value) {
      if (JSON.stringify(values[name]) === JSON.stringify(value)) return;
      values[name] = value;
      changed.add(name);
    },
    save_changes() {
      for (const name of [...changed]) {
        changed.delete(name);
        for (const listener of listeners[`change:${name}`] ?? []) listener();
      }
      for (const listener of listeners.change ?? []) listener();
    },
    on: (event, listener) => (listeners[event] ??= []).push(listener),
    off(event, listener) {
      listeners[event] = (listeners[event] ?? []).filter((l) => l !== listener);
    },
  };
}

/** The setting of this model goes into the page's address, and comes from there. */
function inAddress(model) {
  const take = () => {
    const { setting, faults } = readAddress(location.hash);
    for (const name of Object.keys(setting)) model.set(name, setting[name]);
    model.faults = faults;
    return Object.keys(setting).length;
  };
  const now = () => Object.fromEntries(Object.keys(START).map((name) => [name, model.get(name)]));
  take();
  model.address = () => location.href.replace(/#.*/, "") + "#" + writeAddress(now());
  let written = null;
  let timer = 0;
  model.on("change", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const address = "#" + writeAddress(now());
      if (address === written) return;
      written = address;
      try {
        history.replaceState(history.state, "", address);
      } catch {
        // some browsers refuse that for files; the link can still be copied
      }
    }, 200);
  });
  // a link "set this up" on the same page, or an address that was typed
  addEventListener("hashchange", () => {
    const parts = readAddress(location.hash).setting;
    if (!Object.keys(parts).length) return;
    for (const name of Object.keys(START)) model.set(name, parts[name] ?? START[name]);
    model.save_changes();
    model.root?.scrollIntoView({ block: "start" });
  });
}

function mount(element) {
  const view = VIEWS[element.dataset.view];
  if (!view) return;
  const given = JSON.parse(element.dataset.setting || "{}");
  const model = localModel({ ...(element.dataset.view === "playground" ? START : {}), ...given });
  if (element.dataset.address !== undefined) inAddress(model);
  const root = document.createElement("div");
  root.className = `stage ${element.dataset.view}`;
  model.root = element;
  view(root, model);
  element.append(root);
  element.classList.add("alive", "untouched"); // on paper it is the still until somebody plays
  for (const event of ["pointerdown", "keydown"])
    element.addEventListener(event, () => element.classList.remove("untouched"), { once: true });
}

/** Every <div class="lenient-play" data-view="…"> of a page; what is in it is the still. */
export function start(page) {
  const all = () => page.querySelectorAll(".lenient-play[data-view]:not(.alive)").forEach(mount);
  if (page.readyState === "loading") page.addEventListener("DOMContentLoaded", all);
  else all();
}

/** In a notebook, for anywidget. */
export function render({ model, el }) {
  el.classList.add("lenient-play", "alive");
  const root = document.createElement("div");
  const name = model.get("view") ?? "playground";
  root.className = `stage ${name}`;
  el.append(root);
  const more = model.get("more") ?? {};
  const given = {
    get: (key) => model.get(key) ?? more[key],
    set: (key, value) => model.set(key, value),
    save_changes: () => model.save_changes(),
    on: (event, listener) => model.on(event, listener),
    off: (event, listener) => model.off(event, listener),
  };
  return VIEWS[name](root, given);
}
