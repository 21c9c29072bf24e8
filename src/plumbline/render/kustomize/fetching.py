"""What a build may reach that runs Helm or fetches something: a folder to write to, and the network only if allowed.

No credential is there to be taken. Helm looks for plugins in an empty folder whatever a kustomization says about its
home, and whatever a base names as its revision git takes as a revision.
"""

import shlex
from pathlib import Path
from typing import Final

from plumbline.base.environment import environment
from plumbline.base.process import Confinement
from plumbline.render.tools.places import on_path
from plumbline.render.tools.toolbox import Program

_WRAPPER: Final = """#!/bin/sh
if [ "$1" != fetch ]; then exec {git} "$@"; fi
if [ "$#" -eq 4 ] && [ "$2" = --depth=1 ]; then exec {git} fetch --depth=1 --end-of-options "$3" "$4"; fi
echo "this way of fetching is not known to be safe" >&2
exit 1
"""


def fetching(folder: Path, helm: Program | None, *, network: bool) -> tuple[Confinement, dict[str, str]]:
    """How a build in the scratch *folder* is confined, whose files are in its `tree`, and its environment."""
    own = folder / "own"
    for name in ("tmp", "home", "bin"):
        (own / name).mkdir(parents=True)
    variables = {
        "HOME": str(own / "home"),
        "TMPDIR": str(own / "tmp"),
        "HELM_PLUGINS": str(own / "home" / "plugins"),
        "HELM_REGISTRY_CONFIG": str(own / "home" / "registry.json"),
        "HELM_REPOSITORY_CONFIG": str(own / "home" / "repositories.yaml"),
        "HELM_REPOSITORY_CACHE": str(own / "tmp" / "repository"),
    }
    executable = (helm.path,) if helm else ()
    if not network:
        return Confinement(readable=(folder,), writable=(own / "tmp",), executable=executable), variables
    git = next(on_path("git"), None)
    if git is not None:
        wrapper = own / "bin" / "git"
        wrapper.write_text(_WRAPPER.format(git=shlex.quote(str(git))))
        wrapper.chmod(0o500)
        executable = (*executable, git)
    variables |= {
        "PATH": f"{own / 'bin'}:{environment().get('PATH', '')}",
        "GIT_ALLOW_PROTOCOL": "https:http",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
    confinement = Confinement(
        readable=(folder,),
        writable=(folder / "tree", own / "tmp", own / "home"),
        executable=(*executable, own / "bin"),
        network=True,
    )
    return confinement, variables
