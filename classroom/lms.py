"""Names of files and folders as learning platforms write them: whose it is, and what else.

Moodle:       Ada Lovelace_77_assignsubmission_file/…
Canvas:       lovelaceada_LATE_1234_56789_gap-functions-1.ipynb
Brightspace:  1234-56789 - Ada Lovelace - Nov 18, 2026 805 PM/…
"""

import re
from dataclasses import dataclass
from datetime import datetime

_MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_[a-z]+(_.*)?", re.S)
# Resubmissions of a file are numbered: gap-functions-1 is the second.
_CANVAS = re.compile(
    r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+)_(?P<file_id>\d+)_(?P<file>.+?)"
    r"(-(?P<again>\d+))?(\.\w+)?",
    re.S,
)
_BRIGHTSPACE = re.compile(
    r"(?P<id>\d+)-(?P<file_id>\d+) - (?P<name>.+?) - (?P<date>[^-]*\d{4} \d{1,2}:?\d\d ?[AP]M)"
    r"( - (?P<file>.+))?",
    re.S,
)


@dataclass(frozen=True)
class Sender:
    """Who handed something in, as far as a name of a file or folder tells."""

    name: str
    platform: str = ""  # "Moodle", "Canvas", "Brightspace"
    number: str = ""  # of Moodle, the participant's in this one assignment; else the user's
    late: bool = False  # says the platform
    attempt: int = 1
    when: datetime | None = None


def sender(name):
    """Who is named in the name of a folder, or of a file."""
    if match := _MOODLE.fullmatch(name):
        return Sender(match["name"], "Moodle", match["id"])
    if match := _BRIGHTSPACE.fullmatch(name):
        when = _date(match["date"])
        return Sender(match["name"], "Brightspace", match["id"], when=when)
    if match := _CANVAS.fullmatch(name):
        attempt = 1 + int(match["again"] or 0)
        return Sender(match["name"], "Canvas", match["id"], bool(match["late"]), attempt)
    return Sender(name)


def sender_of(path):
    """Of a file's path within the folder that was marked, such as a table has it."""
    for part in str(path).removeprefix("./").split("/"):
        found = sender(part)
        if found.platform:
            return found
    return Sender("")


def _date(text):
    """Nov 18, 2026 805 PM, in local time; other languages are not read."""
    text = re.sub(r"\b(\d{1,2}):?(\d\d) ?([AP]M)$", r"\1:\2 \3", text)
    for form in ("%b %d, %Y %I:%M %p", "%B %d, %Y %I:%M %p", "%d %B, %Y %I:%M %p"):
        try:
            return datetime.strptime(text, form)
        except ValueError:
            pass
    return None
