"""What came back: find the notebooks in a folder, whose they are and which assignment."""

import itertools
import os
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from . import lms
from .mending import put_in_order
from .roll import read_roll

_BIGGEST = 50 * 2**20  # bytes of a notebook that are read
_NAMELESS = "nameless"
# Of no student: the time when nbgrader collected a notebook, and our note where it was.
_NOTES = ("timestamp.txt", "from.txt")


@dataclass
class Submission:
    """One file that came back; `notebook` is None if it cannot be marked."""

    student: str
    path: Path
    assignment: str = ""
    notebook: nbformat.NotebookNode | None = None
    remarks: list = field(default_factory=list)


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
    """All files in a folder and its subfolders."""
    found = []
    for top, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(top, name))]
        folders[:] = [name for name in folders if not _is_no_submission(name)]
        found += [Path(top, name) for name in [*names, *links] if not _is_no_submission(name)]
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
    """Letters with all their marks, digits, and what stands in an address of mail."""
    return unicodedata.category(character)[0] in "LMN" or character in "_.@ -"


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
        if path.is_symlink() or not path.is_file():
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
        remark(f"not a notebook, or a torn one ({type(error).__name__})")
    return taken


def _read_notebook(taken, released):
    """Read the notebook, and put it in order."""
    path, remark = taken.path, taken.remarks.append
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    taken.assignment = _which_assignment(path.stem, notebook, released)
    if not taken.assignment:
        remark("a notebook of none of the assignments")
        return
    if taken.student.startswith(_NAMELESS):
        remark("whose is it? There is no name in the file's name")
    if _assignment_named_in(path.stem, released) != taken.assignment:
        remark(f"renamed file: {path.name}")
    fit, found = put_in_order(notebook, released[taken.assignment])
    nbformat.writes(fit).encode()  # half an emoji, say, cannot be written
    taken.notebook = fit
    taken.remarks += found


def _known_mistake(path):
    """Of files that are often handed in by mistake, what they are."""
    start = path.read_bytes()[:4]
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
    """Of several files for one assignment, the one changed last is marked."""
    best = {}
    for one in (one for one in found if one.notebook):
        key = one.student, one.assignment
        if key not in best or best[key].path.stat().st_mtime <= one.path.stat().st_mtime:
            best[key] = one
    for one in found:
        chosen = best.get((one.student, one.assignment))
        if one.notebook and one is not chosen:
            one.notebook = None
            one.remarks.append(f"{chosen.path.name} is newer, and marked instead")
    return found
