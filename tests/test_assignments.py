"""The assignments as they are written, handed out and shown in the book."""

import json
import re
import shutil
import subprocess
import sys
from functools import cache

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from support.assignments import NAMES, answered, grade_id, question, run_cells, wrong_answers
from support.book import hook
from support.paths import ROOT

from classroom.assignments import build_wheel, release, students_notebook
from classroom.folders import PACKAGES
from classroom.sources import about, names, points, source

each = pytest.mark.parametrize("name", NAMES)
TOPICS = {"gap-functions", "kl-and-kinf", "lower-bound", "build-eps-ts"}
MARKS = {"### BEGIN SOLUTION", "### END SOLUTION"}
TOPICS |= {"regret-by-simulation", "design-a-criterion", "meet-the-bound", "choose-eps"}


def graded(notebook):
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]


def hidden(name):
    """Lines of hidden tests that are in no answer, and shown in no assignment."""
    texts = [cell.source for cell in graded(source(name))]
    inside = re.compile(r"(?s)### BEGIN HIDDEN TESTS\n(.*?)### END HIDDEN TESTS")
    found = "".join(text for cell in texts for text in inside.findall(cell))
    # A shorter line, such as the head of a loop over all rounds, may stand anywhere.
    return {line for line in lines(found) if len(line) > 25} - solutions(name) - public()


def solutions(name):
    """Lines of reference answers that are shown in no assignment."""
    cells = [c for c in source(name).cells if c.metadata.get("nbgrader", {}).get("solution")]
    found = lines("\n".join(cell.source for cell in cells))
    return {line for line in found if len(line) > 20} - public() - MARKS


@cache
def shown(name):
    """Lines of the students' notebook."""
    return lines("\n".join(cell.source for cell in students_notebook(name).cells))


def public():
    return set().union(*map(shown, NAMES))


def lines(text):
    return {line.strip() for line in text.splitlines()}


# ---- how they are written ------------------------------------------------------------
def test_there_is_an_assignment_for_each_topic_in_order():
    assert {*NAMES} >= TOPICS
    assert [about(name).number for name in names()] == [*range(1, len(NAMES) + 1)]


@each
def test_an_assignment_has_its_size(name):
    worth = points(source(name))
    assert 10 <= sum(worth.values()) <= 20 and 60 <= about(name).minutes <= 90
    assert [*worth] == [f"q{i}" for i in range(1, len(worth) + 1)] and len(worth) >= 5
    for chapter in about(name).chapters:
        assert (ROOT / "chapters" / f"{chapter}.ipynb").exists()


@each
def test_headings_state_the_points(name):
    text = "\n".join(cell.source for cell in source(name).cells)
    stated = re.findall(r"(?m)^## Q(\d+)\..*\((\d+) points?\)$", text)
    assert {f"q{q}": int(p) for q, p in stated} == points(source(name))
    # The introduction too, so that a change of points is seen there.
    assert f"{sum(points(source(name)).values())}" in source(name).cells[0].source


@each
def test_the_last_question_is_open_with_a_rubric_that_adds_up(name):
    cells = source(name).cells
    *_, statement, last = cells
    marks = last.metadata.nbgrader
    assert last.cell_type == "markdown" and marks.grade and marks.solution
    rows = re.findall(r"(?m)^\| *(\d+) *\|", statement.source)
    assert sum(map(int, rows)) == marks.points


@each
def test_every_check_has_visible_and_hidden_tests(name):
    for cell in graded(source(name)):
        if cell.cell_type == "code":
            before, inside, _ = re.split("### (?:BEGIN|END) HIDDEN TESTS", cell.source)
            assert "assert" in before and "assert" in inside, grade_id(cell)


@each
def test_a_source_is_stored_without_outputs_and_fits_the_page(name):
    for cell in source(name).cells:
        assert not cell.get("outputs") and not cell.get("execution_count")
        if cell.cell_type == "code":
            assert max(map(len, cell.source.splitlines())) <= 75, cell.source


# ---- what students get ---------------------------------------------------------------
@each
def test_the_reference_passes_and_the_unsolved_notebook_helps(name):
    assert run_cells(source(name)) == {}
    errors = run_cells(students_notebook(name))
    for cell in graded(students_notebook(name)):
        if cell.cell_type == "code":
            error = errors[grade_id(cell)]
            assert isinstance(error, (AssertionError, NotImplementedError))
            assert len(str(error)) > 20, grade_id(cell)


@each
def test_questions_do_not_chain(name):
    """Each is answered and checked without a single cell of the others."""
    for alone in points(source(name)):
        assert run_cells(source(name), alone) == {}, alone


@each
def test_typical_wrong_answers_fail(name):
    tried = set()
    for wrong, what, code in wrong_answers(name):
        errors = run_cells(answered(source(name), {wrong: code}), alone=wrong)
        assert any("-check" in cell for cell in errors), f"{wrong}: {what} passes"
        tried.add(wrong)
    checks = [grade_id(cell) for cell in graded(source(name)) if cell.cell_type == "code"]
    assert tried == {question(check) for check in checks}


@each
def test_students_get_neither_answers_nor_hidden_tests(name):
    assert hidden(name) and solutions(name)
    text = json.dumps(students_notebook(name))
    for word in ("HIDDEN", "BEGIN SOLUTION", "END SOLUTION"):
        assert word not in text


@each
def test_the_notebook_needs_nothing_but_lenient(name):
    """It runs where matplotlib, numba and all of Jupyter cannot be imported."""
    code = "\n".join(cell.source for cell in source(name).cells if cell.cell_type == "code")
    missing = ["matplotlib", "numba", "IPython", "ipywidgets", "tqdm", "pandas", "mpmath"]
    block = f"import sys\nfor m in {missing}: sys.modules[m] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", block + code], cwd="/", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


