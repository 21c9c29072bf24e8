"""The verbs there are, each with the line that `plumb --help` prints; their modules are imported when typed."""

from typing import Final

VERBS: Final = {
    "up": "Start everything in one process: API, delivery, Git repositories.",
    "run": "Run the controllers on a cluster; at first they only observe.",
    "install": "Print what a cluster needs to have the controllers in it.",
    "down": "Stop what `plumb up` started.",
    "doctor": "Check this machine: tools, sandbox, kubeconfig, ports and so on.",
    "app": "Look at Applications, sync them, and change them.",
    "repo": "Say which repositories there are, and as whom we come there.",
    "repocreds": "Credentials for all repositories whose address begins alike.",
    "cert": "Host keys and certificates that repositories are known by.",
    "gpg": "Say whose signatures count.",
    "proj": "Look at projects, and say what they permit.",
    "cluster": "Say which clusters there are, and as whom we come there.",
    "account": "Look at accounts: passwords, tokens, who may do what.",
    "login": "Log in to a server, and have verbs ask it.",
    "relogin": "Log in again where a login has ended.",
    "logout": "End a login.",
    "context": "List the servers that you logged in to, or switch.",
    "open": "Open the web page of an object, or print where it is.",
    "get": "List objects of any kind, or show some.",
    "describe": "Tell everything about an object, with its events.",
    "events": "List what happened to objects.",
    "composition": "Try out compositions without a cluster, and rewrite them.",
    "tf": "Plan, approve and apply Terraform, on a cluster and in CI.",
    "seal": "Seal Secrets, so that only the cluster can open them.",
    "secret": "Set one sealed value in a file; re-seal what old keys sealed.",
    "keys": "Keep what opens sealed values where it survives the cluster.",
    "validate": "Check manifests against CRDs, XRDs and Compositions.",
    "tree": "Draw what an object is made of, down to the cloud.",
    "why": "Say what an object waits for, and what would release it.",
    "health": "Say whether objects are healthy, from files or a cluster.",
    "diff": "Show what applying manifests would change, and whose fields.",
    "own": "Say who owns what, and refuse two owners of one thing.",
    "adopt": "Hand objects over to Plumbline, once nobody else has them.",
    "release": "Hand objects back.",
    "consent": "Agree that something may be destroyed.",
    "completion": "Have a shell complete verbs, options and names.",
    "version": "Print the version.",
}

UNLISTED: Final = frozenset({"runner"})
"""Typed by Jobs, not by people."""
