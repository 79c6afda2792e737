"""Files that can be trusted: whole or not there, each with its checksum and its key.

A number whose key does not fit the present code, data and versions is never given out.
"""

import hashlib
import io
import json
import os
from pathlib import Path

import numpy as np

from lenient_book.experiments.key import ROOT, changes, make_key
from lenient_book.experiments.scenarios import EXPERIMENTS
from lenient_book.stored import folder as stored_folder

RESULTS = stored_folder("results")


class Damaged(Exception):
    """A file is not what was written."""


class Unfit(Exception):
    """There is no stored result that the present code would make."""


# ---- results -------------------------------------------------------------------------


def key_of(experiment):
    """The key that the result of an experiment must have."""
    maker, setting, runs, seed = experiment
    return make_key(maker.__name__, setting._asdict(), runs=runs, seed=seed)


def save(experiment, key, result, folder):
    """Write a result as text, with the key that the code had when the work began."""
    # What a maker combines is plain already, unless it says how to make it so.
    to_plain = getattr(experiment.maker, "to_plain", lambda result: result)
    stored = {"key": key, "result": to_plain(result)}
    text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
    write(_path_of(experiment, folder), text.replace('],"', '],\n"').encode() + b"\n")


def load(experiment, folder=RESULTS):
    """The stored result of an experiment, given by its name; Unfit if none can be shown."""
    if isinstance(experiment, str):
        experiment = EXPERIMENTS[experiment]
    stored, fault = examine(experiment, folder)
    if fault:
        path = _path_of(experiment, folder).resolve()
        path = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        raise Unfit(f"{path} cannot be shown: {fault}; make reproduce makes it anew")
    return getattr(experiment.maker, "from_plain", lambda plain: plain)(stored["result"])


def examine(experiment, folder):
    """(what is stored, why it is not to be used or None)."""
    try:
        stored = json.loads(read(_path_of(experiment, folder)))
        changed = changes(stored["key"], key_of(experiment))
    except FileNotFoundError:
        return None, "no file yet"
    except Damaged as damage:
        return None, f"damaged: {damage}"
    except (ValueError, KeyError, TypeError, AttributeError):  # whole, but not ours
        return None, "damaged: no key"
    return stored, f"{', '.join(changed)} changed" if changed else None


def _path_of(experiment, folder):
    return Path(folder, f"{experiment.name}.json")


# ---- parts of unfinished work --------------------------------------------------------


def save_part(part, path):
    buffer = io.BytesIO()
    np.savez(buffer, **part)
    write(path, buffer.getvalue())


def load_part(path):
    """What a job gave that has been done before."""
    try:
        with np.load(io.BytesIO(read(path))) as arrays:
            return dict(arrays)
    except (ValueError, EOFError) as error:
        raise Damaged(str(error)) from None


# ---- bytes ---------------------------------------------------------------------------


def write(path, payload):
    """Write all or nothing, with a checksum in the first line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(payload).hexdigest().encode()
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(draft, "wb") as file:
            file.write(b'{"sha256": "' + digest + b'"}\n' + payload)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def read(path):
    """What was written; raises Damaged if that cannot be told."""
    head, _, payload = path.read_bytes().partition(b"\n")
    try:
        digest = json.loads(head)["sha256"]
    except (ValueError, KeyError, TypeError):
        raise Damaged("no checksum") from None
    if hashlib.sha256(payload).hexdigest() != digest:
        raise Damaged("checksum")
    return payload
