"""Sealing keys outside of the cluster: encrypted to people, readable without this program, and checked before they count.

What is in the clear is a List of Secrets as `kubectl apply` takes it, so that a lost cluster needs nothing of ours:

    age --decrypt -i key.txt keys.age | kubectl apply -f -
    openssl cms -decrypt -inform PEM -in keys.pem -inkey key.pem | kubectl apply -f -
"""

from plumbline.secrets.escrow.bundle import bundle_of, keys_in
from plumbline.secrets.escrow.marks import Mark, mark, read_mark
from plumbline.secrets.escrow.parcels import encrypted, opened, packed
from plumbline.secrets.escrow.people import Identities, Recipients, identities_in, recipients_in

__all__ = [
    "Identities",
    "Mark",
    "Recipients",
    "bundle_of",
    "encrypted",
    "identities_in",
    "keys_in",
    "mark",
    "opened",
    "packed",
    "read_mark",
    "recipients_in",
]
