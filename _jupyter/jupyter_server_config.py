# How `make notebooks` starts JupyterLab: quiet, without a network, on the start page.
import logging
from pathlib import Path

c.LabApp.app_settings_dir = str(Path(__file__).parent / "settings")  # noqa: F821
c.LabApp.default_url = "/lab/tree/index.md"  # noqa: F821
# The list of extensions is looked up on the network; its panel is not needed here.
c.LabApp.extension_manager = "readonly"  # noqa: F821
c.Application.log_level = "WARN"  # noqa: F821
# Two parts of the server disagree about when a connection is lost, which one of them says
# whenever a notebook is opened.
logging.getLogger("tornado.general").addFilter(
    lambda record: "websocket_ping_timeout" not in record.getMessage()
)
# The assignments' tools have a start of their own, `make formgrader`.
tools = ("formgrader", "validate_assignment", "assignment_list", "course_list")
c.ServerApp.jpserver_extensions = {  # noqa: F821
    f"nbgrader.server_extensions.{tool}": False for tool in tools
}
