"""Everything it takes to reach one cluster as one identity, as a value, from wherever it is written down."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.base.environment import environment as process_environment
from plumbline.base.environment import home
from plumbline.base.errors import BadKubeconfig
from plumbline.kube.client.credentials import read_bounded
from plumbline.kube.client.parts import (
    NOBODYS_FILE,
    OWN_FILE,
    Impersonation,
    Origin,
    Proxy,
    ServerTrust,
    Trust,
    User,
)
from plumbline.kube.client.proxies import environment_proxy, is_loopback

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_OF_THIS_MACHINE = ServerTrust()
_ANONYMOUS = User()


@dataclass(frozen=True, slots=True)
class Connection:
    server: str
    """Scheme, host, port and perhaps a path, without a slash at the end."""
    source: str = ""
    """Where it was read, for people."""
    namespace: str = "default"
    trust: ServerTrust = _OF_THIS_MACHINE
    user: User = _ANONYMOUS
    impersonate: Impersonation | None = None
    proxy: Proxy | None = None
    compress: bool = False
    """Whether large answers are worth compressing: across networks, not within a machine or a cluster."""

    @classmethod
    def load(
        cls, path: Path | None = None, *, context: str = "", environment: Mapping[str, str] | None = None
    ) -> "Connection":
        """As kubectl would: *path*, else the files in KUBECONFIG, else ~/.kube/config, else the pod's own account.

        Raises BadKubeconfig.
        """
        variables = process_environment() if environment is None else environment
        paths = [path] if path else _default_paths(variables)
        files = [
            (read_bounded(file, "kubeconfig"), Origin(str(file), file.absolute().parent))
            for file in paths
            if path or file.exists()
        ]
        if not files and not context and "KUBERNETES_SERVICE_HOST" in variables:
            return cls.in_cluster(environment=variables)
        if not files:
            why = f"none of {', '.join(map(str, paths))} exists, and this is no pod"
            raise BadKubeconfig("There is no kubeconfig", why=why, hint="Name one with --kubeconfig or KUBECONFIG.")
        return cls._chosen(files, context, OWN_FILE, variables)

    @classmethod
    def parse(cls, text: bytes, source: str, *, context: str = "", trust: Trust = NOBODYS_FILE) -> "Connection":
        """From a kubeconfig that came from elsewhere, such as a Secret: nothing is run or read for it unless trusted.

        *source* names it in errors. Raises BadKubeconfig.
        """
        return cls._chosen([(text, Origin(source, None))], context, trust, {})

    @classmethod
    def in_cluster(
        cls, *, environment: Mapping[str, str] | None = None, folder: Path = _SERVICE_ACCOUNT
    ) -> "Connection":
        """As the service account of the pod that this runs in. Raises BadKubeconfig outside of one."""
        variables = process_environment() if environment is None else environment
        host, port = variables.get("KUBERNETES_SERVICE_HOST"), variables.get("KUBERNETES_SERVICE_PORT")
        if not (host and port):
            why = "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set"
            raise BadKubeconfig("This is no pod of a cluster", why=why)
        source = "the pod's service account"
        namespace = folder / "namespace"
        return cls(
            server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
            source=source,
            namespace=namespace.read_text().strip() if namespace.exists() else "default",
            trust=ServerTrust(
                read_bounded(folder / "ca.crt", f"certificate-authority of {source}"), file=folder / "ca.crt"
            ),
            user=User(token_file=folder / "token"),
        )

    @classmethod
    def _chosen(
        cls, files: list[tuple[bytes, Origin]], context: str, trust: Trust, variables: Mapping[str, str]
    ) -> "Connection":
        # YAML is loaded when there is a file to read: in a pod there is none.
        from plumbline.kube.client.choosing import Choice  # noqa: PLC0415 - see above
        from plumbline.kube.client.kubeconfig import merged  # noqa: PLC0415 - see above

        choice = Choice(merged(files), context, trust)
        server = choice.server()
        local = is_loopback(server)
        return cls(
            server=server,
            source=choice.source,
            namespace=choice.context.namespace or "default",
            trust=choice.server_trust(),
            # kubectl sends no credentials in the clear, and neither does this.
            user=choice.identity() if server.startswith("https://") else _ANONYMOUS,
            impersonate=choice.impersonation(),
            proxy=choice.proxy() or environment_proxy(server, variables),
            compress=not (choice.cluster.disable_compression or local),
        )


def _default_paths(variables: Mapping[str, str]) -> list[Path]:
    listed = variables.get("KUBECONFIG", "")
    if listed:
        return list(dict.fromkeys(Path(part) for part in listed.split(":") if part))
    return [home() / ".kube" / "config"]
