// What a reader has read, and where they were: kept in this browser alone. Ticks in the
// sidebar, a way back to the place, on the front page a way on.
addEventListener("DOMContentLoaded", () => {
  const KEY = "lenient:read";
  let read;
  try {
    read = JSON.parse(localStorage.getItem(KEY)) || {};
  } catch {
    return; // a browser that keeps nothing
  }
  const page = (address) => new URL(address, location).pathname.split("/").pop();
  const here = page(location.href), title = document.querySelector("article h1");
  const save = (change) => {
    read = { ...JSON.parse(localStorage.getItem(KEY) || "{}") };
    read[here] = { ...read[here], ...change, when: Date.now() };
    localStorage.setItem(KEY, JSON.stringify(read));
  };
  const tick = () => {
    for (const link of document.querySelectorAll(".bd-sidebar-primary .bd-links a, .book-map a")) {
      if (!read[page(link.href)]?.done || link.querySelector(".tick")) continue;
      const mark = Object.assign(document.createElement("span"), { className: "tick" });
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", "read");
      link.append(mark);
    }
  };
  const way = (text, href) => {
    const p = Object.assign(document.createElement("p"), { className: "way-back" });
    const link = Object.assign(document.createElement("a"), { href, textContent: text });
    p.append(link);
    return p;
  };
  tick();
  const chapter = /^\d\d-/.test(here);
  if (!chapter) {
    const [name, last] = Object.entries(read).filter(([n, r]) => /^\d\d-/.test(n) && r.name)
      .sort((a, b) => b[1].when - a[1].when)[0] || [];
    const place = document.getElementById("go-on");
    if (place && last) {
      place.replaceChildren(way(`Go on with ${last.name}`, `${name}${last.place ? `#${last.place}` : ""}`));
    }
    return;
  }
  const headings = [...document.querySelectorAll("article section[id] > :is(h2, h3)")];
  const before = read[here];
  if (before?.place && !location.hash && !before.done) {
    const heading = document.getElementById(before.place)?.querySelector("h2, h3");
    if (heading) {
      const text = heading.textContent.replace(/#$/, "").trim();
      (document.querySelector(".page-facts") || title).after(way(`You were at ${text}`, `#${before.place}`));
    }
  }
  const name = title.textContent.replace(/#$/, "").trim();
  let waiting = 0;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = setTimeout(() => {
      waiting = 0;
      const passed = headings.filter((h) => h.getBoundingClientRect().top < innerHeight / 3).pop();
      const end = document.querySelector(".prev-next-footer")?.getBoundingClientRect().top;
      const done = read[here]?.done || end < innerHeight;
      save({ name, place: done ? "" : passed?.closest("section").id || "", ...(done ? { done } : {}) });
      if (done) tick();
    }, 400);
  }, { passive: true });
});
