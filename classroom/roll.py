"""Who is in the course: course/students.csv, as a platform exports it or written by hand.

Only a name is needed. Columns are known by their titles, in the words of Moodle, Canvas or
Brightspace; those that are not known are passed over. Without that file,
course/students.txt with a name in each line does as well.
"""

import csv
import io
import re
import unicodedata
from dataclasses import dataclass

from .folders import course_folder
from .lms import Sender

# For each thing that is known of a student, the titles that a column of it may have.
_TITLES = {
    "name": ["name", "student", "full name", "fullname", "user", "student name"],
    "first": ["first name", "firstname", "given name"],
    "last": ["last name", "lastname", "surname", "family name"],
    "email": ["email", "email address", "e-mail"],
    "number": ["id number", "idnumber", "orgdefinedid", "org defined id", "student id",
               "sis user id"],
    "login": ["username", "login", "sis login id", "login id"],
    "canvas": ["id", "canvas id", "canvas user id"],
    "section": ["section"],
    "group": ["group", "groups", "team"],
}  # fmt: skip


@dataclass(frozen=True)
class Student:
    """One line of the roll; what is not known is empty."""

    name: str
    first: str = ""
    last: str = ""
    email: str = ""
    number: str = ""  # the university's
    login: str = ""
    canvas: str = ""
    section: str = ""
    group: str = ""


@dataclass(frozen=True)
class Roll:
    """All students of the course, and the file that names them."""

    students: tuple
    file: str = ""
    titles: tuple = ()  # of its columns

    def find(self, sender):
        """The student who is meant, or None; `sender` may be a name alone."""
        if isinstance(sender, str):
            sender = Sender(sender)
        if sender.platform == "Canvas":
            for one in self.students:
                if one.canvas == sender.number:
                    return one
        wanted = _letters(sender.name)
        for names in (_own_names, _short_names):
            found = {one for one in self.students if wanted in map(_letters, names(one))}
            if len(found) == 1 and wanted:
                return found.pop()
        return None

    def group(self, name):
        """All who are in the group of that name."""
        wanted = _letters(name)
        return [one for one in self.students if wanted and _letters(one.group) == wanted]


def _own_names(one):
    """Ada Lovelace, and Lovelace Ada: platforms turn names around."""
    words = one.name.split()
    return [" ".join(words[i:] + words[:i]) for i in range(len(words))]


def _short_names(one):
    return filter(None, [one.login, one.number, one.email, one.email.partition("@")[0]])


def _letters(name):
    """`Zoë O'Neil` and `zoe oneil` alike."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in plain if unicodedata.category(c)[0] in "LN")


def read_roll():
    folder = course_folder()
    if (folder / "students.csv").exists():
        text = (folder / "students.csv").read_text("utf-8-sig")
        titles, rows = _table(text)
        return Roll(tuple(_students(titles, rows)), "students.csv", tuple(titles))
    if (folder / "students.txt").exists():
        lines = (folder / "students.txt").read_text("utf-8-sig").splitlines()
        return Roll(
            tuple(Student(line.strip()) for line in lines if line.strip()), "students.txt"
        )
    return Roll(())


def _table(text):
    first = text.split("\n", 1)[0]
    comma = max(",;\t", key=first.count)
    titles, *rows = [*csv.reader(io.StringIO(text, newline=""), delimiter=comma)] or [[]]
    return titles, rows


def _students(titles, rows):
    first = ", ".join(titles)
    titles = [re.sub(r"[\s_]+", " ", title).strip().casefold() for title in titles]
    columns = {
        key: next((titles.index(known) for known in names if known in titles), None)
        for key, names in _TITLES.items()
    }
    if columns["name"] is None and columns["last"] is None and columns["first"] is None:
        raise SystemExit(
            "students.csv needs a first line with the titles of its columns, and one of them "
            f"is to be 'name', or 'first name' and 'last name'; it is {first!r}"
        )
    for row in rows:
        known = {
            key: row[at].strip().removeprefix("#")  # so that Brightspace's stay text
            for key, at in columns.items()
            if at is not None and at < len(row)
        }
        name = known.get("name") or f"{known.get('first', '')} {known.get('last', '')}".strip()
        if re.fullmatch(r"[^,]+, [^,]+", name):  # Lovelace, Ada
            last, _, first_name = name.partition(", ")
            known = {"first": first_name, "last": last} | known
            name = f"{first_name} {last}"
        # Canvas has a line of points, and a student for trying things out.
        if name and name not in ("Points Possible", "Student, Test", "Test Student"):
            yield Student(**known | {"name": name})
