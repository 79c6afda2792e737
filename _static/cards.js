// Shows what a reference refers to in a small card: under the mouse, at the focus of the
// keyboard, at the first tap of a finger. The cards are in the page (_ext/cards.py).
addEventListener("DOMContentLoaded", () => {
  const cards = JSON.parse(document.getElementById("cards")?.textContent || "{}");
  const box = Object.assign(document.createElement("div"), { id: "card", popover: "manual" });
  if (!("popover" in HTMLElement.prototype) || !Object.keys(cards).length) return;
  box.setAttribute("role", "tooltip");
  document.body.append(box);
  let owner = null, timer = 0;

  const place = (link) => {
    const [first] = link.getClientRects(), gap = 8;
    const width = Math.min(560, innerWidth - 2 * gap);
    box.style.width = `${width}px`;
    const below = innerHeight - first.bottom, high = box.offsetHeight;
    const top = below > high + gap || below > first.top ? first.bottom + gap
      : Math.max(gap, first.top - high - gap);
    box.style.top = `${top}px`;
    box.style.maxHeight = `${Math.max(below, first.top) - 2 * gap}px`;
    box.style.left = `${Math.max(gap, Math.min(first.left, innerWidth - width - gap))}px`;
  };
  const show = async (link, touched) => {
    clearTimeout(timer);
    if (owner === link) return;
    hide();
    owner = link;
    box.innerHTML = cards[link.getAttribute("href")];
    if (touched) box.append(Object.assign(document.createElement("a"),
      { href: link.href, textContent: "Go there", className: "go" }));
    box.showPopover();
    place(link);
    link.setAttribute("aria-describedby", "card");
    await window.MathJax?.typesetPromise?.([box]);
    if (owner === link) place(link);
  };
  const hide = () => {
    clearTimeout(timer);
    owner?.removeAttribute("aria-describedby");
    owner = null;
    if (box.matches(":popover-open")) box.hidePopover();
  };
  const soon = (what, after) => {
    clearTimeout(timer);
    timer = setTimeout(what, after);
  };
  for (const link of document.querySelectorAll("article a.reference.internal[href*='#']")) {
    if (!(link.getAttribute("href") in cards)) continue;
    let finger = false;
    link.addEventListener("pointerdown", (e) => (finger = e.pointerType === "touch"));
    link.addEventListener("pointerenter", (e) => {
      if (e.pointerType === "mouse") soon(() => show(link), 250);
    });
    link.addEventListener("pointerleave", (e) => {
      if (e.pointerType === "mouse") soon(hide, 250);
    });
    link.addEventListener("focus", () => {
      if (link.matches(":focus-visible") && !finger) show(link);
    });
    link.addEventListener("blur", () => soon(hide, 100));
    link.addEventListener("click", (e) => {
      if (finger && owner !== link) {
        e.preventDefault();
        show(link, true);
      } else hide();
    });
  }
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  box.addEventListener("pointerleave", (e) => e.pointerType === "mouse" && soon(hide, 250));
  addEventListener("keydown", (e) => e.key === "Escape" && hide());
  addEventListener("pointerdown", (e) => {
    if (owner && !box.contains(e.target) && e.target.closest("a") !== owner) hide();
  });
  addEventListener("scroll", () => owner && soon(hide, 150), { passive: true });
});
