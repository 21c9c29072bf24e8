"""Runs a tool that must not be ended in the middle of its work: executed by path, inside of the tool's confinement.

A signal to a whole group would end providers together with the tool, and what they were making would be in no state. So the
tool has a group of its own, and whoever wants it to stop says so on our input or sends SIGTERM: then the tool alone is asked,
once, by SIGINT, to finish what it is at. An input that ends without a word says that whoever could ask has died. Then we are
about to be killed, and a tool that begins to write its state meanwhile would do so at times only. Imports nothing but what an
interpreter has loaded anyway.
"""

import os
import select
import signal
import sys

STOP = b"\n"
"""What is said to have the tool finish what it is at."""
_DEFAULT = (signal.SIGCHLD, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM, signal.SIGXFSZ)


def main(argv: list[str], asking: int = 0) -> int:
    """Run *argv* to its end, whose exit code this is; ask it to end when there is a word on the descriptor *asking*."""
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    tool = os.posix_spawn(
        argv[0],
        argv,
        os.environ,  # noqa: TID251 - the tool's own, as it was composed for it
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)],
        setpgroup=0,
        setsigdef=_DEFAULT,
    )
    poller = select.poll()
    poller.register(asking, select.POLLIN)
    poller.register(woken, select.POLLIN)
    asked = False
    while True:
        for descriptor, _ in poller.poll():
            if descriptor == asking:
                poller.unregister(asking)
                wanted = bool(os.read(asking, 1))
            else:
                wanted = signal.SIGTERM in os.read(woken, 64)
            if wanted and not asked:
                asked = True
                os.kill(tool, signal.SIGINT)
        ended, status = os.waitpid(tool, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
