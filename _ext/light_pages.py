"""Write the pages in half the time: what Sphinx would read again and again is read once.

To number a reference to a figure Sphinx reads the whole page that the figure is on, from disk
and with all its pictures, once for each of hundreds of references. Here the pages read last
are kept.

A page whose text comes from docstrings would be stored together with all that Sphinx knows of
the whole book: its parts were read as documents of their own, and each holds on to the
environment. They are made parts of their page.
"""

from functools import lru_cache

from sphinx.domains.std import StandardDomain

KEPT = 4  # most references lead to the page they are on


class Shelf:
    """The environment, with the pages read last at hand. They are looked at and not changed."""

    def __init__(self, env):
        self._env = env
        self.get_doctree = lru_cache(KEPT)(env.get_doctree)

    def __getattr__(self, name):
        return getattr(self._env, name)


class LightDomain(StandardDomain):
    """The domain of figures and sections, with a shelf."""

    def _resolve_numref_xref(self, env, *arguments):
        # Pages are read before any reference is resolved, and do not change after that.
        if getattr(self, "_shelf", None) is None:
            self._shelf = Shelf(env)
        return super()._resolve_numref_xref(self._shelf, *arguments)


def own_all_parts(app, doctree):
    """Let every part of a page know the page as its document, and no other."""
    for node in doctree.findall():
        node.document = doctree


def setup(app):
    app.add_domain(LightDomain, override=True)
    app.connect("doctree-read", own_all_parts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
