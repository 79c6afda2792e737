// Starts the slides.
Reveal.initialize({
  hash: true,
  slideNumber: "c/t",
  width: 1120,
  height: 700,
  transition: "none",
  center: true,
  plugins: [RevealNotes],
});
