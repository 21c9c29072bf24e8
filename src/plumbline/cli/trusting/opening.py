"""Who is asked about certificates and keys: a server, or the ConfigMaps that it would look at."""

from contextlib import AbstractAsyncContextManager

from plumbline.cli.connecting import Where
from plumbline.cli.trusting.served import ServedCertificates, ServedKeys
from plumbline.cli.trusting.shelf import CertificateShelf, KeyShelf
from plumbline.cli.trusting.store import Store
from plumbline.kube.client import Client
from plumbline.source.certificates import Certificates
from plumbline.source.signatures.publickeys import PublicKeys


def certificates_at(where: Where) -> AbstractAsyncContextManager[CertificateShelf]:
    def by_cluster(client: Client) -> CertificateShelf:
        return Certificates(Store(client, where.namespace))

    return where.answered(by_cluster, ServedCertificates)


def keys_at(where: Where) -> AbstractAsyncContextManager[KeyShelf]:
    def by_cluster(client: Client) -> KeyShelf:
        return PublicKeys(Store(client, where.namespace))

    return where.answered(by_cluster, ServedKeys)
