"""Run chapters and store their outputs.

    python -m lenient_book.outputs              all of them, and the recipes
    python -m lenient_book.outputs 3 recipes    some, by number or by name
    python -m lenient_book.outputs --tidy       only into normal form, nothing is run

A chapter is run from top to bottom in a fresh kernel, as a reader runs it, and its file
is written in normal form (see `normal`). If a cell fails, or makes a name something else
than it was (see `kinds`), the file stays as it is.
"""

import argparse
import ast
import os
import sys
from pathlib import Path
from time import perf_counter

try:
    import nbformat
    from jupyter_client.manager import KernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
except ModuleNotFoundError as missing:
    sys.exit(f"This needs {missing.name}: pip install 'lenient[book]'")

from lenient_book.kinds import changes
from lenient_book.normal import normal, text

CHAPTERS = Path(__file__).parents[1] / "chapters"
TIMEOUT = 600  # seconds for a cell
KINDS = "__import__('lenient_book.kinds', fromlist=['kinds']).kinds(globals())"


class Failed(Exception):
    """Of a chapter, with the cell and the reason."""


def chapters(chosen=(), folder=CHAPTERS):
    """Paths of the chosen chapters, or of all."""
    paths = [*sorted(folder.glob("*.ipynb")), *sorted(folder.glob("package/*.ipynb"))]
    if not paths:
        raise Failed(f"no chapters in {folder}: they are in a checkout of the book alone")
    starts = [name.zfill(2) + "-" if name.isdecimal() else name for name in chosen]
    for name, start in zip(chosen, starts):
        if not any(path.name.startswith(start) for path in paths):
            raise Failed(f"no chapter {name} in {folder}")
    return [path for path in paths if path.name.startswith(tuple(starts or [""]))]


def run(notebook, folder):
    """Run all cells in a fresh kernel that works in the folder; Failed names the cell."""
    client = NotebookClient(
        notebook,
        kernel_manager_class=KernelManager,
        resources={"metadata": {"path": str(folder)}},
        timeout=TIMEOUT,
        record_timing=False,
        store_widget_state=False,
    )
    known = {}
    with client.setup_kernel(env=environment()):
        for number, cell in enumerate(notebook.cells):
            if cell.cell_type != "code":
                continue
            try:
                client.execute_cell(cell, number)
            except CellExecutionError as error:
                raise Failed(f"cell {number}: {error.ename}: {error.evalue}") from None
            except CellTimeoutError:
                raise Failed(f"cell {number}: not done after {TIMEOUT} seconds") from None
            except DeadKernelError:
                raise Failed(f"cell {number}: the kernel died") from None
            now = _kinds_in(client.kc)
            if changed := [*changes(known, now)]:
                raise Failed(f"cell {number}: {', '.join(changed)}")
            known |= now


def environment():
    """As a reader's, which knows nothing of a build; with the code of this checkout."""
    env = {name: os.environ[name] for name in os.environ if name != "LENIENT_STATIC"}
    paths = [str(CHAPTERS.parent), *filter(None, [env.get("PYTHONPATH")])]
    return env | {"PYTHONPATH": os.pathsep.join(paths)}


def _kinds_in(kernel):
    """The kind of every name in a kernel, asked for without a trace."""
    reply = kernel.execute(
        "", silent=True, user_expressions={"kinds": KINDS}, reply=True, timeout=60
    )
    answer = reply["content"]["user_expressions"]["kinds"]
    if answer["status"] != "ok":
        raise Failed(f"its names cannot be read: {answer['evalue']}")
    return ast.literal_eval(answer["data"]["text/plain"])


def store(path, rerun=True):
    """Bring the file of a chapter up to date; whether that has changed it."""
    content = path.read_text("utf-8")
    before = nbformat.reads(content, as_version=4)
    notebook = nbformat.reads(content, as_version=4)
    if rerun:
        run(notebook, path.parent)
    after = text(normal(notebook, before))
    if after != content:
        path.write_text(after, "utf-8")
    return after != content


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m lenient_book.outputs",
        description="Run chapters and store their outputs.",
    )
    parser.add_argument("chapter", nargs="*", help="number or name; all if none is given")
    parser.add_argument("--tidy", action="store_true", help="only into normal form")
    options = parser.parse_args(arguments)
    failed = False
    for path in chapters(options.chapter):
        print(f"{path.stem:26}", end=" ", flush=True)
        start = perf_counter()
        try:
            changed = store(path, rerun=not options.tidy)
        except Failed as error:
            print(f"left as it was\n{path.name}, {error}")
            failed = True
        else:
            seconds = perf_counter() - start
            print(f"{seconds:6.1f} s  {'new' if changed else 'the same as before'}")
    return int(failed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(str(error))
