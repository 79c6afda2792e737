"""What each student has in the end: the table's marks, with groups and lateness reckoned in.

One result for each student and assignment. Feedback, the tables for platforms, the overview
and the report on the class are all made from these.
"""

import re
from dataclasses import dataclass, field, replace
from datetime import datetime

from . import lms, submission, tables
from .folders import course_folder
from .intake import student_id
from .late import in_words, read_late
from .roll import Student, read_roll


@dataclass(frozen=True, eq=False)
class Result:
    """What a student gets for an assignment."""

    student: Student
    assignment: str
    key: str  # the student's name in nbgrader's folders; of a group, that of one for all
    row: dict  # of the table
    sender: lms.Sender
    handed_in: datetime | None = None
    late: str = ""  # by how much, in words
    lost: float = 0.0  # points, by being late
    shared: tuple = ()  # the others in the group
    remarks: list = field(default_factory=list)

    @property
    def complete(self):
        """Whether nothing waits to be marked by hand."""
        return not self.row["by_hand"]

    @property
    def points(self):
        return round(float(self.row["points"] or 0) - self.lost, 2)

    @property
    def most(self):
        return float(self.row["of"] or 0)


def results(roll=None):
    """All results that count, in the order of assignments and names."""
    roll, late = roll or read_roll(), read_late()
    found = {}
    for path in tables.all_tables():
        for row in tables.read(path):
            if row["status"] in ("marked", "look"):
                for one in _of_row(row, roll, late):
                    _add(found, one)
    return sorted(found.values(), key=lambda one: (one.assignment, one.student.name.casefold()))


def _of_row(row, roll, late):
    """One result, or one for everybody in the group."""
    key, name = row["student"], row["assignment"]
    sender = lms.sender_of(row["file"])
    members = _members(key, sender, roll)
    handed_in = _handed_in(name, key, sender)
    by = late.by(name, handed_in) if handed_in else None
    lost = late.share_lost(by) * float(row["points"] or 0)
    words = in_words(by) if by else "says the platform" if sender.late else ""
    for student in members:
        others = tuple(one for one in members if one is not student)
        yield Result(student, name, key, row, sender, handed_in, words, lost, others)


def _members(key, sender, roll):
    """Everybody whose work it is: one student, two that are named, or a group."""
    name = sender.name or key
    if student := roll.find(sender if sender.platform else key) or roll.find(name):
        return roll.group(student.group) or [student]
    if members := roll.group(name) or roll.group(key):
        return members
    named = [roll.find(part) for part in re.split(r" and |[+&,;_]", name)]
    if len(named) > 1 and all(named):
        return [*dict.fromkeys(named)]
    return [Student(key)]


def _handed_in(name, key, sender):
    """When: as the platform says, or the hub; else when the file was last changed."""
    if sender.when:
        return sender.when.astimezone()
    note = course_folder() / "submitted" / key / name / "timestamp.txt"
    if note.exists():
        said = note.read_text("utf-8").strip().removesuffix(" UTC")
        try:
            return datetime.fromisoformat(f"{said}+00:00").astimezone()
        except ValueError:
            pass
    try:
        return datetime.fromtimestamp(submission.origin(name, key)[2]).astimezone()
    except OSError:
        return None


def _add(found, one):
    """Of two that a group handed in, the later one counts for all."""
    place = one.student, one.assignment
    other = found.setdefault(place, one)
    if other is not one:
        times = [each.handed_in.timestamp() if each.handed_in else 0 for each in (other, one)]
        first, last = (other, one) if times[0] <= times[1] else (one, other)
        said = f"{one.assignment}: also handed in by {first.key}, and the later one counts"
        found[place] = replace(last, remarks=[*last.remarks, said])


def write_overview(names):
    """course/overview.csv: a row for each student, a column for each assignment.

    Those of the roll are there even without a mark.
    """
    roll = read_roll()
    rows = {student: {"student": student.name} for student in roll.students}
    known = {student_id(one.name).casefold(): one for one in roll.students}
    for one in results(roll):
        mine = rows.setdefault(one.student, {"student": one.student.name})
        mine[one.assignment] = f"{one.points:g}"
        if one.row["by_hand"]:
            tables.add_text(mine, "by_hand", f"{one.assignment}: {one.row['by_hand']}")
        if one.late:
            cost = f", {one.lost:g} points" if one.lost else ""
            tables.add_text(mine, "remarks", f"{one.assignment}: late ({one.late}{cost})")
        for remark in one.remarks:
            tables.add_text(mine, "remarks", remark)
    for line in [line for path in tables.all_tables() for line in tables.read(path)]:
        if line["status"] == "not marked":
            student = known.get(line["student"].casefold()) or Student(line["student"])
            mine = rows.setdefault(student, {"student": student.name})
            tables.add_text(mine, "remarks", f"{line['file']}: {line['reason']}")
    for student, mine in rows.items():
        if roll.students and student not in roll.students:
            tables.add_text(mine, "remarks", f"not in {roll.file}")
    path = course_folder() / "overview.csv"
    lines = sorted(rows.values(), key=lambda row: row["student"].casefold())
    tables.write_lines(path, ["student", *names, "by_hand", "remarks"], lines)
    return path
