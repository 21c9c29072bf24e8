"""What the server itself would make of manifests that somebody sends: a dry run of an apply, shown without secrets.

It is compared as applications are whose objects the server judges: what others hold, and what is ignored, is no difference.

What the server answers is the live object with the manifest merged in, so that asking about a Secret of somebody else
would tell what is in it. Each manifest is therefore about an object that is not there, or that is the application's.
"""

from typing import Final, NamedTuple

from plumbline.base.documents import load_json
from plumbline.base.errors import Forbidden, InvalidInput, LimitExceeded, NotFound, PlumblineError
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.base.limits import MANIFESTS
from plumbline.delivery.compare.comparer import Comparer, digest
from plumbline.delivery.compare.foreseer import WITH_WEBHOOKS
from plumbline.delivery.compare.foretelling import comparable, foretold
from plumbline.delivery.compare.marks import COMPARE_OPTIONS, options
from plumbline.delivery.compare.masking import is_secret, masked
from plumbline.delivery.compare.rules import MANAGER
from plumbline.delivery.steps.ruling import rules_for
from plumbline.kube.client import Target, Writing
from plumbline.kube.diff import stored_form
from plumbline.kube.names import GroupKind, GroupVersionKind, Ref
from plumbline.kube.object import Object
from plumbline.web.api.answers import Captured, answered, object_of
from plumbline.web.api.parameters import texts
from plumbline.web.api.resources.asking import Asked, Place, Reception
from plumbline.web.api.resources.belonging import Wanted
from plumbline.web.api.resources.objects import Objects
from plumbline.web.requests import Request, Response

_MOST: Final = 200
_LONGEST: Final = 3 << 20
_DRY: Final = Writing(field_manager=MANAGER, force=True, dry_run=True)


class _Sought(NamedTuple):
    obj: JsonObject
    ref: Ref
    target: Target
    live: JsonObject | None


class ServerSide:
    def __init__(self, reception: Reception, objects: Objects) -> None:
        self._reception = reception
        self._objects = objects
        self._comparer = Comparer(reception.parts.jq)

    async def diff(self, request: Request, captured: Captured) -> Response:
        """By GET as upstream has it, where a query is long enough; by POST else."""
        await self._reception.greet(request)
        if request.method == "POST":
            listed = (await object_of(request)).get("targetManifests")
            sent = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
        else:
            sent = list(texts(request, "targetManifests"))
        if len(sent) > _MOST or sum(map(len, sent)) > _LONGEST:
            raise LimitExceeded("the manifests are not compared", why=f"they are more than {_MOST}, or too long")
        asked = await self._reception.asked(request, captured)
        place = await self._reception.place(asked)
        sought = [await self._sought(asked, place, _read(text)) for text in sent]
        items = [await self._said(asked, place, each) for each in sought]
        modified = any(each.get("modified") for each in items)
        return answered({"items": items, "modified": modified})

    async def _sought(self, asked: Asked, place: Place, obj: JsonObject) -> _Sought:
        gvk = GroupVersionKind.of(obj)
        catalog = await place.client.discovery.catalog()
        resource = catalog.by_kind(gvk) or catalog.by_kind(GroupKind(gvk.group, gvk.kind))
        if resource is None:
            raise NotFound(f"{gvk} is not compared", why="the cluster has no such kind")
        home = Object(obj).namespace or place.spec.destination.namespace
        ref = Ref.of(obj)._replace(namespace=home if resource.namespaced else "")
        if not ref.name or not place.permitted(ref):
            raise Forbidden(f"{ref} is not part of application {place.facts.name}")
        target = resource.target(ref.namespace, ref.name)
        try:
            await place.client.get(target, metadata_only=True)
        except NotFound:
            return _Sought(obj, ref, target, None)
        owned = await self._objects.belonging(asked, place).owned(Wanted(ref, gvk.version), marked=True)
        return _Sought(obj, ref, target, owned.obj)

    async def _said(self, asked: Asked, place: Place, sought: _Sought) -> JsonObject:
        after, changed = await self._foretold(asked, place, sought)
        settings = self._reception.parts.desk.installation.settings
        target, live = masked(after, sought.live, settings.display.masked_annotations)
        named = dict(zip(("group", "kind", "namespace", "name"), sought.ref, strict=True))
        said = {
            **named,
            "targetState": _state(target),
            "liveState": _state(live),
            "resourceVersion": Object(sought.live or {}).resource_version,
            "modified": changed,
        }
        return {name: value for name, value in said.items() if value}

    async def _foretold(self, asked: Asked, place: Place, sought: _Sought) -> tuple[JsonObject, bool]:
        """What the object would become, and whether that is anything else. One that is not there becomes what is sent."""
        obj: JsonObject = {**sought.obj, "metadata": {**Object(sought.obj).metadata, **_placed(sought.ref)}}
        if sought.live is None:
            return obj, True
        merged = await self._merged(place, sought, stored_form(obj) if is_secret(obj) else obj)
        settings, live = self._reception.parts.desk.installation.settings, sought.live
        rules = rules_for(place.spec, settings)
        answers = await self._comparer.answers(merged, live, rules, (digest(encode(merged)), digest(encode(live))))
        shape = await place.destination.live.kinds.shape(GroupVersionKind.of(merged))
        webhooks = WITH_WEBHOOKS in options(Object(asked.app).annotations, COMPARE_OPTIONS)
        found = foretold(merged, live, shape, rules, answers, webhooks=webhooks)
        return found.after, bool(found.differences)

    async def _merged(self, place: Place, sought: _Sought, obj: JsonObject) -> JsonObject:
        try:
            async with place.destination.questions.of(GroupVersionKind.of(obj)):
                merged: JsonObject = decode(await place.client.apply(sought.target, encode(obj), _DRY))
        except PlumblineError:
            if is_secret(sought.obj) or is_secret(sought.live):
                raise InvalidInput(
                    f"the server does not take Secret {sought.ref.namespace}/{sought.ref.name}"
                ) from None
            raise
        return merged


def _read(text: str) -> JsonObject:
    value: Json = load_json(text, limits=MANIFESTS, source="a target manifest").value
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        raise InvalidInput("a target manifest is not read", why="it is no object")
    return value


def _placed(ref: Ref) -> JsonObject:
    return {"namespace": ref.namespace} if ref.namespace else {}


def _state(obj: JsonObject | None) -> str:
    """As JSON in text, without what changes with every write."""
    return encode(comparable(obj) if obj is not None else None).decode()
