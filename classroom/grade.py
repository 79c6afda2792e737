"""Mark a folder of returned notebooks: python -m classroom.grade folder

Every file of the folder gets a row in a table: the points of each question, the status,
and the reason for anything unusual. Marks also go to nbgrader's gradebook, where open
questions are marked by hand. Without a folder, all tables are brought up to date.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from . import box, tables
from .assignments import nbgrader_api
from .folders import ROOT, course_folder
from .mark_folder import mark_folder, update_tables


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m classroom.grade")
    parser.add_argument("folder", nargs="?", help="one subfolder per student, or files")
    folder = parser.parse_args(arguments).folder
    if folder is None:
        if not tables.all_tables():
            sys.exit("Nothing has been marked yet: make grade SUBMISSIONS=folder")
        print(f"Up to date: {update_tables(nbgrader_api())}", *tables.all_tables(), sep="\n  ")
        return
    if not Path(folder).is_dir():
        sys.exit(f"{folder} is not a folder; give the one with the students' notebooks")
    if ROOT.is_relative_to(os.path.abspath(folder)):
        sys.exit(f"{folder} holds this checkout; give the one with the students' notebooks")
    course, inside = course_folder(), Path(os.path.abspath(folder)).resolve()
    if inside.is_relative_to(course) and not inside.is_relative_to(course / "submitted"):
        sys.exit(
            f"{folder} is part of the course; of that, only {course / 'submitted'} is marked"
        )
    if why := box.why_not_boxed():
        print(
            f"WARNING: {why}.\nStudents' code is NOT boxed: it can read and delete your "
            "files, end your programs\nand use the network. Only limits of time and memory "
            "hold. Do not mark as root like this.",
            file=sys.stderr,
        )
    if why := _too_little_memory():
        sys.exit(why)
    mark_folder(os.path.abspath(folder))


def _too_little_memory():
    """Why no notebook can run under the limit of memory, or None."""
    memory = nbgrader_api().config.BoxedExecute.memory
    program = "import ipykernel.kernelapp, numpy, scipy.stats, lenient; bytearray(400 * 2**20)"
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        folder = box.new_folder(home)
        command = box.command_in_box(folder, memory, [sys.executable, "-c", program])
        tried = subprocess.run(
            command, env=box.environment(folder), capture_output=True, text=True
        )
    if tried.returncode:
        said = (tried.stderr.strip() or "no message").splitlines()[-1]
        return (
            f"{memory >> 20} MB of memory are too little for a notebook ({said[:100]}).\n"
            "Give more: LENIENT_MEMORY_MB=2048 make grade SUBMISSIONS=folder"
        )


if __name__ == "__main__":
    main()
