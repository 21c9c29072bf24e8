"""Keys that are made once, and SealedSecrets to try things on."""

from datetime import UTC, datetime, timedelta
from functools import cache

from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing import Keyring, key_from_pem, label_of, made_key

NOW = datetime(2026, 8, 1, 12, 0, 0, tzinfo=UTC)
PLACE = {"namespace": "shop", "name": "db"}


def key(number=0):
    """One of a few keys; a higher number is a newer key."""
    return _key(number)


@cache
def _key(number):
    return made_key(NOW + timedelta(days=30 * number), size=2048)


def ring(*numbers, order="CertNotBefore"):
    return Keyring([key(number) for number in numbers or (0,)], order)


def renamed(known, name, created=None):
    return key_from_pem(known.private, known.certificate_pem, name=name, created=created)


def certificate(number=0):
    return key(number).certificate


def text(value, number=0, scope="strict", **place):
    at = {**PLACE, **place}
    return certificate(number).sealed(Plaintext(value), label_of(scope, at["namespace"], at["name"]))


def sealed(items, template=None, annotations=None, **metadata):
    """A SealedSecret of those items, which are sealed already."""
    own = {**PLACE, **metadata}
    if annotations is not None:
        own["annotations"] = annotations
    spec = {"encryptedData": items, **({"template": template} if template is not None else {})}
    return {"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "metadata": own, "spec": spec}


def revealed(values):
    return {name: value.reveal() for name, value in values.items()}


def all_of(error):
    """Everything that an error could tell somebody."""
    told, seen = [], error
    while seen is not None:
        told += [str(seen), repr(seen), repr(getattr(seen, "causes", ())), getattr(seen, "hint", ""), repr(seen.args)]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(told)
