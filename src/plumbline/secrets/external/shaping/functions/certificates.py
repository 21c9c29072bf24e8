"""X.509: chains in order, and who a certificate is for. Nothing is verified here, only sorted and read."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from plumbline.gotemplate import Function, function
from plumbline.gotemplate.sprig.certificates import certificate_of, certificates_of, pem_of
from plumbline.gotemplate.sprig.pem import blocks
from plumbline.gotemplate.sprig.told import Told, costing
from plumbline.gotemplate.values import Strings

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_STEPS: Final = 500


def chain(found: "Sequence[Certificate]") -> "list[Certificate]":
    """From the leaf to the root, by key identifiers. Raises Told where it is none, or more than one."""
    signers: list[int | None] = [None] * len(found)
    for at, certificate in enumerate(found):
        for other, candidate in enumerate(found):
            if other != at and _authority(certificate) == _subject(candidate):
                signers[at] = other
                break
    leaves = [at for at in range(len(found)) if at not in signers]
    if len(leaves) > 1:
        raise Told("found multiple leaf or disjunct certificates")
    if not leaves:
        raise Told("no leaf certificate found")
    ordered: list[Certificate] = []
    at_last: int | None = leaves[0]
    while at_last is not None:
        if len(ordered) == len(found):
            raise Told("constructing chain resulted in cycle")
        ordered.append(found[at_last])
        at_last = signers[at_last]
    return ordered


def _authority(certificate: "Certificate") -> bytes:
    """Empty where it says none, which is equal to a subject that says none: so upstream has it."""
    from cryptography import x509  # noqa: PLC0415 - as above

    try:
        return certificate.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value.key_identifier or b""
    except (x509.ExtensionNotFound, ValueError):
        return b""


def _subject(certificate: "Certificate") -> bytes:
    from cryptography import x509  # noqa: PLC0415 - as above

    try:
        return certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
    except (x509.ExtensionNotFound, ValueError):
        return b""


def _root(certificate: "Certificate") -> bool:
    return _authority(certificate) in {b"", _subject(certificate)}


@costing(_STEPS)
def _filtered(kind: str, text: str) -> str:
    ordered = chain([certificate_of(block.body) for block in blocks(text)])
    if kind == "leaf":
        return "" if _root(ordered[0]) else pem_of(ordered[0])
    if kind == "root":
        return pem_of(ordered[-1]) if _root(ordered[-1]) else ""
    if kind == "intermediate":
        inner = ordered[1:]
        ends = next((at for at, each in enumerate(inner) if _root(each)), len(inner))
        return "".join(map(pem_of, inner[:ends]))
    return ""


@costing(_STEPS)
def _names(text: str) -> Strings:
    from cryptography import x509  # noqa: PLC0415 - as above

    certificate = certificates_of(text)[0]
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return Strings()
    except ValueError:
        raise Told("failed to parse certificate") from None
    of = partial(_of, names)
    return Strings([*of(x509.DNSName), *of(x509.IPAddress), *of(x509.RFC822Name), *of(x509.UniformResourceIdentifier)])


def _of(names: "Iterable[object]", kind: type) -> list[str]:
    return [str(getattr(name, "value", "")) for name in names if isinstance(name, kind)]


FUNCTIONS: Final[Mapping[str, Function]] = {
    "certSANs": function("string", _names),
    "filterCertChain": function("string string", _filtered),
}
