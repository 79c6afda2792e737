"""What came back: find the notebooks in a folder, and make each one fit to be marked.

Students rename files, delete cells, edit checks, and tools drop the marks that nbgrader
goes by. nbgrader gives 0 points then, and says why only in its log. Here a notebook is
put in order first, and whatever was done to it is written down as a remark.
"""

import itertools
import os
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbgrader.utils import is_grade, is_solution

from .sources import grade_id

BIGGEST = 50 * 2**20  # bytes of a notebook that are read
NAMELESS = "nameless"
# Of no student: the time when nbgrader collected a notebook, and our note where it was.
NOTES = ("timestamp.txt", "from.txt")


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
    entries = [e for e in sorted(Path(folder).iterdir()) if not _passed_over(e.name)]
    own_folder = [entry.is_dir() and not entry.is_symlink() for entry in entries]
    named = [e.name if d else _owner(e.stem, released) for e, d in zip(entries, own_folder)]
    for entry, is_folder, name in zip(entries, own_folder, _without_numbers(named)):
        student = _unique(name, owners)
        if is_folder:
            inside = _files(entry)
            found += [take(student, path, released) for path in inside]
            if not inside:
                found.append(Submission(student, entry, remarks=["the folder is empty"]))
        else:
            found.append(take(student, entry, released))
    return _one_each(found)


def _passed_over(name):
    """Hidden files, the package, which comes back with some notebooks, and notes."""
    return name.startswith((".", "__MACOSX")) or name.endswith(".whl") or name in NOTES


def _files(folder):
    """All files in a folder and its subfolders."""
    found = []
    for top, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(top, name))]
        folders[:] = [name for name in folders if not _passed_over(name)]
        found += [Path(top, name) for name in [*names, *links] if not _passed_over(name)]
    return sorted(found)


def _without_numbers(names):
    """`Ada L` of Moodle's `Ada L_77_assignsubmission_file`, unless two have that name.

    The number is another one in each assignment.
    """
    numbered = [re.sub("_assignsubmission_.*", "", name) for name in names]
    short = [
        re.sub(r"_\d+$", "", number) if number != name else name
        for name, number in zip(names, numbered)
    ]
    alike = Counter(name for name, _ in {*zip(short, numbered)})
    return [s if alike[s] == 1 else number for s, number in zip(short, numbered)]


def _unique(name, owners):
    """An id for the name, which no other name has."""
    for number in itertools.count(1):
        student = student_id(name) + (f"-{number}" if number > 1 else "")
        if owners.setdefault(student, name) == name:
            return student


def student_id(name):
    """A name that is fit for folders, web addresses and spreadsheets."""
    name = unicodedata.normalize("NFC", name)
    kept = (c if _in_a_name(c) else "_" for c in name)
    return re.sub("_+", "_", "".join(kept)).strip(" .-@")[:100] or NAMELESS


def _in_a_name(character):
    """Letters with all their marks, digits, and what stands in an address of mail."""
    return unicodedata.category(character)[0] in "LMN" or character in "_.@ -"


def _owner(stem, released):
    """ada of the file ada_gap-functions.ipynb."""
    stem = re.sub(r" *\(\d+\)", "", stem)  # a second download
    for name in released:
        stem = re.sub(rf"[\W_]*{re.escape(name)}[\W_]*", " ", stem, flags=re.I)
    return stem.strip()


def take(student, path, released):
    """One file: which assignment it is, and its notebook put in order."""
    taken = Submission(student, path)
    remark = taken.remarks.append
    try:
        if path.is_symlink() or not path.is_file():
            remark("not a file but a link, which is not followed")
        elif path.stat().st_size > BIGGEST:
            remark(f"larger than {BIGGEST >> 20} MB; clear its outputs and look at it")
        elif kind := _what_it_is(path):
            taken.assignment = _named(path.stem, released)
            remark(kind)
        else:
            _read(taken, released)
    except Exception as error:  # whatever a file may hold
        taken.notebook, taken.assignment = None, _named(path.stem, released)
        remark(f"not a notebook, or a torn one ({type(error).__name__})")
    return taken


def _read(taken, released):
    """Read the notebook, and put it in order."""
    path, remark = taken.path, taken.remarks.append
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    taken.assignment = which(path.stem, notebook, released)
    if not taken.assignment:
        remark("a notebook of none of the assignments")
        return
    if taken.student.startswith(NAMELESS):
        remark("whose is it? There is no name in the file's name")
    if _named(path.stem, released) != taken.assignment:
        remark(f"renamed file: {path.name}")
    fit, found = in_order(notebook, released[taken.assignment])
    nbformat.writes(fit).encode()  # half an emoji, say, cannot be written
    taken.notebook = fit
    taken.remarks += found


