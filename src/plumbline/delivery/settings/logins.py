"""How a cluster Secret may have us log in, beside what is written down in it: as who we are to AWS, or by a command. Pure.

Who writes the Secret chooses the server that gets the login, the arguments of the command, and its environment. So our own
identity is shown to AWS's servers only, and commands run only where whoever started this program named them.
"""

import re
from typing import Any, Final, NamedTuple

import msgspec

from plumbline.base.errors import BadKubeconfig
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client.eksaddresses import host_of, region_of
from plumbline.kube.client.parts import EksLogin, ExecPlugin, Trust, User

ARGOCDS_COMMAND: Final = "argocd-k8s-auth"
INHERITED: Final = (
    "PATH", "HOME", "USER", "LANG", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy",
    "AWS_ACCESS_KEY_ID", "AWS_CA_BUNDLE", "AWS_CONFIG_FILE", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_DEFAULT_REGION", "AWS_PROFILE",
    "AWS_REGION", "AWS_ROLE_ARN", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_STS_REGIONAL_ENDPOINTS", "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AZURE_AUTHORITY_HOST", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_CONFIG_DIR", "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_TENANT_ID", "CLOUDSDK_CONFIG", "GOOGLE_APPLICATION_CREDENTIALS",
)  # fmt: skip
"""What a command gets of our environment: where things are, and who we are to clouds."""

_FLAGS: Final = {"--cluster-name": "cluster", "--role-arn": "role", "--profile": "profile"}
_VARIABLES: Final = {"AWS_PROFILE": "profile", "AWS_DEFAULT_REGION": "region", "AWS_REGION": "region"}
"""In the order in which they count: the last one first."""
_WITHOUT_EFFECT: Final = frozenset({"AWS_STS_REGIONAL_ENDPOINTS"})
"""It is always a regional one."""
_STEERING_FAMILIES: Final = (
    "LD_", "DYLD_", "GCONV_", "GLIBC_", "MALLOC_", "BASH", "PYTHON", "PERL", "RUBY", "GEM_", "BUNDLE_", "NODE_", "NPM_",
    "JAVA_", "JDK_", "_JAVA", "DOTNET_", "COMPLUS_", "GIT_", "OPENSSL_", "SSL", "CURL_", "REQUESTS_", "XDG_", "CLOUDSDK_",
    "AWS_CA_", "AWS_CONFIG_", "AWS_CONTAINER_", "AWS_DATA_PATH", "AWS_EC2_METADATA_", "AWS_ENDPOINT_", "AWS_PAGER", "AWS_SHARED_",
)  # fmt: skip
_STEERING: Final = frozenset({
    "PATH", "HOME", "USER", "SHELL", "SHELLOPTS", "ENV", "IFS", "PS4", "TMPDIR", "CLASSPATH", "LOCPATH", "NLSPATH", "GODEBUG",
    "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "EDITOR", "VISUAL",
    "PAGER", "BROWSER", "KUBECONFIG", "KUBERNETES_EXEC_INFO", "AZURE_CONFIG_DIR",
})  # fmt: skip
"""Variables that say which code is loaded, which files are read instead of ours, and whom is spoken to on the way."""
_AZURE: Final = "AZURE_AUTHORITY_HOST"
"""Where our token for Azure is sent. Argo CD's documents set it, so it may name Azure's own servers."""
_AZURES: Final = frozenset({
    "login.microsoftonline.com", "login.microsoftonline.us", "login.chinacloudapi.cn", "login.partner.microsoftonline.cn",
})  # fmt: skip
_authority: Final = re.compile(r"https://(?P<host>[A-Za-z0-9.-]+)/?", re.ASCII).fullmatch
_variable: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII).fullmatch
_cluster: Final = re.compile(r"[!-~]{1,200}", re.ASCII).fullmatch
_SHOWN: Final = 80


class AwsAuth(msgspec.Struct, frozen=True):
    cluster_name: str = msgspec.field(name="clusterName", default="")
    role_arn: str = msgspec.field(name="roleARN", default="")
    profile: str = ""


class ExecProvider(msgspec.Struct, frozen=True, rename="camel"):
    command: str = ""
    args: tuple[str, ...] | None = None
    env: dict[str, str] | None = None
    api_version: str = ""
    install_hint: str = ""
    provide_cluster_info: bool = False
    config: Any = None

    def __repr__(self) -> str:
        return "ExecProvider(***)"


class Asked(NamedTuple):
    """What of a Secret says how to log in, and who would learn of it."""

    where: str
    server: str
    proxy: str
    insecure: bool
    aws: AwsAuth | None
    exec: ExecProvider | None


