"""Run the notebooks again when the code behind them changes.

The execution cache looks at the cells alone: after a change in `lenient/`, or of a
pinned version, it would show the old numbers. So each state of that code gets a cache
of its own.
"""

import hashlib
from pathlib import Path


def code_key(root):
    """Hash of all that the notebooks import: the package and the pinned versions."""
    root = Path(root)
    files = [
        path
        for path in (root / "lenient").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    digest = hashlib.sha256()
    for path in sorted([*files, root / "requirements.txt"]):
        name = path.relative_to(root).as_posix()
        content = path.read_bytes()
        # The length keeps apart two files whose bytes join up to the same text.
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def set_cache_path(app, config):
    caches = Path(app.outdir).parent / ".jupyter_cache"
    config.nb_execution_cache_path = str(caches / code_key(app.srcdir))


def setup(app):
    app.connect("config-inited", set_cache_path)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
