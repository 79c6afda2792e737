// Explorers drawn beforehand by lenient_book/explore.py: each control picks a frame.
addEventListener("DOMContentLoaded", () => {
  for (const root of document.querySelectorAll(".lenient-explore")) {
    const find = (what) => root.querySelector(what);
    const { texts, frames, use, alts, captions } = JSON.parse(find(".data").textContent);
    const controls = [...root.querySelectorAll("input, select")];
    // The frame that shows without JavaScript is stored in the image alone.
    frames[frames.indexOf(null)] = find("img").src;

    root.addEventListener("input", () => {
      let i = 0;
      controls.forEach((c, j) => {
        i = i * texts[j].length + Number(c.value);
        if (c.type == "range")
          c.ariaValueText = c.nextElementSibling.textContent = texts[j][c.value];
      });
      find("img").src = frames[use[i]];
      // A new alt text is not read out; the live region is.
      find("img").alt = find("[aria-live]").textContent = alts[i];
      find("figcaption").textContent = captions[i];
    });
    root.classList.add("alive");
  }
});