def login_of(asked: Asked, trust: Trust) -> User | None:
    """Who to come as; None where nothing but what is written down says so. Raises BadKubeconfig."""
    if asked.aws is not None:
        aws = asked.aws
        return _as_we_are(EksLogin(aws.cluster_name, aws.role_arn, aws.profile), "awsAuthConfig", asked, trust)
    if asked.exec is None:
        return None
    native = native_login(asked.exec)
    if native is not None:
        return _as_we_are(native, "execProviderConfig", asked, trust)
    return User(exec_plugin=_plugin(asked.exec, asked.where, trust))


def native_login(wanted: ExecProvider) -> EksLogin | None:
    """What Argo CD's own command would do for AWS; None for all others, and where it is told more than we understand."""
    args = wanted.args or ()
    if wanted.command != ARGOCDS_COMMAND or args[:1] != ("aws",):
        return None
    variables = wanted.env or {}
    if variables.keys() - _VARIABLES.keys() - _WITHOUT_EFFECT:
        return None
    said = {_VARIABLES[name]: variables[name] for name in _VARIABLES if variables.get(name)}
    rest = iter(args[1:])
    for each in rest:
        flag, given, value = each.partition("=")
        following = value if given else next(rest, None)
        if flag not in _FLAGS or following is None:
            return None
        said[_FLAGS[flag]] = following
    return EksLogin(**{"cluster": "", **said})


def _as_we_are(login: EksLogin, field: str, asked: Asked, trust: Trust) -> User:
    if not _cluster(login.cluster):
        raise refused(asked.where, f"{field} names no cluster of EKS")
    if asked.insecure or not asked.server.startswith("https://"):
        raise refused(asked.where, f"{field}: the server would not be checked, and would get our login to AWS")
    host = host_of(asked.server)
    if not region_of(asked.server):
        _check_shown(host, f"the server {host[:_SHOWN]} is no endpoint of EKS", field, asked, trust)
    if asked.proxy:
        # It and the authority in the Secret are of the same choice: together they could be any server.
        proxy = host_of(asked.proxy)
        _check_shown(proxy, f"the proxy {proxy[:_SHOWN]} is of the Secret's choice", field, asked, trust)
    return User(eks=login)


def _check_shown(host: str, why: str, field: str, asked: Asked, trust: Trust) -> None:
    if not trust.shows_login_to(host):
        hint = f"Start Plumbline with --login-host {host[:_SHOWN]} if that is where the login to the cluster may go."
        raise refused(asked.where, f"{field}: {why}, and would get our login to AWS", hint)


def _plugin(wanted: ExecProvider, where: str, trust: Trust) -> ExecPlugin:
    if not wanted.command:
        raise refused(where, "execProviderConfig.command is missing")
    if not trust.runs(wanted.command):
        raise refused(
            where,
            f"execProviderConfig would run a command on this machine, which nobody has named: {wanted.command[:_SHOWN]!r}",
            "Start Plumbline with --login-command and its name if you trust who writes cluster Secrets with it, or use "
            "a bearer token or a client certificate.",
        )
    for name, value in (wanted.env or {}).items():
        _check_variable(name, where)
        if name.upper() == _AZURE:
            _check_authority(value, where, trust)
    return ExecPlugin(
        command=wanted.command,
        api_version=wanted.api_version,
        args=tuple(wanted.args or ()),
        environment=tuple((name, Plaintext(value)) for name, value in (wanted.env or {}).items()),
        provide_cluster=wanted.provide_cluster_info,
        cluster_config=wanted.config,
        install_hint=wanted.install_hint,
        inherit=INHERITED,
        unattended=True,
    )


def _check_variable(name: str, where: str) -> None:
    if not _variable(name):
        raise refused(where, f"execProviderConfig.env: {name[:_SHOWN]!r} is no name of a variable")
    if name.upper() in _STEERING or name.upper().startswith(_STEERING_FAMILIES):
        why = "it could change what is run, or whom that speaks to"
        raise refused(where, f"execProviderConfig.env may not set {name[:_SHOWN]}: {why}")


def _check_authority(address: str, where: str, trust: Trust) -> None:
    found = _authority(address)
    host = found["host"].lower() if found else ""
    if host not in _AZURES and not (host and trust.shows_login_to(host)):
        why = f"execProviderConfig.env: {_AZURE} is no server of Azure's, and would get our login"
        raise refused(where, why, "Start Plumbline with --login-host and its name if that is where the login may go.")


def refused(where: str, why: str, hint: str = "") -> BadKubeconfig:
    return BadKubeconfig(f"{where} cannot be used", why=why, hint=hint or "Correct the Secret.")
