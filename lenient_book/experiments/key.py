"""What a stored number was made from, as a key that is stored with it.

A key names the code, the data, the sizes, the seed and the versions. The code is every
module that the maker imports, directly or not, each with a digest of its syntax: a comment,
a docstring or other line breaks change nothing, and all versions of Python agree. This file
itself needs the standard library alone.
"""

import ast
import hashlib
import json
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("lenient", "lenient_book")
LIBRARIES = ("numpy", "scipy", "numba")  # whose version may change a number
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Closure(NamedTuple):
    """Modules of the packages above with their digests, and what else they import."""

    code: dict
    others: set


def make_key(module, data, root=ROOT, **sizes):
    """The key of what `module` makes of `data`, in the form in which JSON gives it back."""
    code, others = closure([module], root)
    versions = {name: installed(name) for name in LIBRARIES if name in others}
    key = {"code": code, "data": data, **sizes, "versions": versions}
    return json.loads(json.dumps(key, sort_keys=True))


def installed(name):
    """The version of a package, or None where it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def key_digest(key):
    """A short name for a key."""
    return _short(json.dumps(key, sort_keys=True))


def changes(old, new):
    """The names of what differs: modules, data, sizes, versions."""
    names = []
    for part in sorted({*old, *new}):
        one, other = old.get(part), new.get(part)
        if isinstance(one, dict) and isinstance(other, dict):
            names += [n for n in sorted({*one, *other}) if one.get(n) != other.get(n)]
        elif one != other:
            names.append(part)
    return names


# ---- the code ------------------------------------------------------------------------


def closure(modules, root=ROOT):
    """All that these modules import, step by step."""
    left, code, others = [*modules], {}, set()
    while left:
        module = left.pop()
        if module.partition(".")[0] not in PACKAGES:
            others.add(module.partition(".")[0])
        elif module not in code:
            file = file_of(module, root)
            source = file.read_text("utf-8") if file else "raise ImportError"
            code[module] = syntax_digest(source)
            left += imported_modules(source, module, root)
    return Closure(dict(sorted(code.items())), others)


def file_of(module, root=ROOT):
    """The file of a module, or None if there is none."""
    base = Path(root, *module.split("."))
    files = [base / "__init__.py", base.with_name(base.name + ".py")]
    return next((file for file in files if file.is_file()), None)


def imported_modules(source, module="", root=ROOT):
    """The modules that a source imports, also within functions.

    `from lenient import leap` is the submodule alone; a name that is no submodule comes
    from the package's own file.
    """
    file = file_of(module, root) if module else None
    is_package = file is not None and file.name == "__init__.py"
    package = module if is_package else module.rpartition(".")[0]
    for target, name in _import_statements(source):
        target = resolve_name(target, package)
        submodule = f"{target}.{name}"
        ours = name is not None and target.partition(".")[0] in PACKAGES
        yield submodule if ours and file_of(submodule, root) else target


@lru_cache(maxsize=256)
def _import_statements(source):
    """(module, name or None) of every import, in a list."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            target = "." * node.level + (node.module or "")
            found += [(target, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found.append((alias.name, None))
                if not alias.asname:  # `import lenient.leap` gives the name `lenient`
                    found.append((alias.name.partition(".")[0], None))
    return found


@lru_cache(maxsize=256)
def syntax_digest(source):
    """A digest of what the source says, whatever its looks and the version of Python."""
    return _short(_canonical(ast.parse(source)))


def _canonical(node):
    """A syntax tree as text. (That of `ast.dump` is another in each version of Python.)"""
    if isinstance(node, list):
        return f"[{','.join(map(_canonical, node))}]"
    if not isinstance(node, ast.AST):
        return f"{type(node).__name__} {node!a}"
    fields = dict(ast.iter_fields(node))
    fields.pop("kind", None)  # the u of u"text"
    if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = fields["body"][1:]
    if isinstance(node, ast.JoinedStr):  # some versions add empty pieces to an f-string
        pieces = fields["values"]
        fields["values"] = [p for p in pieces if getattr(p, "value", None) != ""]
    # New versions bring new fields, empty in code that does not use them.
    said = {name: value for name, value in fields.items() if value not in (None, [])}
    inner = ",".join(f"{name}={_canonical(value)}" for name, value in said.items())
    return f"{type(node).__name__}({inner})"


def _short(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]
