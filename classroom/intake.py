"""What came back: find the notebooks in a folder, whose they are and which assignment."""

import itertools
import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbgrader.utils import is_solution

from . import lms
from .mending import put_in_order
from .reading import Unreadable, in_a_child, notebook_of, text_of
from .roll import read_roll

_BIGGEST = 50 * 2**20  # bytes of a notebook that are read
_DEEPEST, _MOST_FILES = 20, 1000  # of folders within a student's folder, and files in it
_SAME_TIME = 2  # seconds: an archive keeps times no better
_NAMELESS = "nameless"
# Of no student: the time when nbgrader collected a notebook, and our note where it was.
_NOTES = ("timestamp.txt", "submission_secret.txt", "from.txt")


@dataclass
class Submission:
    """One file that came back; `notebook` is None if it cannot be marked."""

    student: str
    path: Path
    assignment: str = ""
    notebook: nbformat.NotebookNode | None = None
    remarks: list = field(default_factory=list)
    answers: int = 0  # cells that are not as they were handed out


def collect(folder, released):
    """All submissions in a folder; `released` has the students' notebook of each name.

    Each student has a subfolder, or the names of the files begin or end with theirs.
    """
    found, owners = [], {}
    entries = [e for e in sorted(Path(folder).iterdir()) if not _is_no_submission(e.name)]
    senders = [_sender(entry, released) for entry in entries]
    for entry, name in zip(entries, _names(senders)):
        student = _unique_id(name, owners)
        if _is_folder(entry):
            inside = _files_in(entry)
            found += [_read_submission(student, path, released) for path in inside]
            if not inside:
                found.append(Submission(student, entry, remarks=["the folder is empty"]))
        else:
            found.append(_read_submission(student, entry, released))
    return _keep_the_newest(found)


def _is_folder(entry):
    return entry.is_dir() and not entry.is_symlink()


def _is_no_submission(name):
    """Hidden files, the package, which comes back with some notebooks, and notes."""
    return name.startswith((".", "__MACOSX")) or name.endswith(".whl") or name in _NOTES


def _files_in(folder):
    """All files in a folder and its subfolders; what is too deep stands for what is in it."""
    found, folders = [], [(folder, 1)]
    while folders:
        top, depth = folders.pop()
        for entry in sorted(top.iterdir()):
            if _is_no_submission(entry.name):
                continue
            if _is_folder(entry) and depth < _DEEPEST:
                folders.append((entry, depth + 1))
            else:
                found.append(entry)
            if len(found) + len(folders) > _MOST_FILES:
                return [folder]  # which is no file, so that its row says so
    return sorted(found)


def _sender(entry, released):
    """Who is named in the name of a folder or file, by a platform or by hand."""
    found = lms.sender(entry.name if _is_folder(entry) else entry.stem)
    if found.platform or _is_folder(entry):
        return found
    return lms.Sender(_student_named_in(entry.stem, released))


def _names(senders):
    """`Ada L` of Moodle's `Ada L_77_assignsubmission_file`, unless two have that name.

    The number is another one in each assignment. Who is on the roll has the name there.
    """
    roll = read_roll()
    known = [roll.find(one) if one.platform else None for one in senders]
    strangers = {(one.name, one.number) for one, student in zip(senders, known) if not student}
    alike = Counter(name for name, _ in strangers)
    return [
        student.name if student
        else f"{one.name}_{one.number}" if one.number and alike[one.name] > 1
        else one.name
        for one, student in zip(senders, known)
    ]  # fmt: skip


def _unique_id(name, owners):
    """An id for the name, which no other name has."""
    for number in itertools.count(1):
        student = student_id(name) + (f"-{number}" if number > 1 else "")
        if owners.setdefault(student, name) == name:
            return student


def student_id(name):
    """A name that is fit for folders, web addresses and spreadsheets."""
    name = unicodedata.normalize("NFC", name)
    kept = (c if _may_be_in_a_name(c) else "_" for c in name)
    return re.sub("_+", "_", "".join(kept)).strip(" .-@")[:100] or _NAMELESS


def _may_be_in_a_name(character):
    """Letters with all their marks, digits, and what stands in names and addresses."""
    return unicodedata.category(character)[0] in "LMN" or character in "_.@ -+'’(),"


def _student_named_in(stem, released):
    """ada of the file ada_gap-functions.ipynb."""
    stem = re.sub(r" *\(\d+\)", "", stem)  # a second download
    for name in released:
        stem = re.sub(rf"[\W_]*{re.escape(name)}[\W_]*", " ", stem, flags=re.I)
    return stem.strip()


