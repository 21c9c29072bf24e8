"""`plumb seal`: what kubeseal does, in the order in which it looks at its flags."""

from pathlib import Path
from typing import Final, NamedTuple

import click

from plumbline.base.clock import SystemClock
from plumbline.base.errors import BadKubeconfig, InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.cli.exits import Exit
from plumbline.cli.sealing.certificates import certificate_from, pem_from
from plumbline.cli.sealing.controller import connected
from plumbline.cli.sealing.files import PRIVATE, PUBLIC, at_terminal, replaced, text_from, value_from
from plumbline.cli.sealing.inputs import sealed_secrets_in, secrets_in
from plumbline.cli.sealing.keys import recovered
from plumbline.cli.sealing.options import Where
from plumbline.cli.sealing.printing import printed, unnoted
from plumbline.cli.terminal import plain
from plumbline.kube.client import Connection
from plumbline.kube.object import Object
from plumbline.secrets.sealing import (
    Certificate,
    Scope,
    merged_into,
    scope_of,
    sealed_secret,
    sealed_value,
    unsealed,
)

_YAML: Final = frozenset({".yaml", ".yml"})
_OF_THE_SERVER: Final = frozenset({"creationTimestamp", "deletionTimestamp", "generation"})
_NAMESPACE_HINT: Final = "Write metadata.namespace, or give --namespace."


class Asked(NamedTuple):
    where: Where
    mode: str
    """The one of kubeseal's commands that is meant: seal, fetch-cert, validate, merge-into, raw, re-encrypt, recovery-unseal."""
    form: str | None
    output: Path | None
    secret_file: Path | None
    namespace: str
    name: str
    scope: Scope | None
    allow_empty: bool
    merge_into: Path | None
    from_file: str
    private_keys: tuple[str, ...]

    @property
    def source(self) -> str:
        return str(self.secret_file) if self.secret_file else "stdin"

    @property
    def printed_as(self) -> str:
        """A file's name says how it is written, and a file that is changed in place keeps its form."""
        path = self.output or (self.merge_into if self.form is None else None)
        return "yaml" if path is not None and path.suffix in _YAML else self.form or "json"


async def performed(asked: Asked) -> Exit:
    match asked.mode:
        case "recovery-unseal":
            _put(asked, _recovered(asked).encode(), mode=PRIVATE)
        case "validate":
            return await _validated(asked)
        case "re-encrypt":
            _put(asked, (await _re_encrypted(asked)).encode())
        case "fetch-cert":
            _put(asked, await pem_from(asked.where.cert, asked.where.place))
        case "merge-into":
            await _merged(asked)
        case "raw":
            _put(asked, (await _raw(asked)).encode())
        case _:
            # What is wrong with the input is said before anybody is asked for a certificate.
            secrets = [_named(asked, each) for each in secrets_in(_text(asked), asked.source)]
            certificate = await _certificate(asked)
            texts = [printed(_sealed(asked, each, certificate), asked.printed_as) for each in secrets]
            _put(asked, "".join(texts).encode())
    return Exit.DONE


def _text(asked: Asked) -> bytes:
    if asked.secret_file is None:
        _expect("json/yaml k8s resource")
        return text_from(None)
    try:
        return text_from(asked.secret_file)
    except InvalidInput as odd:
        raise InvalidInput("Could not read file specified with --secret-file", why=str(odd)) from odd


def _expect(what: str) -> None:
    if at_terminal():
        click.echo(f"(tty detected: expecting {what} in stdin)", err=True)


def _put(asked: Asked, content: bytes, *, mode: int = PUBLIC) -> None:
    if asked.output is None:
        click.echo(content, nl=False)
    else:
        replaced(asked.output, content, mode=mode)


async def _certificate(asked: Asked) -> Certificate:
    return await certificate_from(asked.where.cert, asked.where.place)


class _Named(NamedTuple):
    """A Secret that can be sealed, and where."""

    secret: JsonObject
    name: str
    namespace: str
    scope: Scope


