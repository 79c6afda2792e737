// A printed page cannot be clicked: open what is folded, and fold it again afterwards. Paper
// is white, also that of a dark page.
(() => {
  const { dataset } = document.documentElement;
  let opened = [], theme = dataset.theme;
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((details) => (details.open = true));
    theme = dataset.theme;
    dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    opened.forEach((details) => (details.open = false));
    opened = [];
    dataset.theme = theme;
  });
})();
