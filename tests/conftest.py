"""What several test files share: the built book, and a server and a browser for it."""

import fcntl
import os
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ["chapters", "lenient", "_ext", "_static", "_config.yml", "_toc.yml"]
SOURCES += ["references.bib", "requirements.txt"]
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
            build = subprocess.run(
                ["make", "book"], cwd=ROOT, capture_output=True, text=True
            )
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
