"""The flags that `plumb app create` and `plumb app set` share."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click

from plumbline.cli.goflags import GoDuration
from plumbline.cli.options import Decorated

_TEXTS: Final = {
    "config-management-plugin": "Plugin that makes the manifests.",
    "dest-name": "Cluster to deploy to, by name.",
    "dest-namespace": "Namespace to deploy to.",
    "dest-server": "Cluster to deploy to, by address.",
    "directory-exclude": "Pattern for files that are left out.",
    "directory-include": "Pattern for files that are taken.",
    "dry-source-path": "Folder that manifests are made from before they are written to a branch.",
    "dry-source-repo": "Repository of that folder.",
    "dry-source-revision": "Revision of that repository.",
    "helm-chart": "Name of the chart in a Helm repository.",
    "helm-kube-version": "Version of Kubernetes that the chart sees.",
    "helm-namespace": "Namespace that the chart is rendered for.",
    "helm-version": "Version of Helm.",
    "hydrate-to-branch": "Branch that made manifests are written to.",
    "kustomize-kube-version": "Version of Kubernetes that charts in the kustomization see.",
    "kustomize-namespace": "Namespace of the kustomization.",
    "kustomize-version": "Version of Kustomize.",
    "nameprefix": "Prefix of names in the kustomization.",
    "namesuffix": "Suffix of names in the kustomization.",
    "path": "Folder in the repository.",
    "project": "AppProject that the application belongs to.",
    "ref": "Name under which other sources may use files of this one.",
    "release-name": "Name of the Helm release.",
    "repo": "Address of the repository.",
    "revision": "Branch, tag, commit or range of versions.",
    "source-name": "Name of the source; with several, which one is meant.",
    "sync-policy": "manual (or none), or automated (or auto, automatic).",
    "sync-source-branch": "Branch that is synced from after hydration.",
    "sync-source-path": "Folder that is synced from after hydration.",
    "tag-prefix": "What tags begin with before the version.",
}
_SEVERAL: Final = {
    "helm-api-versions": "API versions that the chart sees.",
    "helm-set": "Helm value as KEY=VALUE.",
    "helm-set-file": "Helm value as KEY=PATH of a file that holds it.",
    "helm-set-string": "Helm value as KEY=VALUE, always a text.",
    "jsonnet-ext-var-code": "External variable of Jsonnet, as code.",
    "jsonnet-ext-var-str": "External variable of Jsonnet.",
    "jsonnet-libs": "Folder of the repository that imports are looked up in.",
    "jsonnet-tla-code": "Top-level argument of Jsonnet, as code.",
    "jsonnet-tla-str": "Top-level argument of Jsonnet.",
    "kustomize-api-versions": "API versions that charts in the kustomization see.",
    "kustomize-common-annotation": "Annotation of everything in the kustomization, as KEY=VALUE.",
    "kustomize-common-label": "Label of everything in the kustomization, as KEY=VALUE.",
    "kustomize-image": "Image to use instead, as [OLD=]NAME[:TAG|@DIGEST].",
    "kustomize-replica": "Replicas of a workload, as NAME=COUNT.",
    "plugin-env": "Variable for the plugin, as NAME=VALUE.",
    "sync-option": "Sync option to add, such as Prune=false; with ! before it, to remove.",
    "values": "Helm value file.",
}
_SWITCHES: Final = {
    "allow-empty": "Let an automated sync delete everything.",
    "auto-prune": "Prune with automated syncs.",
    "directory-recurse": "Take files of folders in the folder too.",
    "helm-pass-credentials": "Send credentials to every host of the chart repository.",
    "helm-skip-crds": "Leave out the chart's CRDs.",
    "helm-skip-schema-validation": "Do not check values against the chart's schema.",
    "helm-skip-tests": "Leave out the chart's tests.",
    "ignore-missing-components": "Skip components of the kustomization that are not there.",
    "ignore-missing-value-files": "Skip value files that are not there.",
    "kustomize-force-common-annotation": "Replace annotations that are there already.",
    "kustomize-force-common-label": "Replace labels that are there already.",
    "kustomize-label-include-templates": "Put common labels into pod templates.",
    "kustomize-label-without-selector": "Keep common labels out of selectors.",
    "self-heal": "Undo changes that are made elsewhere.",
    "sync-retry-refresh": "Use a newer revision when a sync is tried again.",
}


def spec_flags(command: Decorated) -> Decorated:
    """The verb gets `given`: what each flag says, by its name with underscores."""

    @wraps(command)
    def verb(*args: Any, **more: Any) -> Any:
        given = {name: more.pop(name) for name in _NAMES}
        literal = given["values_literal_file"]
        given["values_literal_file"] = None if literal is None else _content(literal)
        return command(*args, given=given, **more)

    decorated: Decorated = verb
    for option in reversed(_options()):
        decorated = option(decorated)
    return decorated


def _options() -> list[Callable[[Decorated], Decorated]]:
    found = [click.option(f"--{name}", help=about) for name, about in _TEXTS.items()]
    found += [click.option(f"--{name}", multiple=True, help=about) for name, about in _SEVERAL.items()]
    found += [click.option(f"--{name}/--no-{name}", default=None, help=about) for name, about in _SWITCHES.items()]
    return [
        *found,
        click.option("-p", "--parameter", multiple=True, help="Helm value as KEY=VALUE."),
        click.option(
            "--values-literal-file",
            metavar="FILE|URL",
            help="File, or address, whose content is a block of Helm values.",
        ),
        click.option("--revision-history-limit", type=int, help="How many past syncs are remembered."),
        click.option("--sync-retry-limit", type=int, help="How often a failed sync is tried again; 0 for never."),
        click.option("--sync-retry-backoff-duration", type=GoDuration(), help="The first wait before that; 5s."),
        click.option("--sync-retry-backoff-max-duration", type=GoDuration(), help="The longest wait; 3m."),
        click.option("--sync-retry-backoff-factor", type=int, help="By how much each wait is longer; 2."),
        click.option("--validate/--no-validate", default=True, help="Check it against its project and destination."),
        click.option("--env", expose_value=False, hidden=True),
    ]


def _content(place: str) -> str:
    from plumbline.base.errors import InvalidInput, LimitExceeded  # noqa: PLC0415 - only where a file is named
    from plumbline.base.limits import SETTINGS  # noqa: PLC0415 - same
    from plumbline.cli.asynchronous import performed  # noqa: PLC0415 - same
    from plumbline.cli.fetching import Wanted, fetched, is_address, shown  # noqa: PLC0415 - same

    most, addressed = SETTINGS.size_bytes, is_address(place)
    named = shown(place) if addressed else place
    if addressed:
        content = performed(fetched(place, Wanted("--values-literal-file", most)))
    else:
        try:
            with Path(place).open("rb") as file:
                content = file.read(most + 1)
        except OSError as missing:
            raise click.BadParameter(f"{place} cannot be read: {missing.strerror}") from missing
    if len(content) > most:
        raise LimitExceeded(f"{named} cannot be used", why=f"it has more than {most:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as cause:
        raise InvalidInput(f"{named} cannot be used", why="it is not UTF-8") from cause


_NAMES: Final = frozenset(
    name.replace("-", "_")
    for name in (
        *_TEXTS, *_SEVERAL, *_SWITCHES, "parameter", "values-literal-file", "revision-history-limit", "sync-retry-limit",
        "sync-retry-backoff-duration", "sync-retry-backoff-max-duration", "sync-retry-backoff-factor",
    )
)  # fmt: skip
