"""The verbs there are, each with the line that `plumb --help` prints; their modules are imported when typed."""

from typing import Final

VERBS: Final = {
    "up": "Start everything in one process: a Kubernetes API, delivery, and Git repositories.",
    "run": "Run the controllers on a cluster; they observe until told otherwise.",
    "down": "Stop what `plumb up` started.",
    "doctor": "Check this machine: tools, sandbox, kubeconfig, ports, disk, clock.",
    "health": "Say whether objects are healthy, from files or a cluster.",
    "diff": "Show what applying manifests would change, and whose each field is.",
    "own": "Say who owns what, and refuse two owners of one thing.",
    "adopt": "Hand objects over to Plumbline, once nobody else looks after them.",
    "release": "Hand objects back.",
    "consent": "Agree that something may be destroyed.",
    "version": "Print the version.",
}
