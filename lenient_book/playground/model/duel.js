// Two arms, one uniform number a round: P(θ₁ > θ₂) needs no Beta draw.
//
// With h = P(Beta(a, b) > Beta(c, d)) and g = B(a+c, b+d) / (B(a, b) B(c, d)),
//     h(a+1) = h + g/a,  h(b+1) = h − g/b,  h(c+1) = h − g/c,  h(d+1) = h + g/d,
// and g moves by a ratio.
import { logBeta } from "./beta.js";

/** [h, g] from nothing: a sum over the smallest of the four numbers. */
export function duel(a, b, c, d) {
  const least = Math.min(a, b, c, d);
  // X > Y is 1−Y > 1−X, and not Y > X: each number can be brought to the first place.
  if (least === a) return climb(a, b, c, d);
  if (least === d) return climb(d, c, b, a);
  const [h, g] = least === c ? climb(c, d, a, b) : climb(b, a, d, c);
  return [1 - h, g];
}

/** From Beta(1, b), whose tail is (1−y)^b, up to Beta(a, b). */
function climb(a, b, c, d) {
  let h = Math.exp(logBeta(c, d + b) - logBeta(c, d));
  let g = Math.exp(logBeta(1 + c, b + d) - logBeta(1, b) - logBeta(c, d));
  for (let i = 1; i < a; i++) {
    h += g / i;
    g *= ((i + c) / (i + b + c + d)) * ((i + b) / i);
  }
  return [h, g];
}

/** The state of a duel, moved by one count at a time. */
export class Duel {
  set(a, b, c, d) {
    this.a = a;
    this.b = b;
    this.c = c;
    this.d = d;
    [this.h, this.g] = duel(a, b, c, d);
  }
  // g(a+1)/g(a) = (a+c)/(a+b+c+d) · (a+b)/a, and alike for the others
  aUp() {
    const { a, b, c, d } = this;
    this.h += this.g / a;
    this.g *= ((a + c) * (a + b)) / ((a + b + c + d) * a);
    this.a = a + 1;
  }
  bUp() {
    const { a, b, c, d } = this;
    this.h -= this.g / b;
    this.g *= ((b + d) * (a + b)) / ((a + b + c + d) * b);
    this.b = b + 1;
  }
  bDown() {
    const { a, b, c, d } = this;
    this.g *= ((a + b + c + d - 1) * (b - 1)) / ((b - 1 + d) * (a + b - 1));
    this.b = b - 1;
    this.h += this.g / this.b;
  }
  cUp() {
    const { a, b, c, d } = this;
    this.h -= this.g / c;
    this.g *= ((a + c) * (c + d)) / ((a + b + c + d) * c);
    this.c = c + 1;
  }
  dUp() {
    const { a, b, c, d } = this;
    this.h += this.g / d;
    this.g *= ((b + d) * (c + d)) / ((a + b + c + d) * d);
    this.d = d + 1;
  }
  dDown() {
    const { a, b, c, d } = this;
    this.g *= ((a + b + c + d - 1) * (d - 1)) / ((b + d - 1) * (c + d - 1));
    this.d = d - 1;
    this.h -= this.g / this.d;
  }
}
