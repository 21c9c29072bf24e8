"""How names, label keys and label values may be spelled, told in the API server's own words.

Every function answers with the faults it finds, so that callers can join them the way their message needs; no faults,
no answer. Lengths are counted in bytes, as the server does.
"""

import re
from typing import Final

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_DNS_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_KEY_NAME: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE: Final = f"({_KEY_NAME})?"

_is_label: Final = re.compile(_LABEL).fullmatch
_is_subdomain: Final = re.compile(_SUBDOMAIN).fullmatch
_is_dns_1035: Final = re.compile(_DNS_1035).fullmatch
_is_key_name: Final = re.compile(_KEY_NAME).fullmatch
_is_value: Final = re.compile(_VALUE).fullmatch

LABEL_BYTES: Final = 63
SUBDOMAIN_BYTES: Final = 253

_KEY_NAME_FAULT: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
    f" (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_KEY_NAME}')"
)
_VALUE_FAULT: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and"
    " end with an alphanumeric character"
    f" (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_VALUE}')"
)
_LABEL_FAULT: Final = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with"
    f" an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')"
)
_SUBDOMAIN_FAULT: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and"
    f" end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_DNS_1035_FAULT: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character,"
    " and end with an alphanumeric character"
    f" (e.g. 'my-name',  or 'abc-123', regex used for validation is '{_DNS_1035}')"
)


def dns_label_faults(value: str) -> list[str]:
    """RFC 1123 label: namespaces, containers, ports of pods."""
    faults = _too_long(value, LABEL_BYTES)
    if not _is_label(value):
        faults.append("must not contain dots" if _is_subdomain(value) else _LABEL_FAULT)
    return faults


def dns_1035_label_faults(value: str) -> list[str]:
    """RFC 1035 label: services."""
    faults = _too_long(value, LABEL_BYTES)
    if not _is_dns_1035(value):
        faults.append(_DNS_1035_FAULT)
    return faults


def dns_subdomain_faults(value: str) -> list[str]:
    """RFC 1123 subdomain: the names of most objects."""
    faults = _too_long(value, SUBDOMAIN_BYTES)
    if not _is_subdomain(value):
        faults.append(_SUBDOMAIN_FAULT)
    return faults


def path_segment_faults(value: str) -> list[str]:
    """The names of RBAC objects, and the least that every name must hold to: it fits between two slashes."""
    if value in {".", ".."}:
        return [f"may not be '{value}'"]
    return [f"may not contain '{illegal}'" for illegal in "/%" if illegal in value]


def label_key_faults(value: str) -> list[str]:
    """Label keys, annotation keys (in lower case) and everything else called a qualified name."""
    faults: list[str] = []
    prefix, slash, name = value.partition("/")
    if not slash:
        name = value
    elif "/" in name:
        optional_prefix = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a valid label key {_KEY_NAME_FAULT}{optional_prefix}"]
    elif not prefix:
        faults.append("prefix part must be non-empty")
    else:
        faults += [f"prefix part {fault}" for fault in _prefix_faults(prefix)]
    if not name:
        faults.append("name part must be non-empty")
    else:
        faults += [f"name part {fault}" for fault in _too_long(name, LABEL_BYTES, "bytes")]
    if not _is_key_name(name):
        faults.append(f"name part {_KEY_NAME_FAULT}")
    return faults


def label_value_faults(value: str) -> list[str]:
    faults = _too_long(value, LABEL_BYTES, "bytes")
    if not _is_value(value):
        faults.append(_VALUE_FAULT)
    return faults


def _prefix_faults(prefix: str) -> list[str]:
    faults = _too_long(prefix, SUBDOMAIN_BYTES, "bytes")
    if not _is_subdomain(prefix):
        faults.append(_SUBDOMAIN_FAULT)
    return faults


def _too_long(value: str, limit: int, unit: str = "characters") -> list[str]:
    """Upstream counts bytes either way and says so only of labels."""
    return [f"must be no more than {limit} {unit}"] if len(value.encode()) > limit else []
