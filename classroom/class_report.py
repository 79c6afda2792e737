"""A report on the class, for the teacher alone: course/report.html.

Run as `make report`. Points for each question, how hard it was and whether it tells good work
from bad, what failed most often, when work came in, and submissions that are much alike.
"""

import base64
import io
import re
import statistics
import sys
from collections import Counter
from html import escape

import matplotlib

matplotlib.use("agg")

import nbformat
from matplotlib import pyplot as plt

from . import tables
from .alike import alike
from .assignments import students_notebook
from .folders import course_folder
from .formulas import with_formulas
from .late import in_words, read_late
from .page import whole_page
from .results import results
from .roll import read_roll
from .sources import about, names, points, source
from .told import told

_BAR, _LOST = "#0072b2", "#d55e00"


def main():
    everything, roll = results(), read_roll()
    if not everything:
        sys.exit("Nothing has been marked yet: make grade SUBMISSIONS=folder")
    done = [name for name in names() if any(one.assignment == name for one in everything)]
    pairs = []
    sections = []
    for name in done:
        mine = [one for one in everything if one.assignment == name]
        notebooks = {one.key: _autograded(one) for one in mine}
        found = _pairs(name, mine, notebooks)
        pairs += [(name, pair) for pair in found]
        sections.append(_section(name, mine, notebooks, found, roll))
    head = (
        '<p class="quiet">For the teacher alone: names, hidden tests and all.</p>'
        f"<h1>The class</h1><p>{len({one.student for one in everything})} students have handed "
        f"in {len(everything)} times; {len(roll.students) or 'nobody'} on the roll.</p>"
        f"{_contents(done)}"
    )
    path = course_folder() / "report.html"
    path.write_text(whole_page("The class", head, "\n".join(sections)), "utf-8")
    print(f"The report: {path}")
    print(f"Much alike: {_write_pairs(pairs)} ({len(pairs)} pairs)")


def _contents(done):
    links = [f'<li><a href="#{name}">{escape(about(name).title)}</a></li>' for name in done]
    return f"<nav><ul>{''.join(links)}</ul></nav>"


def _autograded(one):
    folder = course_folder() / "autograded" / one.key / one.assignment
    try:
        return nbformat.read(folder / f"{one.assignment}.ipynb", as_version=4)
    except OSError:
        return nbformat.v4.new_notebook()


# ---- one assignment ------------------------------------------------------------------
def _section(name, mine, notebooks, pairs, roll):
    # A group's work counts once.
    once = {one.key: one for one in mine}
    work = [*once.values()]
    complete = [one for one in work if one.complete]
    missing = [one.name for one in roll.students if one not in {m.student for m in mine}]
    title = f"Assignment {about(name).number}: {about(name).title}"
    lines = [f'<section id="{name}"><h2>{escape(title)}</h2>']
    handed = f"{len(mine)} students, {len(work)} notebooks"
    counted, so_far = (complete, "") if complete else (work, " so far")
    got = [one.points for one in counted]
    handed += f"; mean{so_far} {statistics.mean(got):.1f}, median {statistics.median(got):g}"
    handed += f" of {work[0].most:g} points."
    if waiting := len(work) - len(complete):
        handed += f" {waiting} wait to be marked by hand"
        handed += ", and are not in these figures." if complete else "."
    lines.append(f"<p>{handed}</p>")
    if missing:
        lines.append(f"<p>Nothing from: {escape(', '.join(missing))}.</p>")
    lines.append(_histogram(counted, f"points{so_far}"))
    lines.append(_when(name, work))
    lines.append(_questions(name, work))
    lines.append(_failures(work, notebooks))
    lines.append(_pairs_shown(pairs))
    return "\n".join([*filter(None, lines), "</section>"])


def _histogram(work, label):
    most = work[0].most
    fig, ax = plt.subplots(figsize=(7, 2.2))
    ax.hist([one.points for one in work], bins=[x - 0.5 for x in range(int(most) + 2)],
            color=_BAR, edgecolor="white")  # fmt: skip
    ax.set(xlabel=label, ylabel="notebooks", xlim=(-0.5, most + 0.5))
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_major_locator().set_params(integer=True)
    low, high = min(one.points for one in work), max(one.points for one in work)
    return _picture(fig, f"Histogram of the points, from {low:g} to {high:g} of {most:g}.")


