"""What verbs ask about certificates and keys, whoever answers."""

from collections.abc import Sequence
from typing import Protocol

from plumbline.source.certificates import Certificate, Selector
from plumbline.source.signatures.publickeys import Imported, PublicKey


class CertificateShelf(Protocol):
    async def listed(self, selector: Selector) -> list[Certificate]: ...

    async def add(self, certificates: Sequence[Certificate], *, upsert: bool) -> list[Certificate]:
        """Those that were not there as they are."""

    async def remove(self, selector: Selector) -> list[Certificate]: ...


class KeyShelf(Protocol):
    async def listed(self) -> list[PublicKey]: ...

    async def one(self, text: str) -> PublicKey: ...

    async def add(self, text: str) -> Imported: ...

    async def remove(self, text: str) -> None: ...
