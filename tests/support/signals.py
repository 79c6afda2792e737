"""Programs that can be interrupted, also where the tests themselves cannot."""

import signal


def hear_ctrl_c():
    """For Popen's `preexec_fn`: a shell's background jobs, and their children, are deaf to it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
