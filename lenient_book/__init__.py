"""What the book needs besides the mathematics of `lenient`: figures, sliders, experiments."""
