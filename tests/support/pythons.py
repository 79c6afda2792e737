"""The Pythons that the package promises to run on, where they are installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

VERSIONS = ["3.11", "3.12", "3.13", "3.14"]


def interpreter(version):
    """The command of a Python of this version; skips the test where there is none."""
    pyenv = Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
    for command in [shutil.which(f"python{version}"), *sorted(map(str, pyenv))]:
        # pyenv puts commands on the path that only say that another version is chosen.
        if command and not subprocess.run([command, "-V"], capture_output=True).returncode:
            return command
    pytest.skip(f"Python {version} is not installed")
