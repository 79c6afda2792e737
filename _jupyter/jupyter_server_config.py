# How `make notebooks` starts JupyterLab: quiet, without a network, on the start page.
from pathlib import Path

settings = str(Path(__file__).parent / "settings")
for app in (c.LabApp, c.JupyterNotebookApp):  # noqa: F821
    app.app_settings_dir = settings
c.LabApp.default_url = "/lab/tree/index.md"  # noqa: F821
c.JupyterNotebookApp.default_url = "/notebooks/index.md"  # noqa: F821
# The list of extensions is looked up on the network; its panel is not needed here.
c.LabApp.extension_manager = "readonly"  # noqa: F821
c.Application.log_level = "WARN"  # noqa: F821
# Otherwise it warns that it makes them equal itself.
c.ServerApp.websocket_ping_timeout = 30_000  # noqa: F821
# The assignments' tools have a start of their own, `make formgrader`.
tools = ("formgrader", "validate_assignment", "assignment_list", "course_list")
c.ServerApp.jpserver_extensions = {  # noqa: F821
    f"nbgrader.server_extensions.{tool}": False for tool in tools
}
