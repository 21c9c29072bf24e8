"""Sealing as kubeseal and its controller do it: what one side sealed the other opens. Pure: no IO and no clock.

    entropy, envelope, scopes        one value
    certificates, keys, keysecrets   who can seal, who can open, and how keys lie in the cluster
    keyring                          all keys, and which of them is the newest
    shape, items, contents, blobs    what came from outside, checked and bounded
    sealing, opening, resealing      whole objects

Values are `Plaintext` as soon as they are read. Errors name items and never tell a value, nor which part of one was wrong.
"""

from plumbline.secrets.sealing.certificates import Certificate, certificate_of
from plumbline.secrets.sealing.keyring import KeyOrder, Keyring, Opened
from plumbline.secrets.sealing.keys import SealingKey, key_from_pem, loaded_private, made_key, self_signed
from plumbline.secrets.sealing.keysecrets import ACTIVE, KEY_LABEL, KEY_PREFIX, active, key_of, key_secret
from plumbline.secrets.sealing.opening import Unsealed, outdated, unsealed, verified
from plumbline.secrets.sealing.resealing import renewed, resealed
from plumbline.secrets.sealing.scopes import SCOPES, Scope, label_of, scope_annotations, scope_of
from plumbline.secrets.sealing.sealing import merged_into, sealed_secret, sealed_value
from plumbline.secrets.sealing.shape import SEALED_WITH

__all__ = [
    "ACTIVE",
    "KEY_LABEL",
    "KEY_PREFIX",
    "SCOPES",
    "SEALED_WITH",
    "Certificate",
    "KeyOrder",
    "Keyring",
    "Opened",
    "Scope",
    "SealingKey",
    "Unsealed",
    "active",
    "certificate_of",
    "key_from_pem",
    "key_of",
    "key_secret",
    "label_of",
    "loaded_private",
    "made_key",
    "merged_into",
    "outdated",
    "renewed",
    "resealed",
    "scope_annotations",
    "scope_of",
    "sealed_secret",
    "sealed_value",
    "self_signed",
    "unsealed",
    "verified",
]
