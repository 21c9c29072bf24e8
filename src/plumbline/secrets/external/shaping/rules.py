"""What an ExternalSecret must not say: the rules of upstream's admission, for clusters where no webhook stands."""

from collections.abc import Iterator
from typing import Final

from plumbline.kinds.externalsecrets.externalsecret import (
    ExternalSecretItems,
    ExternalSecretSpec,
    ExternalSecretTarget,
    ExternalSecretTemplate,
)
from plumbline.secrets.external.shaping.templating import PLACES

_SERVICE_ACCOUNT_TOKEN: Final = "kubernetes.io/service-account-token"  # noqa: S105 - the name of a type
_BOOTSTRAP_TOKEN: Final = "bootstrap.kubernetes.io/token"  # noqa: S105 - the name of a type
PRIVILEGED: Final = frozenset({_SERVICE_ACCOUNT_TOKEN, _BOOTSTRAP_TOKEN})
"""Types of Secrets that become credentials of somebody else."""
_SERVICE_ACCOUNT: Final = "kubernetes.io/service-account.name"
_OWNS_NOTHING: Final = frozenset({"Merge", "None", "CreateOrMerge"})


def problems(spec: ExternalSecretSpec) -> tuple[str, ...]:
    """In upstream's words; none of them where *spec* may be acted on."""
    return tuple(_problems(spec))


def _problems(spec: ExternalSecretSpec) -> Iterator[str]:
    yield from _policies(spec.target)
    if not spec.data and not spec.data_from:
        yield "either data or dataFrom should be specified"
    if spec.target.template is not None:
        yield from _privileges(spec.target.template)
        if _makes_secret(spec.target):
            yield from _targets(spec.target.template)
    for items in spec.data_from:
        yield from _sources(items)
    if spec.target.deletion_policy == "Retain":
        seen: set[str] = set()
        for item in spec.data:
            if item.secret_key in seen:
                yield f"duplicate secretKey found: {item.secret_key}"
            seen.add(item.secret_key)


def _policies(target: ExternalSecretTarget) -> Iterator[str]:
    if target.deletion_policy == "Delete" and target.creation_policy in _OWNS_NOTHING:
        yield (
            "deletionPolicy=Delete must not be used when the controller doesn't own the secret. "
            "Please set creationPolicy=Owner"
        )
    if target.deletion_policy == "Merge" and target.creation_policy == "None":
        yield "deletionPolicy=Merge must not be used with creationPolicy=None. There is no Secret to merge with"


def _privileges(template: ExternalSecretTemplate) -> Iterator[str]:
    """A Secret of these types becomes a credential that its author may not have (CVE-2026-42876)."""
    if template.type == _BOOTSTRAP_TOKEN:
        yield f'template.type="{_BOOTSTRAP_TOKEN}" is not allowed'
    if template.type != _SERVICE_ACCOUNT_TOKEN:
        return
    if _SERVICE_ACCOUNT in template.metadata.annotations:
        yield f'template.type="{_SERVICE_ACCOUNT_TOKEN}" with annotation "{_SERVICE_ACCOUNT}" is not allowed'
    if any(source.target.casefold() == "annotations" for source in template.template_from):
        yield f'template.type="{_SERVICE_ACCOUNT_TOKEN}" with templateFrom target="Annotations" is not allowed'


def _targets(template: ExternalSecretTemplate) -> Iterator[str]:
    """Other fields of a Secret, such as its type and owners, are not for templates."""
    for source in template.template_from:
        if source.target.casefold() not in {*PLACES, ""}:
            yield (
                f'templateFrom target="{source.target}" is not allowed when targeting a Secret, '
                'must be one of "Data", "Annotations" or "Labels"'
            )


def _makes_secret(target: ExternalSecretTarget) -> bool:
    manifest = target.manifest
    return manifest is None or (manifest.api_version, manifest.kind) == ("v1", "Secret")


def _sources(items: ExternalSecretItems) -> Iterator[str]:
    source = items.source_ref
    generates = source is not None and source.generator_ref is not None
    if (items.find is not None) + (items.extract is not None) + generates > 1:
        yield "extract, find, or generatorRef cannot be set at the same time"
    if items.find is None and items.extract is None and source is None:
        yield "either extract, find, or sourceRef must be set to dataFrom"
    if source is not None and source.generator_ref is None and source.store_ref is None:
        yield "generatorRef or storeRef must be set when using sourceRef in dataFrom"
