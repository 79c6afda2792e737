"""What the table says of a submission."""

import pytest

from classroom import report


def test_messages_are_about_lost_points():
    """A line that raises, left below a right answer, costs nothing and is no message."""
    said = [("q1", "NotImplementedError", "Still"), ("q2-check", "AssertionError", "why?"),
            ("a cell of their own", "NameError", "x")]  # fmt: skip
    got, worth = {"q1": 2, "q2": 0, "q3": 0, "q4": None}, dict.fromkeys(["q1", "q2"], 2)
    told = report.lost_points(said, got, {**worth, "q3": 1, "q4": 5})
    assert told == "not answered: q3; q2-check: why?; a cell of their own: NameError: x"
    assert report.lost_points(said, {"q1": 2}, worth) == ""


@pytest.mark.parametrize(
    "name, shown",
    [("=1+1.ipynb", "=1+1.ipynb"), ("a\nb.ipynb", "a b.ipynb"), ("x.ipynb", "x.ipynb")],
)
def test_file_names_are_on_one_line(tmp_path, name, shown):
    assert report.shown_file_name(tmp_path / name, tmp_path) == shown
