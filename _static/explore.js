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
    // The play button moves the first slider through all its values, once.
    const play = find("button"), slider = find("input[type=range]");
    let timer = 0;
    const stop = () => {
      clearInterval(timer);
      timer = 0;
      play.textContent = "▶ Play";
      play.ariaPressed = "false";
    };
    const move = (to) => {
      slider.value = to;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    };
    play?.addEventListener("click", () => {
      if (timer) return stop();
      play.textContent = "❚❚ Pause";
      play.ariaPressed = "true";
      if (slider.value == slider.max) move(slider.min);
      timer = setInterval(() => {
        move(Number(slider.value) + 1);
        if (slider.value == slider.max) stop();
      }, 900);
    });
    root.classList.add("alive");
  }
});