def _named(asked: Asked, secret: JsonObject, existing: Object | None = None) -> _Named:
    """What is missing or does not fit is said in kubeseal's words."""
    if not (secret.get("data") or secret.get("stringData") or asked.allow_empty):
        raise InvalidInput(
            "secret.data is empty in input Secret, assuming this is an error and aborting. "
            "To work with empty data, --allow-empty-data can be used"
        )
    view = Object(secret)
    name = existing.name if existing else asked.name or view.name
    if not name:
        raise InvalidInput("missing metadata.name in input Secret", hint="Write metadata.name, or give --name.")
    scope = _scope(asked, view, existing)
    namespace = existing.namespace if existing and existing.namespace else view.namespace
    if scope != "cluster-wide":
        if asked.namespace and namespace and namespace != asked.namespace:
            raise InvalidInput(
                f'namespace mismatch: input secret is in namespace "{namespace}" but "{asked.namespace}" was specified',
                hint="What is sealed for one namespace does not open in another: correct one of the two.",
            )
        namespace = namespace or _namespace(asked)
    return _Named(secret, name, namespace, scope)


def _scope(asked: Asked, view: Object, existing: Object | None) -> Scope:
    """The one that was asked for, else the one that the Secret asks for; what is there already has the last word."""
    own = scope_of(view.annotations)
    if existing is None:
        return asked.scope or own
    there = scope_of(existing.annotations)
    wanted = asked.scope or (own if own != "strict" else there)
    if wanted != there:
        raise InvalidInput(
            f"the values would be {wanted}, and those of {asked.merge_into} are {there}",
            why="all values of a SealedSecret have the same scope",
            hint="Leave --scope out, or seal the whole Secret again.",
        )
    return there


def _namespace(asked: Asked) -> str:
    """Of the command line, else of the kubeconfig."""
    if asked.namespace:
        return asked.namespace
    try:
        return Connection.load(asked.where.kubeconfig, context=asked.where.context).namespace
    except BadKubeconfig as odd:
        raise InvalidInput("secret must declare a namespace", why=str(odd), hint=_NAMESPACE_HINT) from odd


def _sealed(asked: Asked, named: _Named, certificate: Certificate) -> JsonObject:
    return unnoted(
        sealed_secret(
            named.secret,
            certificate,
            named.scope,
            name=named.name,
            namespace=named.namespace,
            allow_empty=asked.allow_empty,
        )
    )


async def _merged(asked: Asked) -> None:
    if asked.merge_into is None:
        raise InvalidInput("--merge-into names no file")
    if not asked.merge_into.is_file():
        raise NotFound(
            f"open {asked.merge_into}: no such file or directory", hint="Seal it without --merge-into first."
        )
    there = sealed_secrets_in(text_from(asked.merge_into), str(asked.merge_into))
    given = secrets_in(_text(asked), asked.source)
    if len(there) != 1 or len(given) != 1:
        hint = "Merge one Secret into a file with one SealedSecret; `plumb secret set` changes one of several."
        raise InvalidInput("cannot merge several at once", hint=hint)
    named = _named(asked, given[0], Object(there[0]))
    new = _sealed(asked, named, await _certificate(asked))
    replaced(asked.merge_into, printed(merged_into(there[0], new), asked.printed_as).encode())


async def _raw(asked: Asked) -> str:
    scope = asked.scope or "strict"
    namespace = "" if scope == "cluster-wide" else _namespace(asked)
    if scope == "strict" and not asked.name:
        raise InvalidInput("must provide the --name flag with --raw and --scope strict")
    if asked.from_file:
        value = value_from(Path(asked.from_file.partition("=")[2] or asked.from_file))
    else:
        _expect("a secret to encrypt")
        value = value_from(None)
    return sealed_value(value, await _certificate(asked), scope, namespace=namespace, name=asked.name)


async def _validated(asked: Asked) -> Exit:
    answer = Exit.DONE
    objects = sealed_secrets_in(_text(asked), asked.source)
    async with connected(asked.where.place) as controller:
        for obj in objects:
            if not await controller.verified(obj):
                click.echo(plain(f"unable to decrypt sealed secret: {Object(obj).name}"), err=True)
                answer = Exit.NO
    return answer


async def _re_encrypted(asked: Asked) -> str:
    objects = sealed_secrets_in(_text(asked), asked.source)
    async with connected(asked.where.place) as controller:
        new = [await controller.resealed(obj) for obj in objects]
    return "".join(printed(_without_times(each), asked.printed_as) for each in new)


def _without_times(obj: JsonObject) -> JsonObject:
    kept = {name: value for name, value in Object(obj).metadata.items() if name not in _OF_THE_SERVER}
    return {**obj, "metadata": kept}


def _recovered(asked: Asked) -> str:
    keyring = recovered(asked.private_keys).keyring
    now = SystemClock().now()
    objects = sealed_secrets_in(_text(asked), asked.source)
    return "".join(printed(unsealed(obj, keyring, now=now).secret(), asked.printed_as) for obj in objects)
