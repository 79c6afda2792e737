// The map of the book: lines between chapters, what a chapter needs, ways through it.
addEventListener("DOMContentLoaded", () => {
  const map = document.querySelector(".book-map"), field = map.querySelector(".stations");
  const stations = new Map([...map.querySelectorAll("li")].map((li) => [li.dataset.chapter, li]));
  const needs = (li) => li.dataset.needs.split(" ").filter(Boolean);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("aria-hidden", "true");
  field.prepend(svg);

  const draw = () => {
    const home = field.getBoundingClientRect();
    svg.setAttribute("viewBox", `0 0 ${home.width} ${home.height}`);
    svg.replaceChildren();
    for (const [number, li] of stations)
      for (const before of needs(li)) {
        const a = stations.get(before)?.getBoundingClientRect(), b = li.getBoundingClientRect();
        if (!a || a.right > b.left) continue; // below each other on a phone
        const [x, y, u, v] = [a.right - home.x, a.y + a.height / 2 - home.y, b.x - home.x,
          b.y + b.height / 2 - home.y];
        const path = document.createElementNS(svg.namespaceURI, "path");
        path.setAttribute("d", `M${x} ${y}C${x + 28} ${y} ${u - 28} ${v} ${u} ${v}`);
        Object.assign(path.dataset, { from: before, to: number });
        svg.append(path);
      }
    light();
  };

  let way = null, near = null;
  const all = (number, found = new Set()) => {
    for (const before of needs(stations.get(number)))
      if (stations.has(before) && !found.has(before)) all(before, found.add(before));
    return found;
  };
  const light = () => {
    const lit = near ? all(near).add(near) : way && new Set(way);
    map.classList.toggle("lit", Boolean(lit));
    for (const [number, li] of stations) li.classList.toggle("on", Boolean(lit?.has(number)));
    for (const path of svg.children)
      path.classList.toggle("on", Boolean(lit?.has(path.dataset.from) && lit.has(path.dataset.to)));
  };
  for (const [number, li] of stations) {
    const point = (to) => () => { near = to; light(); };
    li.addEventListener("pointerenter", point(number));
    li.addEventListener("pointerleave", point(null));
    li.addEventListener("focusin", point(number));
    li.addEventListener("focusout", point(null));
  }
  const buttons = [...map.querySelectorAll("button")];
  for (const button of buttons)
    button.addEventListener("click", () => {
      const on = button.ariaPressed !== "true";
      for (const other of buttons) other.ariaPressed = String(on && other === button);
      way = on ? button.dataset.way.split(" ") : null;
      map.querySelector(".way").textContent = on ? `Chapters ${way.join(", ")}.` : "";
      light();
    });
  map.querySelector(".ways").hidden = false;
  new ResizeObserver(draw).observe(field);
});
