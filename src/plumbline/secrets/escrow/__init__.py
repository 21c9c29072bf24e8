"""Sealing keys outside of the cluster: encrypted to people, readable without this program, and checked before they count.

What is in the clear is a List of Secrets as `kubectl apply` takes it, so that a lost cluster needs nothing of ours:

    age --decrypt -i key.txt keys.age | kubectl apply -f -
    openssl cms -decrypt -inform PEM -in keys.pem -inkey key.pem | kubectl apply -f -
"""

from plumbline.secrets.escrow.bundle import bundle_of, keys_in
from plumbline.secrets.escrow.parcels import opened, packed
from plumbline.secrets.escrow.people import Identities, Recipients, identities_in, recipients_in

__all__ = ["Identities", "Recipients", "bundle_of", "identities_in", "keys_in", "opened", "packed", "recipients_in"]
