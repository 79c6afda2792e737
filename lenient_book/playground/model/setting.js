// What the reader has set: read from and written to an address, and checked.
import { GAPS } from "./gaps.js";
import { POLICIES } from "./policies.js";

export const START = {
  means: [0.9, 0.75, 0.6, 0.4],
  eps: 0.2,
  gap: "hinge",
  policies: ["TS", "ε-TS"],
  seed: 18,
  horizon: 5000,
  runs: 1000,
};

const whole = (least, most) => (x) => Number.isInteger(x) && x >= least && x <= most;

// For each part of a setting: what is accepted, and the words for it.
const RULES = {
  means: [
    (m) =>
      Array.isArray(m) && m.length >= 2 && m.length <= 8 && m.every((x) => x >= 0 && x <= 1),
    "2 to 8 numbers from 0 to 1",
  ],
  eps: [(e) => e >= 0 && e <= 0.95, "a number from 0 to 0.95"],
  gap: [(g) => Object.hasOwn(GAPS, g), `one of ${Object.keys(GAPS).join(", ")}`],
  policies: [
    (p) =>
      Array.isArray(p) && p.length >= 1 && p.length <= 4 && new Set(p).size === p.length &&
      p.every((name) => Object.hasOwn(POLICIES, name)),
    `1 to 4 of ${Object.keys(POLICIES).join(", ")}`,
  ],
  seed: [whole(0, 2 ** 31), "a whole number from 0 on"],
  horizon: [whole(1, 1e12), "a whole number of rounds, up to 10¹²"],
  runs: [whole(1, 20000), "a whole number, up to 20,000"],
};

/** What is wrong with part of a setting, in words; "" if nothing is. */
export function fault(name, value) {
  if (!Object.hasOwn(RULES, name)) return `there is no setting ${name}`;
  const [accepts, words] = RULES[name];
  return accepts(value) ? "" : `${name} must be ${words}, got ${value}`;
}

/** A number as it was typed: a comma or a point, 1e6 or 10^6. */
export function readNumber(text) {
  const plain = String(text).trim().replace("10^", "1e");
  return plain === "" ? NaN : Number(plain);
}

/** {setting, faults} from "means=0.9,0.6&eps=0.2&…"; what is wrong there is left out. */
export function readAddress(text) {
  const setting = {};
  const faults = [];
  for (const [name, value] of new URLSearchParams(text.replace(/^#/, ""))) {
    if (!Object.hasOwn(RULES, name)) continue; // an anchor, or somebody else's
    const parts = value.split(",").map((part) => part.trim());
    const read = {
      means: () => parts.map(readNumber),
      policies: () => parts,
      gap: () => value,
    };
    const got = (read[name] ?? (() => readNumber(value)))();
    const wrong = fault(name, got);
    if (wrong) faults.push(wrong);
    else setting[name] = got;
  }
  return { setting, faults };
}

/** The address of a setting; what is as at the start is left out. */
export function writeAddress(setting) {
  const parts = Object.keys(START)
    .filter((name) => name in setting && String(setting[name]) !== String(START[name]))
    .map((name) => `${name}=${encodeURIComponent(setting[name]).replaceAll("%2C", ",")}`);
  return parts.join("&");
}
