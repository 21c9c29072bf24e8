"""What a cluster looks like after composing, without what is by chance: names that were made up, uids and times."""

import re

from plumbline.base.json import encode_sorted

from .kit import GROUP

_ALWAYS = ("CompositeResourceDefinition", "CustomResourceDefinition", "Composition", "CompositionRevision")
_COMPOSED = ("Gadget", "ValidatingWebhookConfiguration", "Secret")
_CHANCE = ("resourceVersion", "generation", "creationTimestamp", "managedFields", "deletionGracePeriodSeconds")
_TIMES = ("lastTransitionTime", "lastPublishedTime", "deletionTimestamp")
_UID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CALLED = "crossplane.io/composition-resource-name"


class Portrait:
    """`objects` are by kind and name, both with the same names whoever composed them."""

    def __init__(self, stage, definitions):
        self._types = {each["spec"]["names"]["kind"] for each in definitions}
        claims = {each["spec"]["claimNames"]["kind"] for each in definitions if "claimNames" in each["spec"]}
        found = [each for kind in (*_ALWAYS, *_COMPOSED, *self._types, *claims) for each in stage.list(kind)]
        self._live = [each for each in found if _belongs(each)]
        self._names = {}
        self._learn()
        self._chance = re.compile("|".join(map(re.escape, sorted(self._names, key=len, reverse=True))) or "$^")
        self.objects = {}
        for each in self._live:
            self.objects[self._key(each)] = self._still(_plain(each))

    def condition(self, key, type_):
        conditions = (self.objects.get(key, {}).get("status") or {}).get("conditions") or {}
        return conditions.get(type_, {}).get("status")

    def _learn(self):
        """The names that were made up, from the outside to the inside: those of what is within contain those around it."""
        by_uid = {each["metadata"]["uid"]: each for each in self._live}
        for each in sorted(self._live, key=lambda each: _depth(each, by_uid)):
            metadata = each["metadata"]
            name = metadata["name"]
            bound = (each.get("spec") or {}).get("claimRef")
            if each["kind"] in self._types and bound and name.startswith(f"{bound['name']}-"):
                self._names[name] = f"<{bound['name']}>"
            owner = next((by_uid[ref["uid"]] for ref in _owners(each) if ref["uid"] in by_uid), None)
            if owner is not None and owner["kind"] in self._types and metadata.get("generateName"):
                above = self._names.get(owner["metadata"]["name"], owner["metadata"]["name"])
                self._names[name] = f"<{above}/{_called(each, owner)}>"
            if each["kind"] == "CompositionRevision":
                self._learn_revision(each)
            self._names[metadata["uid"]] = f"<uid of {each['kind']} {self._names.get(name, _without(by_uid, name))}>"
        for each in self._live:
            if each["kind"] in self._types:
                self._learn_promised(each)

    def _learn_revision(self, revision):
        """Called after a hash that has a default in it which only upstream's definition gives."""
        metadata = revision["metadata"]
        of = metadata["labels"]["crossplane.io/composition-name"]
        self._names[metadata["name"]] = f"<revision {revision['spec']['revision']} of {of}>"
        self._names[metadata["labels"]["crossplane.io/composition-hash"]] = "<hash>"

    def _learn_promised(self, composite):
        """Names of what could not be made yet."""
        above = self._names.get(composite["metadata"]["name"], composite["metadata"]["name"])
        for ref in composite["spec"].get("resourceRefs") or ():
            name = ref.get("name", "")
            if re.search(r"-[a-z0-9]{5,12}$", name) and name not in self._names:
                self._names[name] = f"<{above}/some {ref['kind']}>"

    def _key(self, obj):
        metadata = obj["metadata"]
        return obj["kind"], self._told(metadata["name"])

    def _told(self, text):
        return _UID.sub("<uid>", self._chance.sub(lambda found: self._names[found[0]], text))

    def _still(self, value):
        if isinstance(value, dict):
            return {self._told(key): self._still(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._still(each) for each in value]
        return self._told(value) if isinstance(value, str) else value


def differences(theirs, ours):
    """Where two portraits differ: what it is, the field, and what each has there."""
    for key in sorted(theirs.keys() | ours.keys()):
        if key not in ours or key not in theirs:
            yield key, "", key in theirs and "there", key in ours and "there"
        else:
            yield from ((key, *each) for each in _differing(theirs[key], ours[key], ""))


def _differing(theirs, ours, path):
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in sorted(theirs.keys() | ours.keys()):
            if theirs.get(name) != ours.get(name):
                yield from _differing(theirs.get(name), ours.get(name), f"{path}.{name}")
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for at, (one, other) in enumerate(zip(theirs, ours, strict=True)):
            if one != other:
                yield from _differing(one, other, f"{path}[{at}]")
    elif theirs != ours:
        yield path, theirs, ours


def _belongs(obj):
    metadata = obj["metadata"]
    if obj["kind"] == "CustomResourceDefinition":
        return metadata["name"].endswith(GROUP)
    return metadata.get("namespace", "shop") in {"shop", "crossplane-system"}


def _without(uids, name):
    """*name*, where it is made of a uid, without that."""
    return name if not any(uid in name for uid in uids) else "of a composite"


def _owners(obj):
    return [each for each in obj["metadata"].get("ownerReferences") or () if each.get("controller")]


def _depth(obj, by_uid):
    owners = [by_uid[each["uid"]] for each in _owners(obj) if each["uid"] in by_uid]
    return 1 + _depth(owners[0], by_uid) if owners else 0


def _called(obj, owner):
    name = (obj["metadata"].get("annotations") or {}).get(_CALLED)
    if name:
        return name
    refs = [each.get("name") for each in owner["spec"].get("resourceRefs") or ()]
    own = obj["metadata"]["name"]
    return f"#{refs.index(own)}" if own in refs else "#?"


def _plain(obj):
    """*obj* without what is by chance. Conditions are by type, as they have no order."""
    metadata = {key: value for key, value in obj["metadata"].items() if key not in _CHANCE}
    plain = {**obj, "metadata": metadata}
    plain.pop("apiVersion", None)
    if obj["kind"] == "CustomResourceDefinition":
        plain.pop("status", None)
    return _timeless(plain)


def _timeless(value, key=""):
    if isinstance(value, dict):
        return {name: "some time" if name in _TIMES else _timeless(each, name) for name, each in value.items()}
    if isinstance(value, list):
        if key == "conditions":
            return {each["type"]: _timeless(each) for each in value}
        if key in {"finalizers", "ownerReferences"}:
            return sorted(map(_timeless, value), key=encode_sorted)
        return [_timeless(each) for each in value]
    return value
