"""The engine of the page, run by whatever runs JavaScript here: Node, and Chromium.

An expression is evaluated with the model's functions in scope, and comes back as Python
sees JSON; numbers that JSON does not know come as the texts "NaN", "Infinity", "-Infinity".
"""

import json
import shutil
import subprocess

from lenient_book.playground.bundle import model

NODE = shutil.which("node")
WRITE = """(key, value) => typeof value === "number" && !Number.isFinite(value)
  ? String(value) : ArrayBuffer.isView(value) ? [...value] : value"""


def program(expression, given):
    """A function's text: the expression with the model in scope and `given` at hand."""
    names = model().rsplit("return {", 1)[1].split("}")[0]
    return (
        f"(() => {{\n{model()}\nconst {{ {names} }} = lenientModel();\n"
        f"const given = {json.dumps(given)};\n"
        f"return JSON.stringify(({expression}), {WRITE});\n}})()"
    )


def decode(text):
    special = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": -float("inf")}

    def mend(value):
        if isinstance(value, list):
            return [mend(each) for each in value]
        if isinstance(value, dict):
            return {key: mend(each) for key, each in value.items()}
        return special.get(value, value) if isinstance(value, str) else value

    return mend(json.loads(text))


class Node:
    name = "node"

    def __call__(self, expression, given=None):
        run = subprocess.run(
            [NODE, "-"],
            input=f"process.stdout.write({program(expression, given)})",
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stderr
        return decode(run.stdout)


class Chromium:
    name = "chromium"

    def __init__(self, browser):
        self.page = browser.new_page()

    def __call__(self, expression, given=None):
        return decode(self.page.evaluate(program(expression, given)))