def _when(name, work):
    """When work came in: hours before it was due, or the day."""
    due = read_late().due.get(name)
    times = [one.handed_in for one in work if one.handed_in]
    if len(times) < 3:
        return ""
    if due is None:
        first, last = min(times), max(times)
        return f"<p>Handed in from {first:%d %B %H:%M} to {last:%d %B %H:%M}.</p>"
    hours = [(due - at).total_seconds() / 3600 for at in times]
    fig, ax = plt.subplots(figsize=(7, 1.8))
    late = [hour for hour in hours if hour < 0]
    step = max(1, round((max(*hours, 0) - min(*hours, 0)) / 24))  # one edge is at 0
    edges = range(step * int(min(*hours, 0) // step), int(max(*hours, 1)) + 2 * step, step)
    ax.hist([hour for hour in hours if hour >= 0], edges, color=_BAR, label="in time")
    ax.hist(late, edges, color=_LOST, hatch="//", label="late")
    ax.axvline(0, color="black", linewidth=1)
    ax.invert_xaxis()
    ax.set(xlabel="hours before it was due", ylabel="notebooks")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.legend(frameon=False)
    middle = statistics.median(hours)
    alt = f"{len(late)} of {len(hours)} are late; the median is {middle:.0f} hours before."
    latest = f"<p>{len(late)} late, by up to {in_words(max(times) - due)}.</p>" if late else ""
    return _picture(fig, alt) + latest


def _questions(name, work):
    worth, rows, shares = points(source(name)), [], []
    for q, most in worth.items():
        got = [float(one.row[q]) for one in work if one.row.get(q)]
        if not got:
            rows.append([q.upper(), "–", "–", "–", "–"])
            shares.append(None)
            continue
        share = statistics.mean(got) / most
        shares.append(share)
        full = sum(x >= most for x in got) / len(got)
        none = sum(x == 0 for x in got) / len(got)
        rows.append([q.upper(), f"{statistics.mean(got):.1f} of {most:g}", f"{full:.0%}",
                     f"{none:.0%}", _tells(q, work)])  # fmt: skip
    fig, ax = plt.subplots(figsize=(7, 0.35 * len(worth) + 0.9))
    labels = [q.upper() for q in worth]
    ax.barh(labels, [100 * (share or 0) for share in shares], color=_BAR)
    ax.set(xlim=(0, 100), xlabel="points got, in per cent")
    ax.invert_yaxis()
    said = ", ".join(f"{q} {s:.0%}" for q, s in zip(labels, shares) if s is not None)
    head = ["", "mean", "all points", "none", "tells apart"]
    note = (
        "<p class=quiet><em>Tells apart</em>: the correlation of a question's points with "
        "those of all the others. Near 0 or below, look at the question.</p>"
    )
    return _picture(fig, f"Points got for each question: {said}.") + _table(head, rows) + note


def _tells(q, work):
    """Correlation of a question with the rest, as far as that is marked."""
    pairs = [
        (float(one.row[q]), float(one.row["points"]) - float(one.row[q]))
        for one in work if one.row.get(q)
    ]  # fmt: skip
    try:
        return f"{statistics.correlation(*zip(*pairs)):.2f}"
    except (TypeError, statistics.StatisticsError):  # too few, or all alike
        return "–"


def _failures(work, notebooks):
    """What checks said most often; numbers in a message are taken for the same."""
    said = Counter()
    for one in work:
        messages = told(notebooks[one.key])
        said.update(
            {(each.check, re.sub(r"-?\d[\d.e-]*", "…", each.text)) for each in messages}
        )
    common = [(key, n) for key, n in said.most_common(8) if n > 1]
    if not common:
        return ""
    rows = [[str(n), check, with_formulas(escape(text[:300]))] for (check, text), n in common]
    return "<h3>What failed most often</h3>" + _table(
        ["", "check", "what it said"], rows, False
    )


def _pairs_shown(pairs):
    if not pairs:
        return ""
    blocks = []
    for pair in pairs[:20]:
        shared = "\n".join(f"{q.upper()}  {piece}" for q, piece in pair.shared[:40])
        what = f"{len(pair.shared)} of {pair.of} rare pieces, in {', '.join(pair.questions)}"
        who = f"{escape(pair.first)} and {escape(pair.second)}: {what}"
        blocks.append(f"<details><summary>{who}</summary><pre>{escape(shared)}</pre></details>")
    note = (
        "<p class=quiet>Statements with the students' own names replaced (v0, v1, …), "
        "comments, and runs of eight words, which few of the class have. Read both before you "
        "say a word: this proves nothing.</p>"
    )
    return f"<h3>Much alike</h3>{note}{''.join(blocks)}"


# ---- pieces of a page ----------------------------------------------------------------
def _table(head, rows, escaped=True):
    top = "".join(f"<th>{escape(text)}</th>" for text in head)
    body = "".join(
        "<tr>"
        + "".join(f"<td>{escape(cell) if escaped else cell}</td>" for cell in row)
        + "</tr>"
        for row in rows
    )
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _picture(fig, alt):
    for side in ("top", "right"):
        fig.axes[0].spines[side].set_visible(False)
    data = io.BytesIO()
    fig.savefig(data, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(fig)
    text = f"data:image/svg+xml;base64,{base64.b64encode(data.getvalue()).decode()}"
    return f'<p><img class="picture" alt="{escape(alt)}" src="{text}"></p>'


# ---- pairs ---------------------------------------------------------------------------
def _pairs(name, mine, notebooks):
    together = [(one.key, other.name) for one in mine for other in one.shared]
    return alike(notebooks, [source(name), students_notebook(name)], together)


def _write_pairs(pairs):
    path = course_folder() / "alike.csv"
    columns = ["assignment", "first", "second", "shared", "of", "questions", "for_example"]
    rows = [
        {"assignment": name, "first": pair.first, "second": pair.second,
         "shared": len(pair.shared), "of": pair.of, "questions": " ".join(pair.questions),
         "for_example": max((piece for _, piece in pair.shared), key=len)[:200]}
        for name, pair in pairs
    ]  # fmt: skip
    tables.write_lines(path, columns, rows)
    return path


if __name__ == "__main__":
    main()
