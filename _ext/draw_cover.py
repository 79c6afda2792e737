"""Draw the cover, chapters/cover.svg: a thousand lunches under two policies.

    python _ext/draw_cover.py

The street is that of the first chapter. Of 101 runs of each policy the one with the
median number of bad lunches is shown, so that the picture is neither luck nor show.
"""

from pathlib import Path

import numpy as np

import lenient

COVER = Path(__file__).parents[1] / "chapters" / "cover.svg"

MEANS = [0.90, 0.89, 0.88, 0.87, 0.86, 0.85, 0.84, 0.83, 0.60, 0.55, 0.50, 0.40]
EPS = 0.2
LUNCHES, RUNS, SEED = 1000, 101, 1

GROUND, TEXT, BAD = "#0F2438", "#FFFFFF", "#FFB000"
# The good restaurants, neighbours in quality far apart in lightness.
GOOD = ["#D6F0FA", "#1F6F9F", "#8CCDE8", "#2F8F83"]
GOOD += ["#5AA9D6", "#A8DCCB", "#3E5C9A", "#66B5A0"]

COLUMNS, STEP, SQUARE = 40, 11, 9  # squares in a row, their distance and their side
MARGIN, BETWEEN, TOP = 28, 36, 76
PANEL = COLUMNS * STEP
WIDTH = 2 * MARGIN + 2 * PANEL + BETWEEN
HEIGHT = TOP + LUNCHES // COLUMNS * STEP + 70


def typical_run(policy):
    """The arm of every lunch in the run with the median number of bad lunches."""
    simulation = lenient.simulate(
        MEANS, policy, LUNCHES, RUNS, SEED, range(1, LUNCHES + 1), engine="plain"
    )
    bad = simulation.regret(lenient.indicator(EPS))[:, -1]
    run = np.argsort(bad, kind="stable")[RUNS // 2]
    return np.diff(simulation.pulls[run], axis=0, prepend=0).argmax(axis=1)


def mosaic(arms, left):
    """One path a colour: a square a lunch, line by line."""
    for arm, color in enumerate(GOOD + [BAD] * (len(MEANS) - len(GOOD))):
        squares = "".join(
            f"M{left + lunch % COLUMNS * STEP} {TOP + lunch // COLUMNS * STEP}"
            f"h{SQUARE}v{SQUARE}h-{SQUARE}z"
            for lunch in np.flatnonzero(arms == arm)
        )
        if squares:
            yield f'<path fill="{color}" d="{squares}"/>'


def panel(title, arms, left):
    """A mosaic, who played it, and how many of its lunches were bad."""
    count = int((arms >= len(GOOD)).sum())
    note = f"{count} bad {'lunch' if count == 1 else 'lunches'}"
    yield f'<text x="{left}" y="54">{title}</text>'
    yield from mosaic(arms, left)
    yield f'<rect x="{left}" y="{HEIGHT - 48}" width="24" height="24" fill="{BAD}"/>'
    yield f'<text x="{left + 38}" y="{HEIGHT - 25}">{note}</text>'


def cover():
    """The whole picture as SVG text."""
    policies = {"Thompson sampling": lenient.TS(), "ε-TS, lenient": lenient.EpsTS(EPS)}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
        f'font-size="34" fill="{TEXT}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>',
    ]
    for number, (title, policy) in enumerate(policies.items()):
        left = MARGIN + number * (PANEL + BETWEEN)
        lines += panel(title, typical_run(policy), left)
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    COVER.write_text(cover(), encoding="utf-8")
