"""What the tool gets of the CI's surroundings: how to reach clouds, and what people set for it. Nothing else."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.errors import Forbidden
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.work import Argument, Placed

_PREFIXES: Final = (
    "ALICLOUD_",
    "ARM_",
    "AWS_",
    "AZURE_",
    "CLOUDFLARE_",
    "CLOUDSDK_",
    "CONSUL_",
    "DATADOG_",
    "DD_",
    "DIGITALOCEAN_",
    "GCLOUD_",
    "GITHUB_APP_",
    "GOOGLE_",
    "HCLOUD_",
    "KUBE_",
    "NOMAD_",
    "OCI_",
    "OS_",
    "PG",
    "TF_HTTP_",
    "TF_TOKEN_",
    "TF_VAR_",
    "VAULT_",
)
_NAMES: Final = frozenset(
    {
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN",  # how a job on GitHub proves to a cloud which repository it is of
        "ACTIONS_ID_TOKEN_REQUEST_URL",
        "ALL_PROXY",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "KUBECONFIG",
        "NO_PROXY",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    }
)
_STEERING: Final = "TF_CLI_ARGS"
_CONFIG: Final = "TF_CLI_CONFIG_FILE"
_VALUES: Final = "TF_VAR_"
_HOME: Final = (
    ".aws/config",
    ".aws/credentials",
    ".config/gcloud/application_default_credentials.json",
    ".git-credentials",
    ".gitconfig",
    ".netrc",
)
"""Where clouds and Git look for credentials by themselves."""
_PLACED: Final = ".plumbline"
_FILE_BYTES: Final = 1 << 20


class Equipment(NamedTuple):
    variables: tuple[Argument, ...] = ()
    files: tuple[Placed, ...] = ()
    command_line_config: str = ""


def equipment(environment: Mapping[str, str], extra: frozenset[str] = frozenset()) -> Equipment:
    """What the tool gets of *environment*, and the files that it names; *extra* are further names.

    The tool sees no folder of ours, so a file that a variable names comes with it, into the folder of the module, and
    the variable says where it is now. Refuses what would add arguments behind our back: a `-target` or `-var` that no
    reviewer sees.
    """
    steering = sorted(name for name in environment if name.startswith(_STEERING))
    if steering:
        raise Forbidden(
            f"{steering[0]} is set",
            why="it adds arguments to every run that no review shows",
            hint="Unset it; variables go into TF_VAR_ or --var-file.",
        )
    variables: list[Argument] = []
    files = list(_from_home(Path(environment.get("HOME") or "/nonexistent")))
    for name, value in sorted(environment.items()):
        if not name.startswith(_PREFIXES) and name not in _NAMES and name not in extra:
            continue
        content = None if name.startswith(_VALUES) else _content(value)
        if content is not None:
            files.append(Placed("module", f"{_PLACED}/{name}", content))
        variables.append(Argument(name, Plaintext(value if content is None else f"{_PLACED}/{name}")))
    config = _content(environment.get(_CONFIG, ""))
    if config is not None:
        files.append(Placed("home", f"{_PLACED}/{_CONFIG}", config))
    return Equipment(tuple(variables), tuple(files), f"{_PLACED}/{_CONFIG}" if config is not None else "")


def _from_home(home: Path) -> Iterator[Placed]:
    for path in _HOME:
        content = _content(str(home / path))
        if content is not None:
            yield Placed("home", path, content)


def _content(value: str) -> Plaintext | None:
    """Of the file that *value* is the path of; None where it is none, or one that is too large for what it is for."""
    try:
        path = Path(value)
        if not value.startswith("/") or not path.is_file() or path.stat().st_size > _FILE_BYTES:
            return None
        return Plaintext(path.read_bytes())
    except (OSError, ValueError):
        return None
