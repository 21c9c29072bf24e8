"""Where the state is kept, as the tool is told: the block that overrides the module's own. Pure.

The object's labels are never part of it: the tool finds state by them, so that a label that changes would lose it.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.flux.terraform import BackendConfig, Cloud, TerraformSpec
from plumbline.kube.names import Ref
from plumbline.ownership.hcl import Body, read_hcl
from plumbline.terraform.inputs.paths import below
from plumbline.terraform.inputs.quoting import attributes, quoted
from plumbline.terraform.work import Argument

BACKEND_FILE: Final = "backend_override.tf"
UPSTREAM_HOME: Final = "/home/runner/"
"""The home folder of upstream's runners, which paths of kubeconfigs name."""

_SUFFIX: Final = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?").fullmatch
_HOST: Final = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?").fullmatch
_HCP: Final = "app.terraform.io"
_SETTINGS: Final = frozenset({"backend", "cloud", "encryption", "required_providers", "provider_meta"})
_KEEPERS: Final = frozenset({"backend", "cloud"})


class Reach(NamedTuple):
    """How a run speaks to the API server that its state is kept in."""

    config_path: str = ""
    """A kubeconfig that whoever runs the tool has put there, such as `~/.kube/plumbline`; empty within a pod."""


class Kept(NamedTuple):
    """State in Secrets, whose lock is ours to take."""

    namespace: str
    suffix: str


class Backend(NamedTuple):
    block: str = ""
    """All of the file; empty where nothing is overridden."""
    kept: Kept | None = None
    environment: tuple[Argument, ...] = ()
    stateless: bool = False


def backend(ref: Ref, spec: TerraformSpec, reach: Reach) -> Backend:
    """Raises InvalidInput for what would make the block say something else than it should."""
    config = spec.backend_config
    if spec.cloud is not None:
        return Backend(_cloud_block(spec.cloud), environment=_token(spec.cloud), stateless=True)
    if config is None:
        return _in_secrets(ref, ref.name, _reached(reach))
    if config.disable:
        return Backend(stateless=True)
    if config.custom_configuration:
        return Backend(custom_block(config.custom_configuration))
    return _in_secrets(ref, config.secret_suffix or ref.name, _wanted_reach(config, reach))


def overridden(kept: Kept | None, settings: tuple[Argument, ...]) -> Kept | None:
    """Where the state really is, once the settings from `backendConfigsFrom` are applied too."""
    if kept is None:
        return None
    said = {each.name: each.value.reveal().decode(errors="replace") for each in settings}
    return Kept(said.get("namespace", kept.namespace), said.get("secret_suffix", kept.suffix))


def _in_secrets(ref: Ref, suffix: str, reached: Mapping[str, str]) -> Backend:
    if not _SUFFIX(suffix):
        raise InvalidInput(
            "The state cannot be kept in a Secret",
            why=f"{suffix[:100]!r} cannot be the end of its name",
            hint="Set backendConfig.secretSuffix to small letters, digits and hyphens.",
        )
    values = {"secret_suffix": quoted(suffix), **reached, "namespace": quoted(ref.namespace)}
    block = f'terraform {{\n  backend "kubernetes" {{\n{attributes(values, " " * 4)}  }}\n}}\n'
    return Backend(block, Kept(ref.namespace, suffix))


def _reached(reach: Reach) -> Mapping[str, str]:
    if reach.config_path:
        return {"in_cluster_config": "false", "config_path": quoted(reach.config_path)}
    return {"in_cluster_config": "true"}


def _wanted_reach(config: BackendConfig, reach: Reach) -> Mapping[str, str]:
    path = config.config_path
    if not path:
        return _reached(reach)
    for home in (UPSTREAM_HOME, "~/"):
        if path.startswith(home):
            path = "~/" + below(path.removeprefix(home), "backendConfig.configPath")
            break
    else:
        if reach.config_path and path.startswith("/"):
            raise InvalidInput(
                "backendConfig.configPath cannot be used",
                why="it is a file of the machine that runs the tool",
                hint="Map a kubeconfig from a Secret into home with fileMappings, and name it as ~/PATH.",
            )
    return {"in_cluster_config": "true" if config.in_cluster_config else "false", "config_path": quoted(path)}


def custom_block(text: str) -> str:
    """*text* within a `terraform` block, once it is certain that it stays within."""
    if "<<" in text:
        raise _unusable("it has a heredoc", "Write long texts in quotes, with \\n for their lines.")
    body = read_hcl(f"{text}\n", "backendConfig.customConfiguration")
    _check_settings(body)
    return f"terraform {{\n{text}\n}}\n"


def _check_settings(body: Body) -> None:
    foreign = [block.type for block in body.blocks if block.type not in _SETTINGS]
    if foreign:
        raise _unusable(f"a {foreign[0][:60]!r} block has no place in it", "Keep it to one backend block.")
    if sum(block.type in _KEEPERS for block in body.blocks) != 1:
        raise _unusable("it has not exactly one backend", "Keep it to one backend block.")
    if body.attributes.keys() - {"required_version"}:
        raise _unusable("its settings are not within a block", 'Write them within backend "TYPE" { … }.')


def _unusable(why: str, hint: str) -> InvalidInput:
    return InvalidInput("backendConfig.customConfiguration cannot be used", why=why, hint=hint)


def _cloud_block(cloud: Cloud) -> str:
    spaces: dict[str, str] = {}
    if cloud.workspaces.name:
        spaces["name"] = quoted(cloud.workspaces.name)
    if cloud.workspaces.tags:
        spaces["tags"] = f"[{', '.join(map(quoted, cloud.workspaces.tags))}]"
    if not spaces:
        raise InvalidInput("spec.cloud cannot be used", why="its workspaces have neither a name nor tags")
    own = {"organization": quoted(cloud.organization)}
    if cloud.hostname:
        own["hostname"] = quoted(_host(cloud))
    inner = f"    workspaces {{\n{attributes(spaces, ' ' * 6)}    }}\n"
    return f"terraform {{\n  cloud {{\n{attributes(own, ' ' * 4)}{inner}  }}\n}}\n"


def _token(cloud: Cloud) -> tuple[Argument, ...]:
    """The token in the environment, where no file keeps it."""
    if not cloud.token:
        return ()
    host = _host(cloud)
    if ":" in host:
        hint = "Give the token in the tool's own configuration, with cliConfigSecretRef."
        raise InvalidInput("spec.cloud.token cannot be used", why="the hostname has a port", hint=hint)
    return (Argument(f"TF_TOKEN_{host.replace('-', '__').replace('.', '_')}", Plaintext(cloud.token)),)


def _host(cloud: Cloud) -> str:
    host = (cloud.hostname or _HCP).lower()
    if not _HOST(host):
        raise InvalidInput("spec.cloud.hostname cannot be used", why="it is no name of a host")
    return host
