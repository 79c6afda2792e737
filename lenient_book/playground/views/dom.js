// Elements, numbers and colours, as all views make them.

const SVG = "http://www.w3.org/2000/svg";

/** An element: attributes, listeners (onclick), and children that are nodes or texts. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** So many digits, or all before the point, with thin commas. */
export function short(x, digits = 3) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "–";
  if (Math.abs(x) >= 1e6) return power(x);
  if (Math.abs(x) >= 100) return Math.round(x).toLocaleString("en");
  return String(Number(x.toPrecision(digits)));
}

/** 10⁶ for 1000000, 2.5·10⁶ for others. */
export function power(x) {
  const exponent = Math.floor(Math.log10(x) + 1e-9);
  const factor = Number((x / 10 ** exponent).toPrecision(2));
  const raised = [...String(exponent)].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d] ?? "⁻").join("");
  return `${factor === 1 ? "" : `${factor}·`}10${raised}`;
}

/** A mean or ε, without a float's tail. */
export const plain = (x) => String(Number(x.toFixed(3)));

export const letter = (arm) => "ABCDEFGH"[arm];

const GOOD = ["#1f6f9f", "#56a8d8", "#2a8c7f", "#7c8fd0", "#3e5c9a", "#62b6a0", "#9a7fc0", "#4c9bb0"];
const BAD = ["#e69f00", "#f2b93b", "#c98200", "#ffce6b"];

/** An arm has a cool colour while it is good enough, and turns amber when it is not. */
export const armColour = (arm, bad) => (bad ? BAD[arm % BAD.length] : GOOD[arm]);

/** Dark letters on light colours, white ones on dark. */
export function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 125 ? "#1d2733" : "#ffffff";
}

/** As in lenient_book/figures.py; on a dark page a lighter tone of the same. */
export const policyColour = (name) =>
  ({
    TS: "var(--ts)",
    "ε-TS": "var(--eps-ts)",
    "KL-UCB": "var(--kl-ucb)",
    "ε-KL-UCB": "var(--eps-kl-ucb)",
    UCB1: "var(--ucb1)",
    "squeezed KL-UCB": "var(--squeezed)",
    UCB1: "var(--ucb1)",
    IMED: "var(--imed)",
  })[name];

/** Lines of one family are told apart by their dashes, as there. */
export const policyDash = (name) =>
  ({ "squeezed KL-UCB": "9 2", UCB1: "6 4", IMED: "9 2" })[name];

const NAMES = /(ε-KL-UCB|squeezed KL-UCB|KL-UCB|ε-TS|TS|UCB1|IMED)/;

/** A text in which each policy has the colour that it has in the pictures. */
export function tell(element, text) {
  element.replaceChildren(
    ...text.split(NAMES).map((part) =>
      policyColour(part) ? h("b", { style: `color:${policyColour(part)}` }, part) : part),
  );
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Calls `draw` when the element gets another width, or the page another theme. */
export function redraw(element, draw) {
  let width = 0;
  const look = () => {
    if (Math.abs(element.clientWidth - width) < 1) return;
    width = element.clientWidth;
    draw();
  };
  if (globalThis.ResizeObserver) new ResizeObserver(look).observe(element);
  new MutationObserver(draw).observe(document.documentElement, {
    attributes: true,
    attributeFilter: ["data-theme"],
  });
}

/** A labelled slider whose value is shown; `input` gets the number. */
export function slider({ label, min, max, step, value, show = plain, input }) {
  const shown = h("output", {}, show(value));
  const range = h("input", {
    type: "range", min, max, step, value, "aria-valuetext": show(value), autocomplete: "off",
  });
  const update = () => {
    shown.textContent = show(Number(range.value));
    range.setAttribute("aria-valuetext", shown.textContent);
  };
  range.addEventListener("input", () => {
    update();
    input(Number(range.value));
  });
  const element = h("label", { class: "slider" }, h("span", {}, label), range, shown);
  return {
    element,
    range,
    set(x) {
      range.value = x;
      update();
    },
  };
}

export function button(text, click, attributes = {}) {
  return h("button", { type: "button", onclick: click, ...attributes }, text);
}

/** A menu of choices {value: words}. */
export function menu({ label, choices, value, input }) {
  const select = h(
    "select",
    { autocomplete: "off", onchange: () => input(select.value) },
    Object.entries(choices).map(([key, words]) =>
      h("option", { value: key, selected: key === String(value) }, words)),
  );
  return {
    element: h("label", { class: "menu" }, h("span", {}, label), select),
    select,
    set: (x) => (select.value = x),
  };
}

/**
 * Drag an element of an SVG by mouse, pen or finger; `move` gets its coordinates. A finger
 * drags what has the class "hold"; elsewhere it may as well scroll the page, and only a tap
 * counts.
 */
export function drag(svg, grip, move) {
  const follow = (e) => {
    const box = svg.getBoundingClientRect();
    const { width, height } = svg.viewBox.baseVal;
    move(
      ((e.clientX - box.left) / box.width) * width,
      ((e.clientY - box.top) / box.height) * height,
    );
  };
  // What is dragged upwards must not scroll the page; touch-action is no help within an SVG.
  const upwards = (e) => e.target.closest(".hold") && !e.target.closest(".side");
  grip.addEventListener("touchstart", (e) => e.cancelable && upwards(e) && e.preventDefault(), { passive: false });
  grip.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" && !event.target.closest(".hold")) {
      const tapped = (e) => Math.hypot(e.clientX - event.clientX, e.clientY - event.clientY) < 10;
      const up = (e) => tapped(e) && follow(e);
      grip.addEventListener("pointerup", up, { once: true });
      grip.addEventListener("pointercancel", () => grip.removeEventListener("pointerup", up), { once: true });
      return;
    }
    event.preventDefault();
    grip.focus?.({ preventScroll: true });
    grip.setPointerCapture(event.pointerId);
    const stop = () => grip.removeEventListener("pointermove", follow);
    grip.addEventListener("pointermove", follow);
    grip.addEventListener("pointerup", stop, { once: true });
    grip.addEventListener("pointercancel", stop, { once: true });
    follow(event);
  });
}

/** Arrow keys, Page Up/Down, Home and End for something with role="slider". */
export function keys(element, { get, set, min = 0, max = 1, step = 0.01, big = 0.1 }) {
  element.addEventListener("keydown", (event) => {
    const by = {
      ArrowUp: step, ArrowRight: step, ArrowDown: -step, ArrowLeft: -step,
      PageUp: big, PageDown: -big, Home: -Infinity, End: Infinity,
    }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const to = Math.min(max, Math.max(min, get() + by));
    set(Number(to.toFixed(6)));
  });
}
