"""`plumb secret set`: one value, sealed into a file that keeps all else that is in it."""

from pathlib import Path
from typing import NamedTuple

import click

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.cli.sealing.certificates import certificate_from
from plumbline.cli.sealing.editing import ITEMS, Found, sealed_secrets, with_texts
from plumbline.cli.sealing.files import at_terminal, replaced, text_from, value_from
from plumbline.cli.sealing.options import Where
from plumbline.cli.sealing.printing import printed, unnoted
from plumbline.cli.terminal import plain
from plumbline.kube.object import Object
from plumbline.secrets.sealing import Certificate, Scope, scope_of, sealed_secret, sealed_value
from plumbline.secrets.sealing.shape import check_key


class Asked(NamedTuple):
    where: Where
    file: Path
    key: str
    value_file: Path | None
    name: str
    namespace: str
    scope: Scope | None
    allow_empty: bool


class _Target(NamedTuple):
    """What the value is sealed for, and the SealedSecret in the file, where there is one."""

    name: str
    namespace: str
    scope: Scope
    found: Found | None


async def performed(asked: Asked) -> None:
    check_key(asked.key)
    text = text_from(asked.file) if asked.file.exists() else b""
    target = _existing(asked, text) if asked.file.exists() else _new(asked)
    # Nobody types a value for nothing: what can go wrong before does.
    certificate = await certificate_from(asked.where.cert, asked.where.place)
    value = _value(asked)
    if not value and not asked.allow_empty:
        hint = "Give it on stdin or with --value-from-file; with --allow-empty-data an empty one is sealed."
        raise InvalidInput(f"the value of {asked.key} is empty", hint=hint)
    if target.found is None:
        replaced(asked.file, _created(asked, target, value, certificate))
    else:
        sealed = sealed_value(value, certificate, target.scope, namespace=target.namespace, name=target.name)
        replaced(asked.file, with_texts(text, target.found.at, {(*ITEMS, asked.key): sealed}))
    said = f"{asked.key} of {target.name} is set in {asked.file}, {target.scope}, for the key {certificate.fingerprint}"
    click.echo(plain(said), err=True)


def _existing(asked: Asked, text: bytes) -> _Target:
    found = _chosen(asked, sealed_secrets(text, str(asked.file)))
    view = Object(found.obj)
    scope = scope_of(view.annotations)
    if asked.scope not in {None, scope}:
        hint = "Leave --scope out, or seal the whole Secret again."
        raise InvalidInput(f"{view.name} in {asked.file} is {scope}, not {asked.scope}", hint=hint)
    if view.spec.get("data") is not None:
        hint = "Seal the whole Secret again with `plumb seal`."
        raise InvalidInput(
            f"{view.name} in {asked.file} has no items", why="it is in the old form, spec.data", hint=hint
        )
    if view.namespace and asked.namespace not in {"", view.namespace}:
        why = "what is sealed for one namespace does not open in another"
        raise InvalidInput(f"{view.name} in {asked.file} is in {view.namespace}, not in {asked.namespace}", why=why)
    return _complete(_Target(view.name, view.namespace or asked.namespace, scope, found), asked)


def _chosen(asked: Asked, there: list[Found]) -> Found:
    fitting = [each for each in there if asked.name in {"", Object(each.obj).name}]
    if len(fitting) > 1 and asked.namespace:
        fitting = [each for each in fitting if Object(each.obj).namespace == asked.namespace]
    if not fitting:
        names = ", ".join(Object(each.obj).name for each in there)
        why = f"there are {names}" if names else "it holds no SealedSecret"
        raise NotFound(f"{asked.file} has no SealedSecret {asked.name}".rstrip(), why=why)
    if len(fitting) > 1:
        hint = "Say which with --name and --namespace."
        raise InvalidInput(f"{asked.file} has {len(fitting)} SealedSecrets that may be meant", hint=hint)
    return fitting[0]


def _new(asked: Asked) -> _Target:
    if not asked.name:
        hint = "Give --name and --namespace, and it is made."
        raise NotFound(f"there is no {asked.file}", hint=hint)
    return _complete(_Target(asked.name, asked.namespace, asked.scope or "strict", None), asked)


def _complete(target: _Target, asked: Asked) -> _Target:
    """A namespace is not guessed from the kubeconfig: sealed for the wrong one, it is found out only in the cluster."""
    if target.scope != "cluster-wide" and not target.namespace:
        why = f"what is {target.scope} is sealed for its namespace, and {asked.file} does not say it"
        raise InvalidInput("there is no namespace", why=why, hint="Give --namespace.")
    if target.scope == "strict" and not target.name:
        raise InvalidInput(f"the SealedSecret in {asked.file} has no name", hint="Write metadata.name.")
    return target


def _value(asked: Asked) -> Plaintext:
    if asked.value_file is None and at_terminal():
        return Plaintext(click.prompt(f"Value of {asked.key}", hide_input=True, confirmation_prompt=True, err=True))
    return value_from(asked.value_file)


def _created(asked: Asked, target: _Target, value: Plaintext, certificate: Certificate) -> bytes:
    metadata = {"name": target.name, **({"namespace": target.namespace} if target.namespace else {})}
    empty = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata}
    made = unnoted(sealed_secret(empty, certificate, target.scope, allow_empty=True))
    sealed = sealed_value(value, certificate, target.scope, namespace=target.namespace, name=target.name)
    made = {**made, "spec": {**made["spec"], "encryptedData": {asked.key: sealed}}}
    return printed(made, "json" if asked.file.suffix == ".json" else "yaml").encode()
