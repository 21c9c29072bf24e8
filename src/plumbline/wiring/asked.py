"""What `plumb up` and `plumb run` are asked for, and what they answer once they have started."""

from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.plaintext import Plaintext
from plumbline.kinds.rooms import EVERY_ROOM
from plumbline.managed.endpoints import Origin
from plumbline.secrets.publishing import NAMESPACE as KEY_NAMESPACE

NAMESPACE: Final = "argocd"


class Up(NamedTuple):
    """What `plumb up` was asked for."""

    data: Path
    api_port: int
    web_port: int
    durable: bool = False
    sandbox_port: int = 0
    """Of the simulated AWS."""
    functions: Path | None = None
    """The file that says where other functions are."""
    endpoints: frozenset[Origin] = frozenset()
    """Where ProviderConfigs may send calls instead of to their clouds, beside this machine."""
    bare: bool = False
    """Without the sample platform."""
    login_commands: frozenset[str] = frozenset()
    """Commands that cluster Secrets may have run to log in."""
    login_hosts: frozenset[str] = frozenset()
    """Servers, beside those of AWS, that cluster Secrets may have this program's login to AWS sent to."""
    plugins: Path | None = None
    """The folder of config management plugins."""
    local_git: Path | None = None
    """The folder of repositories that may be named by `file://`."""


class Admitting(NamedTuple):
    """Where the API server finds our webhook: a Service, which leads to a port of ours."""

    namespace: str
    name: str
    service_port: int
    port: int
    certificates: Path | None = None


class Running(NamedTuple):
    """What `plumb run` was asked for."""

    data: Path
    kubeconfig: Path | None
    context: str = ""
    web_port: int = 8080
    enforce: bool = False
    namespace: str = NAMESPACE
    admission: Admitting | None = None
    functions: Path | None = None
    endpoints: frozenset[Origin] = frozenset()
    """Where ProviderConfigs may send calls instead of to their clouds."""
    runner_image: str = ""
    """Runs of Terraform are Jobs with this image; they are beside the controller where there is none."""
    key_namespace: str = KEY_NAMESPACE
    """Where sealing keys are."""
    sealing_port: int = 0
    """Where kubeseal is answered; zero for nowhere."""
    artifacts_url: str = ""
    """How Jobs get to our web port; by the address of this machine if empty."""
    web_host: str = ""
    """Where the web port listens; on this machine alone if empty, unless Jobs have to come there."""
    journal: Plaintext | None = None
    """Address of a PostgreSQL; the journal is a file of ours where there is none."""
    only: frozenset[str] = EVERY_ROOM
    """Rooms whose controllers run."""
    store_identity: bool = False
    """Whether SecretStores of AWS may sign in as this program."""
    login_commands: frozenset[str] = frozenset()
    """As with `plumb up`."""
    login_hosts: frozenset[str] = frozenset()
    plugins: Path | None = None
    """The folder of config management plugins."""
    local_git: Path | None = None
    """The folder of repositories that may be named by `file://`."""


class Started(NamedTuple):
    url: str
    kubeconfig: Path | None
    web: str
    sandbox: str = ""
    """Where the simulated AWS is; empty where there is none."""
    sample: str = ""
    """Where the repository of the sample platform is; empty where there is none."""
    login: str = ""
    """Lets somebody in once; empty where people have to say who they are."""
