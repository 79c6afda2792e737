// A printed page cannot be clicked: open what is folded, and fold it again afterwards.
(() => {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((details) => (details.open = true));
  });
  addEventListener("afterprint", () => {
    opened.forEach((details) => (details.open = false));
    opened = [];
  });
})();
