"""What documents call things: definitions, operations and the tags that group them."""

from typing import Final

from plumbline.kube.names import GroupVersion, GroupVersionKind

META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
_PREFIXES: Final = {
    "api": "io.k8s.apimachinery.pkg.",
    "apiextensions": "io.k8s.apiextensions-apiserver.pkg.apis.",
    "apiregistration": "io.k8s.kube-aggregator.pkg.apis.",
    "meta": "io.k8s.apimachinery.pkg.apis.",
    "runtime": "io.k8s.apimachinery.pkg.",
    "util": "io.k8s.apimachinery.pkg.",
    "version": "io.k8s.apimachinery.pkg.",
}


def full_name(short: str) -> str:
    """`apps.v1.Deployment` as `io.k8s.api.apps.v1.Deployment`."""
    return _PREFIXES.get(short.partition(".")[0], "io.k8s.api.") + short


def definition_name(kind: GroupVersionKind, *, custom: bool) -> str:
    """Custom kinds are named by their group, backwards; built-in ones by the package of their Go types."""
    if custom:
        return ".".join((*reversed(kind.group.split(".")), kind.version, kind.kind))
    package = kind.group.partition(".")[0] or "core"
    return full_name(f"{package}.{kind.version}.{kind.kind}")


def operation_id(verb: str, version: GroupVersion, rest: str) -> str:
    """`read`, apps/v1, `NamespacedDeployment` as `readAppsV1NamespacedDeployment`."""
    return f"{verb}{joined(_area(version), capital=True)}{joined(version.version, capital=True)}{rest}"


def tag(version: GroupVersion) -> str:
    return f"{joined(_area(version))}_{joined(version.version)}"


def joined(text: str, *, capital: bool = False) -> str:
    """Letters, digits and underscores only; what follows anything else becomes a capital."""
    letters: list[str] = []
    for position, letter in enumerate(text):
        if letter.isalpha() or letter == "_" or (position and letter.isdigit()):
            letters.append(letter.upper() if capital else letter)
            capital = False
        else:
            capital = True
    return "".join(letters)


def with_article(noun: str) -> str:
    """`a Pod`, `an Ingress`, and `Endpoints` with none."""
    if noun.endswith("s") and not noun.endswith("ss"):
        return noun
    return f"an {noun}" if noun[:1].lower() in set("aeiou") else f"a {noun}"


def _area(version: GroupVersion) -> str:
    return version.group.removesuffix(".k8s.io") or "core"
