"""A cluster that knows SealedSecrets and where nobody looks after them, with people who keep keys for it."""

import asyncio
import base64
import itertools
import threading
from contextlib import contextmanager

import pyrage
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from plumbline.apiserver.hosting import hosted
from plumbline.base.clock import SystemClock
from plumbline.base.documents import dump_yaml, load_document
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.client import Client, Connection, Selection, Target
from plumbline.kube.names import GroupVersionKind
from plumbline.secrets.foundation import founded
from plumbline.secrets.sealed.keys import EXPORTED, SECRETS
from plumbline.secrets.sealing import KEY_LABEL, key_secret, sealed_secret

_count = itertools.count(1)


class Estate:
    def __init__(self, kubeconfig, folder) -> None:
        self.kubeconfig = kubeconfig
        self.folder = folder

    @classmethod
    @contextmanager
    def running(cls, folder):
        ready, over, at = threading.Event(), asyncio.Event(), {}

        async def serve():
            at["loop"] = asyncio.get_running_loop()
            async with hosted(folder / "plane", 0, SystemClock(), Ids()) as there:
                await founded(Client(there.plane.transport()), SystemClock())
                at["kubeconfig"] = there.kubeconfig
                ready.set()
                await over.wait()

        thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
        thread.start()
        assert ready.wait(60)
        try:
            yield cls(at["kubeconfig"], folder)
        finally:
            at["loop"].call_soon_threadsafe(over.set)
            thread.join(30)

    def asked(self, question):
        """What the cluster's administrator is told."""

        async def answer():
            async with Client.connect(Connection.load(self.kubeconfig)) as client:
                return await question(client)

        return asyncio.run(answer())

    def create(self, *objects):
        async def created(client):
            for each in objects:
                resource = await client.discovery.resource(GroupVersionKind.of(each))
                await client.create(resource.target(each["metadata"].get("namespace", "")), encode(each))

        self.asked(created)

    def someone(self, name, namespace, verbs):
        """A kubeconfig of somebody who may do *verbs* with Secrets there."""
        role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role"}
        binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding"}
        metadata = {"name": name, "namespace": namespace}
        subject = {"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"}
        to = {"kind": "Role", "name": name, "apiGroup": "rbac.authorization.k8s.io"}
        self.create(
            {**role, "metadata": metadata, "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": verbs}]},
            {**binding, "metadata": metadata, "subjects": [subject], "roleRef": to},
        )
        config = load_document(self.kubeconfig.read_bytes()).value
        for user in config["users"]:
            user["user"]["as"] = name
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(dump_yaml(config))
        return path


class Keys:
    """`plumb keys` on a namespace with the keys that a test puts there."""

    def __init__(self, run, estate, made) -> None:
        self._run, self.estate, self.made = run, estate, made
        self.namespace = f"keys-{next(_count)}"
        estate.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}})

    def __call__(self, *args, **more):
        said = self._run("keys", *args, "--key-namespace", self.namespace, **more)
        self.assert_silent(said.out + said.err)
        return said

    def done(self, *args, **more):
        said = self(*args, **more)
        assert said.code == 0, said.err
        return said

    def assert_silent(self, text):
        """Nothing of a private key is in it, neither as PEM nor encoded again."""
        for key in self.made:
            for form in (key.private.reveal(), base64.b64encode(key.private.reveal())):
                assert form[200:240].decode() not in text

    def put(self, number, name="", label="active", **metadata):
        secret = key_secret(self.made[number], self.namespace, name=name or f"sealed-secrets-key{number}")
        if label is None:
            del secret["metadata"]["labels"][KEY_LABEL]
        else:
            secret["metadata"]["labels"][KEY_LABEL] = label
        secret["metadata"] |= metadata
        self.estate.create(secret)

    def put_by_sealed_secret(self, number, name):
        """A Secret that a SealedSecret brought, and that says it is a key."""
        self.seal(number, name)
        uid = self.sealed()[name]["metadata"]["uid"]
        owner = {"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "name": name, "uid": uid}
        self.put(number, name, ownerReferences=[owner])

    def sealed(self):
        async def listed(client):
            page = await client.list(Target(SEALED_SECRET.resource, self.namespace))
            return [decode(item) for item in page.items]

        return {each["metadata"]["name"]: each for each in self.estate.asked(listed)}

    def forget_sealed(self):
        """Of whatever namespace: some verbs look at all of them."""

        async def forgotten(client):
            page = await client.list(Target(SEALED_SECRET.resource))
            for item in page.items:
                metadata = decode(item)["metadata"]
                await client.delete(Target(SEALED_SECRET.resource, metadata["namespace"], metadata["name"]))

        self.estate.asked(forgotten)

    def there(self):
        async def listed(client):
            page = await client.list(Target(SECRETS, self.namespace), Selection())
            return [decode(item) for item in page.items]

        return {each["metadata"]["name"]: each for each in self.estate.asked(listed)}

    def marks(self):
        return {name: (each["metadata"].get("annotations") or {}).get(EXPORTED) for name, each in self.there().items()}

    def delete(self, *names):
        async def deleted(client):
            for name in names:
                await client.delete(Target(SECRETS, self.namespace, name))

        self.estate.asked(deleted)

    def seal(self, number, name):
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": self.namespace},
            "stringData": {"a": "b"},
        }
        self.estate.create(sealed_secret(secret, self.made[number].certificate, "strict"))


class Person:
    """Somebody with an identity of age in a file."""

    def __init__(self, folder, name="ann") -> None:
        identity = pyrage.x25519.Identity.generate()
        self.recipient = str(identity.to_public())
        self.identity = folder / f"{name}.txt"
        self.identity.write_text(f"# public key: {self.recipient}\n{identity}\n")


def rsa_person(folder):
    """The public key of somebody, and what opens for it."""
    private = rsa.generate_private_key(65537, 2048)
    public, identity = folder / "public.pem", folder / "private.pem"
    public.write_bytes(private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    identity.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return public, identity


def mode_of(path):
    return oct(path.stat().st_mode & 0o777)
