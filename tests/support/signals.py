"""Programs that can be interrupted, also where the tests themselves cannot."""

import signal


def hear_ctrl_c():
    """For Popen's `preexec_fn`: background jobs of a shell, and their children, do not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
