"""The server of `make formgrader`: nbgrader's pages for marking, and nothing else.

Jupyter's own server can open terminals, run kernels and write files, for any script that
gets into one of its pages. Submissions are shown in these, so here all that is left out, and
a policy tells the browser to run no script but those of the templates, and to load nothing
from elsewhere.
"""

import base64
import hashlib
import re
import secrets
from pathlib import Path

from jinja2 import BaseLoader
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from jupyter_server.utils import url_path_join
from nbgrader.server_extensions.formgrader import handlers
from tornado.web import HTTPError, authenticated

from .folders import ROOT

FORMGRADER = "nbgrader.server_extensions.formgrader"
_PAGES = Path(handlers.template_path).parent


def _own_handlers():
    """What nbgrader's pages do when something is clicked, and how jQuery tries a browser."""
    files = [path for kind in ("*.tpl", "*.j2", "js/*.js") for path in _PAGES.rglob(kind)]
    texts = [path.read_text("utf-8") for path in files if "node_modules" not in path.parts]
    return sorted({"t", *re.findall(r"(?i)\bonclick=[\"']([\w().;]+)[\"']", "\n".join(texts))})


def policy(nonce):
    """What the browser may do with a page: its own scripts carry the nonce."""
    digests = [hashlib.sha256(handler.encode()).digest() for handler in _own_handlers()]
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    # Templates of Underscore, which the pages are made with, are compiled by `eval`.
    scripts = f"'nonce-{nonce}' 'unsafe-eval' 'unsafe-hashes' {allowed}"
    return "; ".join([
        "default-src 'none'", f"script-src {scripts}", "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:", "font-src 'self' data:", "connect-src 'self'",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ])  # fmt: skip


class _WithNonce(BaseLoader):
    """Templates whose scripts carry the nonce; what they show is filled in later."""

    def __init__(self, loader, nonce):
        self.loader, self.nonce = loader, nonce

    def get_source(self, environment, template):
        if template == "mathjax.html.j2":  # it comes from another host
            return '{% macro mathjax(url="") %}{% endmacro %}', None, None
        source, path, fresh = self.loader.get_source(environment, template)
        return re.sub(r"<script\b", f'<script nonce="{self.nonce}"', source), path, fresh


class _NoFiles(LargeFileManager):
    def get_extra_handlers(self):
        """Without the one that hands out all files of the course."""
        return []


class _Start(JupyterHandler):
    @authenticated
    def get(self):
        """nbgrader takes its settings, which are code, from any folder that a link names."""
        if self.get_argument("path", ""):
            raise HTTPError(403, "settings are read from nbgrader_config.py alone")
        self.redirect(self.settings["default_url"])


class MarkingApp(ServerApp):
    """A Jupyter server without terminals, kernels, files and extensions."""

    name = "lenient-marking"
    default_services = ("auth", "security", "shutdown")

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.root_dir = str(ROOT)
        self.default_url = "/formgrader/manage_assignments"
        self.terminals_enabled = False
        self.contents_manager_class = _NoFiles
        self.allow_root = True  # it can run nothing

    def load_server_extensions(self):
        start = url_path_join(self.base_url, "formgrader/?")
        self.web_app.add_handlers(".*$", [(start, _Start)])  # before nbgrader's own
        super().load_server_extensions()
        nonce, settings = secrets.token_urlsafe(), self.web_app.settings
        settings["headers"] = {
            "Content-Security-Policy": policy(nonce),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }
        exporter = settings["nbgrader_exporter"]
        for environment in (settings["nbgrader_jinja2_env"], exporter.environment):
            environment.loader = _WithNonce(environment.loader, nonce)

    def initialize(self, argv=None, **kwargs):
        super().initialize(argv, **{**kwargs, "find_extensions": False})

    def load_config_file(self, *words, **named):
        super().load_config_file(*words, **named)
        # A teacher's own settings may name more, for other servers.
        self.config.ServerApp.jpserver_extensions = {FORMGRADER: True}
        self.jpserver_extensions = {FORMGRADER: True}


if __name__ == "__main__":
    MarkingApp.launch_instance()
