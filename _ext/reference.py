"""Directives that put signatures and docstrings of `lenient` on a page.

    {reference} lenient.gaps   all public names of a module, in full
    {names} lenient.gaps       a table of them, each with the first line of its docstring
    {calls} hinge cutoff       a table of the names given: how to call them, and the same
    {signature} simulate       how to call it, as a line of code
    {arguments} simulate       a table of its arguments: name, default, first sentence

Nothing is written twice: what a page says of a function is what the function says.
"""

import inspect
import re
import sys
from operator import attrgetter
from textwrap import fill, indent

from docstrings import ALSO, as_rst, is_made_for_its_reader, methods, public, targets
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import lenient


# ---- what the code says --------------------------------------------------------------
def of_module(module):
    """{full name: object} of the public names that a module defines, in order."""
    if module == "lenient.paper":
        first = {"lenient.paper": lenient.paper}
    else:
        first = {
            name: thing
            for name, thing in public().items()
            if name.count(".") == 1 and getattr(thing, "__module__", None) == module
        }
    return first | {f"{module}.{thing.__name__}": thing for thing in ALSO.get(module, [])}


def thing_named(full_name):
    """The object behind lenient.Simulation.regret."""
    return attrgetter(full_name.removeprefix("lenient."))(lenient)


def last_name(thing):
    return thing.__name__.rpartition(".")[2]


def call(thing):
    """As in simulate(means, policy, …), without types, which its docstring has."""
    if inspect.ismodule(thing):
        return last_name(thing)
    if inspect.isclass(thing) and is_made_for_its_reader(thing):
        return thing.__name__
    signature = inspect.signature(thing)
    plain = [
        each.replace(annotation=each.empty)
        for each in signature.parameters.values()
        if each.name != "self"
    ]
    bare = signature.replace(parameters=plain, return_annotation=signature.empty)
    return f"{thing.__name__}{bare}"


def summary(thing):
    """The first line of the docstring."""
    return inspect.getdoc(thing).partition("\n")[0]


def described(thing):
    """{argument: description} of the section Parameters."""
    text = inspect.getdoc(thing)
    found = re.search(r"\nParameters\n-+\n(.*?)(?=\n\n\w+\n---|\n\n\S|\Z)", text, re.DOTALL)
    entries, names = {}, []
    for line in found[1].splitlines() if found else []:
        if line and not line.startswith(" "):
            names = [name.strip() for name in line.partition(" :")[0].split(",")]
            entries |= {name: "" for name in names}
        else:
            for name in names:
                entries[name] = f"{entries[name]} {line.strip()}".strip()
    return entries


def first_sentence(text):
    return re.split(r"(?<=[.:])\s(?=[A-Z])", text)[0]


def arguments(thing):
    """[(name, default or "", first sentence)] of each argument."""
    texts = described(thing)
    for name, each in inspect.signature(thing).parameters.items():
        default = "" if each.default is each.empty else repr(each.default)
        yield name, default, first_sentence(texts[name])


# ---- as lines of reStructuredText ----------------------------------------------------
def full_reference(module):
    for name, thing in of_module(module).items():
        if inspect.ismodule(thing):
            yield from [f".. automodule:: {name}", ""]
        elif inspect.isclass(thing):
            yield f".. autoclass:: {name}"
            if members := methods(thing):
                yield f"   :members: {', '.join(members)}"
                yield "   :member-order: bysource"
            yield ""
        else:
            yield from [f".. autofunction:: {name}", ""]


def table(rows):
    yield from [".. list-table::", "   :widths: 35 65", "   :class: names", ""]
    for left, right in rows:
        yield from [f"   * - {left}", f"     - {right}"]


def names_table(full_names, show=call):
    rows = []
    for name in full_names:
        thing = thing_named(name)
        rows.append([f":py:obj:`{show(thing)} <{name}>`", *_rst(summary(thing))])
    return table(rows)


def arguments_table(thing):
    return table(
        [f"``{name}={default}``" if default else f"``{name}``", *_rst(text)]
        for name, default, text in arguments(thing)
    )


def _rst(line):
    return as_rst([line], targets(), {})


# ---- the directives ------------------------------------------------------------------
class FromCode(SphinxDirective):
    """Put lines made from the code in the place of the directive."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if file and module.__name__.startswith("lenient."):
                self.env.note_dependency(file)
        container = nodes.container()
        self.state.nested_parse(
            ["```{eval-rst}", *self.lines(self.arguments[0]), "```"],
            self.content_offset,
            container,
        )
        return container.children


class Reference(FromCode):
    def lines(self, module):
        return full_reference(module)


class Names(FromCode):
    def lines(self, module):
        return names_table(of_module(module), show=last_name)


class Calls(FromCode):
    def lines(self, words):
        known, full = targets(), []
        for word in words.split():
            full += of_module(word) if word.startswith("lenient.") else [known[word]]
        return names_table(full)


class Signature(FromCode):
    def lines(self, name):
        code = fill(f"lenient.{call(thing_named(name))}", 62, subsequent_indent="    ")
        return [".. code-block:: python", "", *indent(code, "   ").split("\n")]


class Arguments(FromCode):
    def lines(self, name):
        return arguments_table(thing_named(name))


def setup(app):
    app.add_directive("reference", Reference)
    app.add_directive("names", Names)
    app.add_directive("calls", Calls)
    app.add_directive("signature", Signature)
    app.add_directive("arguments", Arguments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
