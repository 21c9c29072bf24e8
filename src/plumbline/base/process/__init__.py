"""The one place where other programs are run.

Never by a shell, with nothing of our environment but what is named, within a deadline and limits, confined where asked,
and to the end of their whole tree.

    finished = await run(Command(argv=("kustomize", "build", "."), cwd=tree, confinement=Confinement(readable=(tree,))))
"""

from plumbline.base.process.child import Child, Report, ready, started
from plumbline.base.process.command import Command, Confinement, Finished, Limits
from plumbline.base.process.launcher import Launcher
from plumbline.base.process.run import capabilities, run
from plumbline.base.process.sandbox import Capability, Facts, Start, plan
from plumbline.base.process.scratch import scratch, sweep
from plumbline.base.process.streaming import Streamed, streamed

__all__ = [
    "Capability",
    "Child",
    "Command",
    "Confinement",
    "Facts",
    "Finished",
    "Launcher",
    "Limits",
    "Report",
    "Start",
    "Streamed",
    "capabilities",
    "plan",
    "ready",
    "run",
    "scratch",
    "started",
    "streamed",
    "sweep",
]
