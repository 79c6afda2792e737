"""Tell the notebooks that they run for a page, where no kernel will answer.

An explorer then draws all its frames beforehand. Kernels inherit the environment of the
process that starts them, so it is set before any of them does.
"""

import os


def setup(app):
    os.environ["LENIENT_STATIC"] = "1"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