def _read_submission(student, path, released):
    """One file: which assignment it is, and its notebook put in order."""
    taken = Submission(student, path)
    remark = taken.remarks.append
    try:
        if _is_folder(path):
            remark("folders too deep, or too many files; look at it")
        elif path.is_symlink() or not path.is_file():
            remark("not a file but a link, which is not followed")
        elif path.stat().st_size > _BIGGEST:
            remark(f"larger than {_BIGGEST >> 20} MB; clear its outputs and look at it")
        elif kind := _known_mistake(path):
            taken.assignment = _assignment_named_in(path.stem, released)
            remark(kind)
        else:
            _read_notebook(taken, released)
    except Exception as error:  # whatever a file may hold
        taken.notebook, taken.assignment = None, _assignment_named_in(path.stem, released)
        known = isinstance(error, Unreadable)
        remark(str(error) if known else f"cannot be read ({type(error).__name__})")
    return taken


def _read_notebook(taken, released):
    """Read the notebook, and put it in order, in a process of its own."""
    path, remark = taken.path, taken.remarks.append
    done = json.loads(in_a_child(_read_and_put_in_order, path, released))
    taken.assignment = done["assignment"]
    if not taken.assignment:
        remark("a notebook of none of the assignments")
        return
    if taken.student.startswith(_NAMELESS):
        remark("whose is it? There is no name in the file's name")
    if _assignment_named_in(path.stem, released) != taken.assignment:
        remark(f"renamed file: {path.name}")
    taken.notebook = nbformat.reads(done["notebook"], as_version=4)
    taken.remarks += done["remarks"]
    taken.answers = done["answers"]


def _read_and_put_in_order(path, released):
    """What came of it, as JSON."""
    notebook, done = notebook_of(path), {}
    done["assignment"] = name = _which_assignment(path.stem, notebook, released)
    if name:
        fit, done["remarks"] = put_in_order(notebook, released[name])
        done["notebook"] = text_of(fit)
        given = {cell.source.strip() for cell in released[name].cells}
        answers = [cell for cell in fit.cells if is_solution(cell)]
        done["answers"] = sum(cell.source.strip() not in given for cell in answers)
    return json.dumps(done)


def _known_mistake(path):
    """Of files that are often handed in by mistake, what they are."""
    with open(path, "rb") as file:
        start = file.read(4)
    kinds = {b"": "an empty file", b"%PDF": "a PDF; ask for the notebook itself (.ipynb)"}
    kinds[b"PK\x03\x04"] = "an archive or a document; unpack it, or ask for the .ipynb"
    return kinds.get(start, "")


def _assignment_named_in(stem, released):
    """The assignment whose name is in the name of a file."""
    return next((name for name in released if name in stem.lower()), "")


def _which_assignment(stem, notebook, released):
    """The assignment whose cells the notebook has, or else that it is named after."""
    sources = {cell.source for cell in notebook.cells}
    everywhere = Counter(cell.source for nb in released.values() for cell in nb.cells)
    shared = {
        name: sum(c.source in sources and everywhere[c.source] == 1 for c in nb.cells)
        for name, nb in released.items()
    }
    best = max(shared, key=shared.get, default="")
    return best if best and shared[best] else _assignment_named_in(stem, released)


def _keep_the_newest(found):
    """Of several files for one assignment, the one changed last is marked.

    Of those changed at the same time, as the two in one archive, it is the one with more
    answers.
    """
    groups = {}
    for one in (one for one in found if one.notebook):
        groups.setdefault((one.student, one.assignment), []).append(one)
    for ones in groups.values():
        newest = max(_changed(one) for one in ones)
        as_new = [one for one in ones if _changed(one) > newest - _SAME_TIME]
        chosen = max(as_new, key=lambda one: (one.answers, _changed(one), one.path.name))
        for other in (one for one in ones if one is not chosen):
            other.notebook = None
            if other in as_new and other.answers != chosen.answers:
                other.remarks.append(f"{chosen.path.name} has more answers, and is marked")
                chosen.remarks.append(f"changed when {other.path.name} was; has more answers")
            else:
                other.remarks.append(f"{chosen.path.name} is newer, and marked instead")
            if other.answers > chosen.answers:
                chosen.remarks.append(f"{other.path.name} is older, and has more answers")
    return found


def _changed(one):
    return one.path.stat().st_mtime
