"""Who delivers which folder: Applications and Flux Kustomizations in the files, and what the command line says."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind, Ref
from plumbline.kube.object import Object
from plumbline.ownership.declared.files import Unread, normal_folder, within
from plumbline.ownership.declared.manifests import Manifest
from plumbline.ownership.patterns import fits
from plumbline.ownership.refs import application_ref
from plumbline.ownership.values import Owner

APPLICATION: Final = GroupKind("argoproj.io", "Application")
APPLICATION_SET: Final = GroupKind("argoproj.io", "ApplicationSet")
FLUX: Final = GroupKind("kustomize.toolkit.fluxcd.io", "Kustomization")
_HERE: Final = frozenset({"", "https://kubernetes.default.svc", "in-cluster"})


class Delivery(NamedTuple):
    owner: Owner
    folder: str
    said: str
    """In whose words: the file and line of the Application."""
    cluster: str = ""
    namespace: str = ""
    """For objects that name none."""
    recurse: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def covers(self, path: str) -> bool:
        """Whether a file of that path is delivered as it is."""
        if not within(path, self.folder):
            return False
        inside = path[len(self.folder) :].lstrip("/")
        if "/" in inside and not self.recurse:
            return False
        if self.include and not any(fits(inside, each) for each in self.include):
            return False
        return not any(fits(inside, each) for each in self.exclude)


def deliveries(
    manifests: Iterable[Manifest], given: Mapping[str, str], folders: frozenset[str], namespace: str
) -> tuple[list[Delivery], list[Unread]]:
    """Deliveries from files and from the command line (*given*: names of Applications, and a folder for each).

    What a manifest says of an Application that was given too is not used: the folder given holds what it renders to.
    """
    found = [_given(name, folder, namespace) for name, folder in sorted(given.items())]
    known = {each.owner for each in found}
    unread: list[Unread] = []
    for manifest in manifests:
        if manifest.kind == APPLICATION_SET:
            why = "the Applications of an ApplicationSet are known only when it runs; name them with --app"
            unread.append(Unread(manifest.path, why, manifest.line))
        for each in _declared(manifest, namespace):
            if each.owner in known:
                continue
            if each.folder in folders:
                found.append(each)
            else:
                why = f"{each.owner} delivers {each.folder or 'something'}, which is not in these files"
                unread.append(Unread(manifest.path, why, manifest.line))
    return found, unread


def _given(name: str, folder: str, default_namespace: str) -> Delivery:
    namespace, slash, plain = name.partition("/")
    ref = application_ref(namespace, plain) if slash else application_ref(default_namespace, name)
    return Delivery(Owner.of("application", ref), folder, "the command line", recurse=True)


def _declared(manifest: Manifest, namespace: str) -> Iterator[Delivery]:
    view = Object(manifest.obj)
    said = f"{manifest.path}:{manifest.line}"
    if manifest.kind == APPLICATION:
        owner = Owner.of("application", Ref(*APPLICATION, view.namespace or namespace, view.name))
        yield from _of_application(view.spec, owner, said)
    elif manifest.kind == FLUX:
        owner = Owner.of("flux", Ref(*FLUX, view.namespace or "flux-system", view.name))
        folder = normal_folder(view.spec.get("path"))
        yield Delivery(owner, folder, said, "", _text(view.spec, "targetNamespace"), recurse=True)


def _of_application(spec: JsonObject, owner: Owner, said: str) -> Iterator[Delivery]:
    destination = spec.get("destination")
    where: JsonObject = destination if isinstance(destination, dict) else {}
    cluster = _text(where, "server") or _text(where, "name")
    several = spec.get("sources")
    for source in several if isinstance(several, list) and several else [spec.get("source")]:
        # A source with a chart comes from a Helm repository, one with only a ref lends its values.
        if not isinstance(source, dict) or source.get("chart") or not isinstance(source.get("path"), str):
            continue
        inner = source.get("directory")
        directory: JsonObject = inner if isinstance(inner, dict) else {}
        yield Delivery(
            owner,
            normal_folder(source.get("path")),
            said,
            "" if cluster in _HERE else cluster,
            _text(where, "namespace"),
            directory.get("recurse") is True,
            _globs(directory.get("include")),
            _globs(directory.get("exclude")),
        )


def _globs(text: Json) -> tuple[str, ...]:
    """`{a,b}` is the one form beyond `*` that people use."""
    if not isinstance(text, str) or not text:
        return ()
    return tuple(text[1:-1].split(",")) if text.startswith("{") and text.endswith("}") else (text,)


def _text(fields: JsonObject, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
