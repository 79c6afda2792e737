"""What the names of handed-in files tell, and who is in the course."""

from datetime import datetime

import pytest

from classroom import roll
from classroom.lms import Sender, sender, sender_of


@pytest.mark.parametrize(
    "name, expected",
    [
        ("Ada Lovelace_77_assignsubmission_file_", Sender("Ada Lovelace", "Moodle", "77")),
        ("Ada Lovelace_77_assignsubmission_file", Sender("Ada Lovelace", "Moodle", "77")),
        ("Zoë O'Neil_5_assignsubmission_onlinetext", Sender("Zoë O'Neil", "Moodle", "5")),
        ("a_b_9_assignsubmission_file_q.ipynb", Sender("a_b", "Moodle", "9")),
        ("lovelaceada_1234_56789_gap-functions", Sender("lovelaceada", "Canvas", "1234")),
        (
            "lovelaceada_LATE_1234_56789_gap-functions-2.ipynb",
            Sender("lovelaceada", "Canvas", "1234", late=True, attempt=3),
        ),
        (
            "1234-56789 - Ada Lovelace - Nov 18, 2026 805 PM",
            Sender("Ada Lovelace", "Brightspace", "1234", when=datetime(2026, 11, 18, 20, 5)),
        ),
        (
            "1234-56789 - Anne-Marie Li - 18 November, 2026 11:45 AM - q.ipynb",
            Sender("Anne-Marie Li", "Brightspace", "1234", when=datetime(2026, 11, 18, 11, 45)),
        ),
        ("ada", Sender("ada")),
        ("route_66", Sender("route_66")),
        ("ada_gap-functions", Sender("ada_gap-functions")),
    ],
)
def test_a_name_tells_who_handed_it_in(name, expected):
    assert sender(name) == expected


def test_the_sender_of_a_path_is_in_one_of_its_parts():
    assert sender_of("week1/Kim_3_assignsubmission_file/x/y.ipynb").name == "Kim"
    assert sender_of("./lovelaceada_1_2_x.ipynb").number == "1"
    assert sender_of("ada/gap-functions.ipynb") == Sender("")


ROLLS = {
    "by hand": "name,group\nAda Lovelace,A\nZoë O'Neil,A\n",
    "Moodle": "First name;Last name;ID number;Email address\n"
    "Ada;Lovelace;u1;ada@uni.example\nZoë;O'Neil;u2;zoe@uni.example\n",
    "Canvas": "Student,ID,SIS User ID,SIS Login ID,Section,Gap (7)\n"
    '"    Points Possible",,,,,18\n'
    '"Lovelace, Ada",1234,u1,alove1,S1,\n"O\'Neil, Zoë",1235,u2,zo,S1,\n'
    '"Student, Test",9,,,S1,\n',
    "Brightspace": "OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator\n"
    "#u1,#alove1,Lovelace,Ada,ada@uni.example,#\n#u2,#zo,O'Neil,Zoë,,#\n",
}


@pytest.mark.parametrize("kind", ROLLS)
def test_the_roll_is_read_as_platforms_export_it(kind, tmp_path, monkeypatch):
    monkeypatch.setenv("LENIENT_COURSE", str(tmp_path))
    (tmp_path / "students.csv").write_text(ROLLS[kind], "utf-8-sig")
    found = roll.read_roll()
    assert [one.name for one in found.students] == ["Ada Lovelace", "Zoë O'Neil"]
    ada, zoe = found.students
    if kind != "by hand":
        assert (ada.number, zoe.number) == ("u1", "u2")
    for spelling in ("Ada Lovelace", "ada lovelace", "lovelaceada", "Lovelace Ada"):
        assert found.find(spelling) is ada, spelling
    for spelling in ("Zoe O'Neil", "ZOË O’NEIL", "oneilzoe", "Zoe_ONeil"):
        assert found.find(spelling) is zoe, spelling
    for stranger in ("Grace Hopper", "", "Dad Lovelace", "Adal Ovelace Jr", "a"):
        assert found.find(stranger) is None
    if kind == "Canvas":
        assert found.find(Sender("x", "Canvas", "1235")) is zoe and found.find("alove1") is ada
    if kind == "by hand":
        assert found.group("a") == [ada, zoe] and found.group("") == []


def test_a_name_that_two_have_is_nobodys(tmp_path, monkeypatch):
    monkeypatch.setenv("LENIENT_COURSE", str(tmp_path))
    (tmp_path / "students.csv").write_text("name,login\nKim Li,kim1\nKim Li,kim2\n")
    found = roll.read_roll()
    assert found.find("Kim Li") is None and found.find("kim2") is found.students[1]


def test_a_roll_without_titles_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("LENIENT_COURSE", str(tmp_path))
    (tmp_path / "students.csv").write_text("Ada,u1\nBob,u2\n")
    with pytest.raises(SystemExit, match="first line with the titles"):
        roll.read_roll()
    (tmp_path / "students.csv").unlink()
    (tmp_path / "students.txt").write_text("Ada\n\nBob\n")
    assert [one.name for one in roll.read_roll().students] == ["Ada", "Bob"]
