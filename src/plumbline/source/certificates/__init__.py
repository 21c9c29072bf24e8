"""How servers of repositories prove who they are, as people list, add and remove it: host keys of ssh and certificates of TLS.

What is kept is what Argo CD keeps in its two ConfigMaps. Everything here is pure but `Certificates`, which reads and writes
them by whatever way it is given.
"""

from plumbline.source.certificates.edits import Kept, added, listed, removed
from plumbline.source.certificates.hostkeys import certificates_in
from plumbline.source.certificates.keeping import Certificates
from plumbline.source.certificates.pem import unique_blocks
from plumbline.source.certificates.values import Certificate, Selector

__all__ = [
    "Certificate",
    "Certificates",
    "Kept",
    "Selector",
    "added",
    "certificates_in",
    "listed",
    "removed",
    "unique_blocks",
]
