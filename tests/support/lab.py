"""A real JupyterLab, as `make notebooks` starts it, and a notebook opened in a browser."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

from support.paths import ROOT

TOKEN = "a-reader"
HUB = "/user/name/"  # where a hub serves its users
# Of the log, what is no fault: how to reach the server, and that it ends.
HARMLESS = re.compile(
    r"^\s*$|^\s+(http|file)://|To access the server|Or copy and paste|Jupyter Server"
)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """Where it is, and what it has said."""

    def __init__(self, url, log):
        self.url, self.log = url, log

    def page(self, path):
        return f"{self.url}{path}{'&' if '?' in path else '?'}token={TOKEN}"

    def faults(self):
        lines = self.log.read_text("utf-8", errors="replace").split("\n")
        return [line for line in lines if not HARMLESS.search(line)]


@contextmanager
def server(folder, home, app="jupyterlab", *flags):
    """Started with the book's settings by a user without any of their own, and no network."""
    port = free_port()
    env = {name: os.environ[name] for name in os.environ if not name.startswith("JUPYTER")}
    env |= {
        "JUPYTER_CONFIG_PATH": str(ROOT / "_jupyter"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "https_proxy": "http://127.0.0.1:9",  # there is nobody
        "http_proxy": "http://127.0.0.1:9",
        "no_proxy": "127.0.0.1,localhost",
    }
    env.pop("LENIENT_STATIC", None)
    command = [sys.executable, "-m", app, "--no-browser", f"--ServerApp.port={port}"]
    command += ["--ServerApp.port_retries=0", f"--ServerApp.base_url={HUB}", "--allow-root"]
    command += [f"--IdentityProvider.token={TOKEN}", "--LabApp.expose_app_in_browser=True"]
    command += ["--JupyterNotebookApp.expose_app_in_browser=True", *flags, str(folder)]
    log = home / "log.txt"
    with open(log, "wb") as file:
        process = subprocess.Popen(command, env=env, stdout=file, stderr=file, cwd=home)
    url = f"http://127.0.0.1:{port}{HUB}"
    try:
        wait_for(f"{url}api?token={TOKEN}", process, log)
        yield Server(url, log)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(url, process, log, patience=90):
    end = time.monotonic() + patience
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (OSError, urllib.error.URLError):
            time.sleep(0.3)
    raise RuntimeError("the server does not answer:\n" + log.read_text("utf-8"))


class Notebook:
    """A notebook in the browser, and what went wrong with it."""

    def __init__(self, page, server):
        self.page, self.server, self.faults = page, server, []
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("console", self.note_message)
        page.on("request", self.note_request)
        page.on("response", self.note_response)

    def note_message(self, message):
        if message.type == "error":
            self.faults.append(f"console: {message.text}")

    def note_request(self, request):
        if not request.url.startswith((self.server.url, "data:", "blob:", "ws:")):
            self.faults.append(f"request that leaves the server: {request.url}")

    def note_response(self, response):
        if response.status >= 400:
            self.faults.append(f"status {response.status}: {response.url}")

    def open(self, path, where="lab/tree/"):
        query = "?reset" if where.startswith("lab") else ""
        self.page.goto(self.server.page(f"{where}{path}{query}"), wait_until="load")
        return self

    def ready(self):
        """The notebook is there, with all its cells and a kernel that waits."""
        self.page.wait_for_function(READY, timeout=120_000)
        self.page.wait_for_timeout(1000)
        return self

    def ask(self, script):
        return self.page.evaluate(f"{CURRENT}\n({script})(current)")

    def run_all(self, patience=600):
        """Run all cells; the text of the first error, or None."""
        self.page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
        self.page.wait_for_timeout(500)
        self.page.wait_for_function(DONE, timeout=patience * 1000, polling=500)
        return self.ask(ERRORS)


CURRENT = "const current = window.jupyterapp.shell.currentWidget;"
READY = """() => {
  const current = window.jupyterapp?.shell?.currentWidget;
  const kernel = current?.sessionContext?.session?.kernel;
  return current?.context?.isReady && kernel?.status === "idle" &&
    current.content.widgets.length === current.model.cells.length &&
    current.content.widgets.every((cell) => cell.model.type !== "markdown" ||
      cell.node.querySelector(".jp-MarkdownOutput, .myst"));
}"""
DONE = """() => {
  const current = window.jupyterapp.shell.currentWidget;
  const code = current.content.widgets.filter((cell) => cell.model.type === "code");
  const failed = code.some((cell) => cell.model.outputs.toJSON()
    .some((output) => output.output_type === "error"));
  return failed || (current.sessionContext.session.kernel.status === "idle" &&
    code.every((cell) => cell.model.executionCount !== null &&
      cell.model.executionState !== "running" && !cell.promptNode.textContent.includes("*")));
}"""
ERRORS = """(current) => current.content.widgets
  .filter((cell) => cell.model.type === "code")
  .flatMap((cell) => cell.model.outputs.toJSON()
    .filter((output) => output.output_type === "error" || output.name === "stderr")
    .map((output) => `${output.ename ?? "stderr"}: ${output.evalue ?? output.text}`))"""
