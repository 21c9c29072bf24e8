"""What tests seal, and how they look inside."""

import re

from plumbline.base.documents import load_documents
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing import Keyring, label_of, scope_of

CANARY = "canary-5fd1c2"
SECRET = f"""apiVersion: v1
kind: Secret
metadata: {{name: db, namespace: shop}}
stringData: {{password: {CANARY}, user: ada}}
"""


class Sealed:
    def __init__(self, keys, folder) -> None:
        self.old, self.new = keys
        self.ring = Keyring(keys)
        self.cert, self.old_cert = folder / "new.pem", folder / "old.pem"
        self.cert.write_bytes(self.new.certificate_pem)
        self.old_cert.write_bytes(self.old.certificate_pem)

    def value(self, text=CANARY, key=None, *, scope="strict", namespace="shop", name="db"):
        return (key or self.new).certificate.sealed(Plaintext(text), label_of(scope, namespace, name))

    def opened(self, text, *, at=0):
        """Values of the SealedSecret in a text, with the key that sealed each."""
        obj = load_documents(text)[at].value
        metadata = obj["metadata"]
        scope = scope_of(metadata.get("annotations") or {})
        label = label_of(scope, metadata.get("namespace", ""), metadata["name"])
        found = {key: self.ring.opened(value, label) for key, value in obj["spec"]["encryptedData"].items()}
        return {key: (each.value.reveal().decode(), each.fingerprint) for key, each in found.items()}

    def values(self, text, *, at=0):
        return {key: value for key, (value, _) in self.opened(text, at=at).items()}


def masked(text):
    """Sealed values differ every time; whatever begins as one of 2048 bits does is one."""
    return re.sub(r"AQ[A-Za-z0-9+/=]{300,}", "SEALED", text)