# ---- the course ----------------------------------------------------------------------
@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LENIENT_COURSE", str(folder))
        patch.delenv("LENIENT_PRIVATE", raising=False)
        yield folder


@pytest.mark.filterwarnings("ignore")  # of nbgrader's database
def test_nbgrader_hands_out_what_the_book_offers(course):
    for name in NAMES:
        released = nbformat.read(release(name), as_version=4)
        assert released == students_notebook(name)


def test_the_wheel_installs_alone_and_lenient_needs_no_more_than_it_says(tmp_path):
    """Two packages are in it; an assignment imports the first, which draws nothing."""
    wheel = build_wheel(tmp_path)
    packages = tmp_path / "packages"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(packages), str(wheel)], check=True)
    assert (packages / "lenient_book" / "experiments").is_dir()
    assert not {"classroom", "tests", "_ext"} & {path.name for path in packages.iterdir()}
    code = (
        f"import sys; sys.path.insert(0, {str(packages)!r}); import lenient\n"
        f"assert lenient.__file__.startswith({str(packages)!r})\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    loaded = {*done.stdout.split()}
    assert "lenient" in loaded and not {"matplotlib", "lenient_book"} & loaded


def test_every_source_of_the_wheel_is_looked_at():
    files = hook("exercises").packaged_files()
    for path in ("lenient/__init__.py", "lenient_book/experiments/__init__.py"):
        assert ROOT / path in files


# ---- the pages -----------------------------------------------------------------------
@each
def test_a_page_has_statement_stub_checks_and_folded_solutions(name):
    text = hook("exercises").page(name, students_notebook(name), True)
    assert shown(name) <= lines(text)
    folds = re.findall(r"(?s)::::\{dropdown\} (?:Solution|An answer).*?\n::::\n", text)
    assert solutions(name) <= lines("".join(folds))
    assert not hidden(name) & lines(text)


@each
def test_a_page_without_solutions_has_none(name):
    text = hook("exercises").page(name, students_notebook(name), False)
    assert "{dropdown} Solution" not in text and "{dropdown} An answer" not in text
    assert not (hidden(name) | solutions(name)) & lines(text)


def test_the_setting_is_read_from_the_config(tmp_path):
    shows = hook("exercises").shows_solutions
    (tmp_path / "_config.yml").write_text("title: x\n")
    assert shows(tmp_path)
    (tmp_path / "_config.yml").write_text("title: x\nsolutions: false\n")
    assert not shows(tmp_path)
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    assert config["solutions"] is True


def test_no_hidden_test_is_anywhere_in_the_book(book):
    found = everything_in(book)
    assert len(found) > 10_000
    for name in NAMES:
        assert not hidden(name) & found


def everything_in(book):
    """All lines of all pages, sources, notebooks and indexes of a built book."""
    kinds = (".html", ".md", ".ipynb", ".js", ".txt", ".json")
    paths = [path for path in book.rglob("*") if path.suffix in kinds]
    return set().union(*(lines(readable(path)) for path in paths))


def readable(path):
    """The text of a page or a notebook, or of any other file."""
    text = path.read_text("utf-8")
    if path.suffix == ".html":
        return BeautifulSoup(text, "html.parser").get_text()
    if path.suffix == ".ipynb":
        cells = nbformat.reads(text, as_version=4).cells
        return "\n".join(cell.source for cell in cells)
    return text


def test_the_download_is_the_students_notebook(book):
    for name in NAMES:
        [path] = (book / "_downloads").rglob(f"{name}.ipynb")
        assert nbformat.read(path, as_version=4) == students_notebook(name)


@pytest.mark.filterwarnings("ignore")
def test_a_book_built_without_solutions_has_none_anywhere(tmp_path):
    """A small book of the assignments alone, with `solutions: false`."""
    for part in ("_ext", "_static", "classroom", *PACKAGES, "chapters/exercises"):
        shutil.copytree(ROOT / part, tmp_path / part)
    parts = ["_config.yml", "nbgrader_config.py", "pyproject.toml", "README.md", "LICENSE"]
    for part in [*parts, "requirements.txt", "references.bib", "chapters/assignments.md"]:
        shutil.copy(ROOT / part, tmp_path / part)
    chapters = {chapter for name in NAMES for chapter in about(name).chapters}
    title = nbformat.v4.new_markdown_cell("# A chapter")
    for chapter in chapters:
        stand_in = nbformat.v4.new_notebook(cells=[title])
        nbformat.write(stand_in, tmp_path / "chapters" / f"{chapter}.ipynb")
    pages = [f"chapters/{c}" for c in sorted(chapters)]
    pages += [f"chapters/exercises/{name}" for name in NAMES]
    toc = {"format": "jb-book", "root": "chapters/assignments"}
    toc["chapters"] = [{"file": page} for page in pages]
    (tmp_path / "_toc.yml").write_text(yaml.safe_dump(toc))
    config = (tmp_path / "_config.yml").read_text("utf-8")
    assert "\nsolutions: true\n" in config
    config = config.replace("\nsolutions: true\n", "\nsolutions: false\n")
    (tmp_path / "_config.yml").write_text(config, "utf-8")
    for page in (tmp_path / "chapters" / "exercises").glob("*.md"):
        page.unlink()

    # Python's own -c has the current folder on its path: the copy of classroom/ is used.
    jupyter_book = "from jupyter_book.cli.main import main; main()"
    built = subprocess.run(
        [sys.executable, "-c", jupyter_book, "build", ".", "-W", "-n"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    found = everything_in(tmp_path / "_build" / "html")
    for name in NAMES:
        assert shown(name) - {""} - found == set()  # the questions are there
        assert not (hidden(name) | solutions(name)) & found
