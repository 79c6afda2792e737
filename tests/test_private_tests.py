"""A teacher's own hidden tests: tried first, then hidden from students like the others."""

import pytest
from support.assignments import NAMES, check_of

from classroom.assignments import release

pytestmark = pytest.mark.filterwarnings("ignore")  # of nbgrader's database
NAME = NAMES[0]
CHECK = check_of(NAME, "q1")


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.setenv("LENIENT_COURSE", str(tmp_path / "course"))
    monkeypatch.delenv("LENIENT_PRIVATE", raising=False)
    return tmp_path / "course"


@pytest.fixture
def file(course, tmp_path, monkeypatch):
    """Of the private test of one check."""
    file = tmp_path / "private" / NAME / f"{CHECK}.py"
    file.parent.mkdir(parents=True)
    file.write_text("assert 'very private', 'of this teacher'\n")
    monkeypatch.setenv("LENIENT_PRIVATE", str(tmp_path / "private"))
    return file


def test_private_tests_are_hidden_too(course, file, monkeypatch):
    with monkeypatch.context() as patch:
        patch.delenv("LENIENT_PRIVATE")
        without = release(NAME).read_text("utf-8")
    assert release(NAME).read_text("utf-8") == without
    saved = (course / "gradebook.db").read_bytes()
    assert b"very private" in saved  # from there, it is put back when marking


@pytest.mark.parametrize(
    "test, why",
    [("assert 1 == 2\n", rf".*{CHECK}\.py.*Assert"), ("assert (\n", ".*SyntaxError")],
)
def test_the_reference_answers_must_pass_them(course, file, test, why):
    file.write_text(test)
    with pytest.raises(RuntimeError, match=f"reference answers fail {why}"):
        release(NAME)
    assert not (course / "release").exists()


@pytest.mark.parametrize("unknown", ["q99-check.py", "q1-check.txt"])
def test_a_file_of_no_check_is_refused(file, unknown):
    file.rename(file.with_name(unknown))
    why = rf"private tests of no check: {unknown} \(possible are {CHECK}\.py, "
    with pytest.raises(RuntimeError, match=why):
        release(NAME)


def test_a_folder_of_no_assignment_is_refused(file, monkeypatch):
    file.parent.rename(file.parent.with_name("gap-funktions"))
    with pytest.raises(SystemExit, match="has tests of no assignment: gap-funktions"):
        release(NAME)
    monkeypatch.setenv("LENIENT_PRIVATE", "nowhere")
    with pytest.raises(SystemExit, match="PRIVATE=nowhere is not a folder"):
        release(NAME)
