"""What several test files share: the built book, and a server and a browser for it."""

import fcntl
import json
import os
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from support.paths import ROOT

SOURCES = ["chapters", "lenient", "lenient_book", "_ext", "_static", "_config.yml", "_toc.yml"]
SOURCES += [
    "_templates",
    "classroom",
    "nbgrader_config.py",
    "references.bib",
    "requirements.txt",
]
# The test tool's own flags, and those that keep the browser from calling home.
CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def book_is_fresh():
    """Did the present sources pass the strict build? `make book` leaves a stamp."""
    stamp = ROOT / "_build" / ".strict"
    files = [
        file
        for source in SOURCES
        for file in [ROOT / source, *(ROOT / source).rglob("*")]
        if file.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & {*file.parts}
    ]
    newest = max(file.stat().st_mtime for file in files)
    return stamp.exists() and stamp.stat().st_mtime >= newest


@pytest.fixture(scope="session")
def book():
    """Folder of the built book. `make test` has built it; otherwise it is built now."""
    (ROOT / "_build").mkdir(exist_ok=True)
    with open(ROOT / "_build" / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the other test processes wait here
        if not book_is_fresh():
            build = subprocess.run(["make", "book"], cwd=ROOT, capture_output=True, text=True)
            if build.returncode:
                pytest.fail("make book failed:\n" + build.stdout + build.stderr)
    return ROOT / "_build" / "html"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def book_url(book):
    """Address at which the book is served while the tests run."""
    handler = partial(QuietHandler, directory=book)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium. Without it, CI fails and other machines skip."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing = "chromium is not installed (Debian: apt install chromium)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


# ---- order ---------------------------------------------------------------------------
# A file is run by one process from its first test to its last. Those that take longest
# start first, so that no process works on alone at the end.
LONGEST = ["test_hostile", "test_mark_folder", "test_leap_mutants", "test_leap"]
LONGEST += ["test_safe_view", "test_mending", "test_fresh_results", "test_browser"]
LONGEST += ["08-seeing-the-limit", "test_assignments", "test_experiments", "test_reproduce"]


def pytest_collection_modifyitems(items):
    rank = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))


# ---- the ledger of claims ------------------------------------------------------------
# A test marked `claim("lemma:…", how="…")` checks a statement of the paper. `make test`
# asks for a record of how all of them ended, from which the book's ledger is made.
LEDGER = ROOT / "chapters" / "ledger.json"
records = {}


def claims_of(item):
    """{statement: how it is checked}, from the marks of a test."""
    marks = item.iter_markers("claim")
    return {mark.args[0]: mark.kwargs["how"] for mark in marks}


def pytest_collection_finish(session):
    if os.environ.get("LENIENT_LIST_CLAIMS") == "1":
        for item in session.items:
            print("claims:", json.dumps(claims_of(item)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if claims := claims_of(item):
        report.user_properties.append((f"{item.path.name}::{item.originalname}", claims))
    return report


def pytest_runtest_logreport(report):
    """All cases of a test count together: it has passed if every one has."""
    if report.when != "call" and not report.failed:
        return
    for test, claims in report.user_properties:
        if isinstance(claims, dict):
            before = records.get(test, {"outcome": "passed"})["outcome"]
            outcome = before if report.passed else report.outcome
            records[test] = {"claims": claims, "outcome": outcome}


def pytest_sessionfinish(session):
    wanted = os.environ.get("LENIENT_LEDGER") == "1"
    if wanted and not hasattr(session.config, "workerinput"):  # not in a worker
        text = json.dumps(records, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        if not LEDGER.exists() or LEDGER.read_text("utf-8") != text:
            LEDGER.write_text(text, "utf-8")
