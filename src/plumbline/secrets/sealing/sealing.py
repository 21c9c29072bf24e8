"""From a plain Secret to a SealedSecret that may lie in Git."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing.certificates import Certificate
from plumbline.secrets.sealing.contents import contents_of
from plumbline.secrets.sealing.scopes import Scope, label_of, scope_annotations, scope_of, with_scope
from plumbline.secrets.sealing.shape import (
    API_VERSION,
    KIND,
    SEALED_WITH,
    Sealed,
    check_key,
    check_opened_size,
    fields,
    sealed_of,
    text_at,
    texts,
)

# Copies of the whole object, values included, which tools leave behind.
_LEFT_BEHIND: Final = frozenset(
    {"kubectl.kubernetes.io/last-applied-configuration", "kubecfg.ksonnet.io/last-applied-configuration"}
)
_OF_THE_SERVER: Final = frozenset({
    "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields",
    "ownerReferences", "resourceVersion", "selfLink", "uid",
})  # fmt: skip


def sealed_secret(  # noqa: PLR0913 - one wish for each flag of kubeseal
    secret: JsonObject,
    certificate: Certificate,
    scope: Scope | None = None,
    *,
    name: str = "",
    namespace: str = "",
    allow_empty: bool = False,
    noted: bool = True,
) -> JsonObject:
    """Seal all values of *secret*; *scope* is the one that it asks for itself where none is given.

    *name* and *namespace* win over its own. With *noted*, an annotation says which key sealed it, which spares others the
    search.
    """
    if secret.get("apiVersion") != "v1" or secret.get("kind") != "Secret":
        raise InvalidInput("only Secrets can be sealed", why="those have apiVersion v1 and kind Secret")
    values = contents_of(secret)
    if not values and not allow_empty:
        raise InvalidInput(
            "the Secret is empty", why="data and stringData have no items", hint="Seal it with --allow-empty-data."
        )
    metadata = _named(fields(secret, "metadata"), name, namespace)
    chosen = scope or scope_of(texts(metadata, "annotations", "metadata."))
    label = label_of(chosen, metadata.get("namespace", ""), metadata["name"])
    for key in values:
        check_key(key)
    spec: JsonObject = {
        "encryptedData": {key: certificate.sealed(values[key], label) for key in sorted(values)},
        "template": _template(secret, stripped(metadata, chosen)),
    }
    return sealed_object(metadata, chosen, spec, certificate.fingerprint if noted else "")


def sealed_value(
    value: Plaintext, certificate: Certificate, scope: Scope, *, namespace: str = "", name: str = ""
) -> str:
    """One value alone, for whoever puts SealedSecrets together otherwise. The wider *scope*, the less must be said."""
    check_opened_size(len(value.reveal()))
    return certificate.sealed(value, label_of(scope, namespace, name))


def merged_into(existing: JsonObject, new: JsonObject) -> JsonObject:
    """*existing* with the items, template items, labels and annotations of *new*; all else stays as it is.

    Raises InvalidInput where the values of *new* would not open there: they were sealed for another place or scope.
    """
    before, after = sealed_of(existing), sealed_of(new)
    if before.blob is not None or after.blob is not None:
        raise InvalidInput("nothing can be merged into spec.data", hint="Seal the whole Secret again.")
    if not _same_place(before, after):
        raise InvalidInput(
            "the new values are sealed for another place than those that are there",
            why=f"those are {before.scope} for {before.namespace}/{before.name}",
            hint="Seal them with the same name, namespace and scope.",
        )
    spec = fields(existing, "spec")
    items = {**before.items, **after.items}
    merged: JsonObject = {
        **existing,
        "spec": {**spec, "encryptedData": items, "template": _merged_template(before.template, after.template)},
    }
    if after.hint:
        annotations = {**before.annotations, SEALED_WITH: after.hint}
        merged["metadata"] = {**fields(existing, "metadata"), "annotations": annotations}
    return merged


def _same_place(before: Sealed, after: Sealed) -> bool:
    """Whether values of the one open in the other. Files that say no namespace are for whichever they are put into."""
    if before.scope != after.scope:
        return False
    if before.scope == "cluster-wide":
        return True
    named = before.scope != "strict" or before.name == after.name
    return named and before.namespace in {"", after.namespace}


def sealed_object(metadata: JsonObject, scope: Scope, spec: JsonObject, fingerprint: str) -> JsonObject:
    """A SealedSecret for the Secret of that *metadata*."""
    own: JsonObject = {key: metadata[key] for key in ("name", "namespace") if metadata.get(key)}
    annotations = scope_annotations(scope) | ({SEALED_WITH: fingerprint} if fingerprint else {})
    if annotations:
        own["annotations"] = annotations
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": own, "spec": spec}


def stripped(metadata: JsonObject, scope: Scope) -> JsonObject:
    """*metadata* for a template: without what the server or other tools wrote, which may hold the values themselves."""
    kept = {key: value for key, value in metadata.items() if key not in _OF_THE_SERVER and value is not None}
    mine = texts(metadata, "annotations", "metadata.")
    annotations = {key: value for key, value in mine.items() if key not in _LEFT_BEHIND and key != SEALED_WITH}
    annotations = with_scope(annotations, scope)
    kept.pop("annotations", None)
    return {**kept, "annotations": annotations} if annotations else kept


def _named(metadata: JsonObject, name: str, namespace: str) -> JsonObject:
    chosen = {"name": name or text_at(metadata, "name", "metadata."), "namespace": namespace or text_at(metadata, "namespace", "metadata.")}  # fmt: skip
    if not chosen["name"]:
        raise InvalidInput("the Secret has no name", hint="Write metadata.name, or say --name.")
    return {**metadata, **{key: value for key, value in chosen.items() if value}}


def _template(secret: JsonObject, metadata: JsonObject) -> JsonObject:
    template: JsonObject = {"metadata": metadata}
    kind = text_at(secret, "type")
    if kind:
        template["type"] = kind
    immutable = secret.get("immutable")
    if immutable is not None and not isinstance(immutable, bool):
        raise InvalidInput("immutable is neither true nor false")
    return template if immutable is None else {**template, "immutable": immutable}


def _merged_template(before: JsonObject, after: JsonObject) -> JsonObject:
    template = dict(before)
    contents = {**fields(before, "data"), **fields(after, "data")}
    if contents:
        template["data"] = contents
    metadata = dict(fields(before, "metadata"))
    for name in ("annotations", "labels"):
        merged = {**fields(metadata, name), **fields(fields(after, "metadata"), name)}
        if merged:
            metadata[name] = merged
    return {**template, "metadata": metadata} if metadata else template
