"""When work was due, and what lateness costs: course/course.toml.

late = "10 % a day, at most 50 %, after 15 minutes"

[due]
gap-functions = "2026-11-20 23:59"
"""

import math
import re
import tomllib
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from .folders import course_folder
from .sources import names

_UNITS = {"minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
_UNIT = "(minute|hour|day|week)s?"
_NUMBER = r"(\d+(?:\.\d+)?)"
_RULE = re.compile(
    rf"{_NUMBER} ?% (?:a|an|per) {_UNIT}"
    rf"(?:, at most {_NUMBER} ?%)?"
    rf"(?:, after {_NUMBER} {_UNIT})?"
)


@dataclass(frozen=True)
class Late:
    """The rule, and the times when assignments are due."""

    rule: str = ""
    due: dict = field(default_factory=dict)

    def by(self, assignment, handed_in):
        """How much too late, or None; of what was not due at a time, None too."""
        due = self.due.get(assignment)
        return handed_in - due if due and handed_in > due else None

    def share_lost(self, by):
        """The share of the points that is lost: that of every unit begun, up to the most."""
        if not by or not self.rule:
            return 0.0
        percent, unit, most, grace, grace_unit = _RULE.fullmatch(self.rule).groups()
        seconds = by.total_seconds() - float(grace or 0) * _UNITS.get(grace_unit, 0)
        begun = max(0, math.ceil(seconds / _UNITS[unit]))
        return min(begun * float(percent), float(most or 100), 100) / 100


def read_late():
    path = course_folder() / "course.toml"
    if not path.exists():
        return Late()
    try:
        settings = tomllib.loads(path.read_text("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise SystemExit(f"{path}: {error}") from None
    rule = " ".join(str(settings.get("late", "")).split())
    if rule and not _RULE.fullmatch(rule):
        raise SystemExit(
            f"{path}: late = {rule!r} is not understood; write it like this: "
            'late = "10 % a day, at most 50 %, after 15 minutes"'
        )
    if unknown := {*settings} - {"late", "due"} or {*settings.get("due", {})} - {*names()}:
        raise SystemExit(f"{path}: unknown {', '.join(sorted(unknown))}")
    return Late(
        rule, {name: _time(path, name, at) for name, at in settings.get("due", {}).items()}
    )


def _time(path, name, at):
    try:
        at = at if isinstance(at, datetime) else datetime.fromisoformat(str(at))
    except ValueError:
        raise SystemExit(
            f'{path}: {name} = {at!r} is not a time like "2026-11-20 23:59"'
        ) from None
    return at.astimezone()  # a time without a zone is that of this machine


def in_words(by):
    """2 days 3 hours; minutes only below an hour."""
    minutes = math.ceil(by / timedelta(minutes=1))
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [(days, "day"), (hours, "hour")] if days or hours else [(minutes, "minute")]
    return " ".join(f"{n} {unit}{'s' * (n > 1)}" for n, unit in parts if n)
