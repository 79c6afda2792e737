"""What goes back to a learning platform: feedback pages in zips, and tables of grades.

Pages are packed under the names that the platform gave to what was handed in, since it goes
by these when they are uploaded; see *Running and marking* for where to do that. Grades that
are not complete, because a question waits to be marked by hand, are left out of the tables.
"""

import re
import zipfile

from . import tables
from .folders import course_folder
from .intake import student_id
from .lms import sender
from .roll import read_roll
from .sources import about, names, points, source


def write(results, pages):
    """Write all zips and tables that can be made; a line for the screen on each."""
    said = []
    for name in names():
        mine = [one for one in results if one.assignment == name]
        for platform in ("Moodle", "Canvas", "Brightspace", ""):
            those = [one for one in mine if one.sender.platform == platform and one in pages]
            if those:
                said.append(_pack(name, platform, those, pages))
        moodle = [one for one in mine if one.sender.platform == "Moodle" and one.complete]
        if rows := [_moodle_row(one) for one in moodle if _is_senders(one)]:
            said.append(_table(f"moodle-{name}", rows, "Moodle, this assignment"))
    said += _tables_of_the_course(results)
    if waiting := sum(not one.complete for one in results):
        said.append(f"{waiting} results wait to be marked by hand, and are in no table yet")
    return said


def _is_senders(one):
    """Whether it is of the member of a group whose name the file bears."""
    return not one.shared or student_id(one.student.name) == one.key


# ---- pages ---------------------------------------------------------------------------
def _pack(name, platform, results, pages):
    path = course_folder() / "feedback" / ("-".join(filter(None, [name, platform.lower()])))
    path = path.with_name(f"{path.name}.zip")
    inside = {}
    for one in sorted(results, key=_is_senders):  # of a group, one page under the one name
        inside[_name_in_zip(one)] = pages[one].read_bytes()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for file, content in sorted(inside.items()):
            # A fixed date, so that the same pages make the same zip.
            entry = zipfile.ZipInfo(file, (2000, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content)
    return f"{platform or 'No platform':12} {len(inside):3} pages   {path}"


def _name_in_zip(one):
    """The name that a platform will look at."""
    parts = one.row["file"].removeprefix("./").split("/")
    part = next((part for part in parts if sender(part) == one.sender), "")
    if one.sender.platform == "Moodle":
        head = re.match(r"(?s)(.+?_\d+_assignsubmission_[a-z]+)", part)[1]
        return f"{head}_/{one.assignment}.html"
    if one.sender.platform == "Canvas":
        return re.sub(r"\.\w+$", "", part) + ".html"
    if one.sender.platform == "Brightspace":
        folder = re.match(r"(?s)(.+? [AP]M)", part)[1]
        return f"{folder}/{one.assignment}.html"
    return f"{student_id(one.student.name)}.html"


# ---- grades --------------------------------------------------------------------------
def _moodle_row(one):
    """As in Moodle's offline grading worksheet, in its English words."""
    return {
        "Identifier": f"Participant {one.sender.number}",
        "Full name": one.student.name,
        "Grade": f"{one.points:g}",
        "Last modified (grade)": "",
        "Feedback comments": one.late and f"Handed in late ({one.late}).",
    }


def _tables_of_the_course(results):
    """One table of all assignments for each platform, of those who are on the roll."""
    roll = read_roll()
    students = roll.students
    got = {(one.student, one.assignment): f"{one.points:g}" for one in results if one.complete}
    done = [name for name in names() if any(name == assignment for _, assignment in got)]
    titles = {name: about(name).title for name in done}
    known = {key for one in students for key in ("canvas", "number", "login", "email")
             if getattr(one, key)}  # fmt: skip
    said = []

    def as_brightspace_writes(name):
        return f"{titles[name]} Points Grade"

    def marks(student, title=titles.get):
        return {title(name): got.get((student, name), "") for name in done}

    def as_canvas_writes(name):
        """`Gap functions (1234)` if the roll is an export of Canvas, which has these titles."""
        numbered = re.compile(rf"{re.escape(titles[name])} \(\d+\)")
        return next(filter(numbered.fullmatch, roll.titles), titles[name])

    if done and known & {"canvas", "number", "login"}:
        most = {
            as_canvas_writes(name): f"{sum(points(source(name)).values()):g}" for name in done
        }
        empty = dict.fromkeys(["ID", "SIS User ID", "SIS Login ID", "Section"], "")
        rows = [{"Student": "    Points Possible", **empty, **most}] + [
            {"Student": _turned(one), "ID": one.canvas, "SIS User ID": one.number,
             "SIS Login ID": one.login, "Section": one.section, **marks(one, as_canvas_writes)}
            for one in students
        ]  # fmt: skip
        said.append(_table("canvas", rows, "Canvas"))
    if done and known & {"number", "login"}:
        rows = [
            {"OrgDefinedId": one.number and f"#{one.number}",
             "Username": one.login and f"#{one.login}",
             **marks(one, as_brightspace_writes), "End-of-Line Indicator": "#"}
            for one in students if one.number or one.login
        ]  # fmt: skip
        said.append(_table("brightspace", rows, "Brightspace"))
    if done and known & {"number", "login", "email"}:
        rows = [
            {"Full name": one.name, "ID number": one.number, "Email address": one.email,
             "Username": one.login, **marks(one)}
            for one in students
        ]  # fmt: skip
        said.append(_table("moodle-gradebook", rows, "Moodle, gradebook"))
    return said


def _turned(one):
    """Lovelace, Ada: as Canvas sorts names."""
    first, _, last = one.name.rpartition(" ")
    if one.last:
        first, last = one.first, one.last
    return f"{last}, {first}" if first else last


def _table(name, rows, what):
    path = course_folder() / "grades-for" / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    tables.write_lines(path, [*rows[0]], rows)
    return f"grades for {what:24} {path}"