def _what_it_is(path):
    """Of files that are often handed in by mistake, what they are."""
    start = path.read_bytes()[:4]
    kinds = {b"": "an empty file", b"%PDF": "a PDF; ask for the notebook itself (.ipynb)"}
    kinds[b"PK\x03\x04"] = "an archive or a document; unpack it, or ask for the .ipynb"
    return kinds.get(start, "")


def _named(stem, released):
    """The assignment whose name is in the name of a file."""
    return next((name for name in released if name in stem.lower()), "")


def which(stem, notebook, released):
    """The assignment whose cells the notebook has, or else that it is named after."""
    sources = {cell.source for cell in notebook.cells}
    everywhere = Counter(cell.source for nb in released.values() for cell in nb.cells)
    shared = {
        name: sum(c.source in sources and everywhere[c.source] == 1 for c in nb.cells)
        for name, nb in released.items()
    }
    best = max(shared, key=shared.get, default="")
    return best if best and shared[best] else _named(stem, released)


def in_order(notebook, released):
    """The notebook with every cell of the assignment in it, and what had to be done."""
    remarks, relabelled = [], []
    cells = [c for c in notebook.cells if c.cell_type != "raw" or grade_id(c)]
    known = {grade_id(cell): cell for cell in released.cells if grade_id(cell)}
    for cell in cells:
        # Of all that is said about a cell, its name alone counts: a tag may switch it off.
        name = grade_id(cell)
        marks = {"nbgrader": known[name].metadata.nbgrader} if name in known else {}
        cell.metadata = nbformat.from_dict(marks)

    position = 0
    for name, original in known.items():
        cell = _the_one(cells, name, position, remarks) or _unlabelled(cells, original)
        if cell is None:
            cell = nbformat.from_dict(original)
            cells.insert(position, cell)
            empty = ", without an answer" if is_solution(original) else ""
            remarks.append(f"{name}: cell missing, put back{empty}")
        elif grade_id(cell) != name:
            relabelled.append(name)
        if not is_solution(original) and cell.source != original.source:
            what = "check" if is_grade(original) else "cell"
            remarks.append(f"{name}: edited {what}, restored")
        if cell.cell_type != original.cell_type:
            remarks.append(f"{name}: made a {cell.cell_type} cell, restored")
            cell.cell_type = original.cell_type
            for key in ("outputs", "execution_count"):
                cell.pop(key, None)
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        cell.metadata["nbgrader"] = dict(original.metadata.nbgrader)
        position = next(i for i, one in enumerate(cells) if one is cell) + 1

    if relabelled:
        remarks.append(f"cells without their labels, found again: {', '.join(relabelled)}")
    remarks += _stray_answers(cells, released)
    names = [grade_id(cell) for cell in cells if grade_id(cell)]
    if [*dict.fromkeys(names)] != [*known] and not remarks:
        remarks.append("cells in another order")
    fit = nbformat.v4.new_notebook(cells=cells, metadata=released.metadata)
    for number, cell in enumerate(fit.cells):
        cell.id = grade_id(cell) or f"other-{number}"
    return fit, remarks


def _stray_answers(cells, released):
    """Put an answer in words that stands beside its cell into that cell."""
    given = {cell.source for cell in released.cells} | {""}
    at = [i for i, cell in enumerate(cells) if grade_id(cell)]
    remarks = []
    for before, here, after in zip([-1, *at], at, [*at[1:], len(cells)]):
        cell = cells[here]
        if is_grade(cell) and is_solution(cell) and cell.source.strip() in given:
            beside = [one for one in cells[before + 1 : after] if one is not cell]
            texts = [one.source for one in beside if one.cell_type == "markdown"]
            if written := [text for text in texts if text.strip() not in given]:
                cell.source = "\n\n".join(written)
                remarks.append(f"{grade_id(cell)}: answered beside its cell, text put there")
    return remarks


def _the_one(cells, name, position, remarks):
    """The cell of that label; of several, the first after the cells that are in order."""
    copies = [i for i, cell in enumerate(cells) if grade_id(cell) == name]
    if not copies:
        return None
    chosen = next((i for i in copies if i >= position), copies[-1])
    for i in copies:
        if i != chosen:
            del cells[i].metadata["nbgrader"]
    if len(copies) > 1:
        remarks.append(f"{name}: {len(copies)} copies of the cell, the first is marked")
    return cells[chosen]


def _unlabelled(cells, original):
    """The cell that lost its label: the same text, or the same thing defined."""
    opening = _opening(original)
    for cell in cells:
        if grade_id(cell):
            continue
        if cell.get("id") == original.id or cell.source == original.source:
            return cell
        if is_solution(original) and opening and _opening(cell) == opening:
            return cell
    return None


def _opening(cell):
    """`def kl` or `C` of an answer cell: what it begins to define."""
    match = re.search(r"(?m)^(def \w+|class \w+|\w+ *(?==))", cell.source)
    return match[1].strip() if match and cell.cell_type == "code" else ""


def _one_each(found):
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
