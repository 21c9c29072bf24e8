"""What names, keys and other short texts may look like. Each function returns the faults it finds, in the API server's words.

`NameFaults` are for the names of objects: their second argument says that the text is a prefix, to which the server
adds a suffix of its own.
"""

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from plumbline.kube.spelling import LABEL_BYTES, SUBDOMAIN_BYTES
from plumbline.kube.spelling import dns_1035_label_faults as dns_1035_label
from plumbline.kube.spelling import dns_label_faults as dns_label
from plumbline.kube.spelling import dns_subdomain_faults as dns_subdomain
from plumbline.kube.spelling import label_key_faults as qualified_name
from plumbline.kube.spelling import label_value_faults as label_value
from plumbline.kube.spelling import path_segment_faults as path_segment

__all__ = [
    "LABEL_BYTES",
    "SUBDOMAIN_BYTES",
    "NameFaults",
    "byte_count",
    "c_identifier",
    "config_key",
    "dns_1035_label",
    "dns_label",
    "dns_subdomain",
    "dns_subdomain_with_underscore",
    "env_name",
    "http_header_name",
    "http_path",
    "label_1035_name",
    "label_name",
    "label_value",
    "name_faults",
    "out_of_range",
    "path_segment",
    "path_segment_name",
    "path_segment_prefix",
    "percent",
    "port_name",
    "port_number",
    "qualified_name",
    "rbac_name",
    "relaxed_env_name",
    "shape",
    "subdomain_name",
    "too_long",
    "wildcard_subdomain",
]

NameFaults: TypeAlias = Callable[[str, bool], list[str]]

_PORT_NAME_BYTES: Final = 15

_LABEL_FORMAT: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN_FORMAT: Final = rf"{_LABEL_FORMAT}(\.{_LABEL_FORMAT})*"
_UNDERSCORE_LABEL_FORMAT: Final = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_UNDERSCORE_SUBDOMAIN_FORMAT: Final = rf"{_UNDERSCORE_LABEL_FORMAT}(\.{_UNDERSCORE_LABEL_FORMAT})*"
_WILDCARD_FORMAT: Final = rf"\*\.{_SUBDOMAIN_FORMAT}"
_C_IDENTIFIER_FORMAT: Final = "[A-Za-z_][A-Za-z0-9_]*"
_CONFIG_KEY_FORMAT: Final = "[-._a-zA-Z0-9]+"
_ENV_NAME_FORMAT: Final = "[-._a-zA-Z][-._a-zA-Z0-9]*"
_HEADER_FORMAT: Final = "[-A-Za-z0-9]+"
_PERCENT_FORMAT: Final = "[0-9]+%"
_HTTP_PATH_FORMAT: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"

# Go's classes of characters are those of ASCII, and so are these; fullmatch never forgives a final line break.
_underscore_subdomain: Final = re.compile(_UNDERSCORE_SUBDOMAIN_FORMAT).fullmatch
_wildcard: Final = re.compile(_WILDCARD_FORMAT).fullmatch
_c_identifier: Final = re.compile(_C_IDENTIFIER_FORMAT).fullmatch
_config_key: Final = re.compile(_CONFIG_KEY_FORMAT).fullmatch
_env_name: Final = re.compile(_ENV_NAME_FORMAT).fullmatch
_header: Final = re.compile(_HEADER_FORMAT).fullmatch
_percent: Final = re.compile(_PERCENT_FORMAT).fullmatch
_http_path: Final = re.compile(_HTTP_PATH_FORMAT).fullmatch
_relaxed_env_name: Final = re.compile("[ -<>-~]*").fullmatch
_port_name: Final = re.compile("[-a-z0-9]+").fullmatch
_letter: Final = re.compile("[a-z]").search


def byte_count(text: str) -> int:
    """How long *text* is for the server, which counts bytes."""
    return len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))


def too_long(limit: int) -> str:
    return f"must be no more than {limit} characters"


def out_of_range(low: int, high: int) -> str:
    return f"must be between {low} and {high}, inclusive"


def shape(said: str, pattern: str, *examples: str) -> str:
    """How the server names the regular expression that was not met."""
    if not examples:
        return f"{said} (regex used for validation is '{pattern}')"
    return (
        f"{said} (e.g. "
        + " or ".join(f"'{each}', " for each in examples)
        + f"regex used for validation is '{pattern}')"
    )


def dns_subdomain_with_underscore(text: str) -> list[str]:
    faults = _length_faults(text, SUBDOMAIN_BYTES)
    if not _underscore_subdomain(text):
        said = (
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', "
            "and must start and end with an alphanumeric character"
        )
        faults.append(shape(said, _UNDERSCORE_SUBDOMAIN_FORMAT, "example.com"))
    return faults


def wildcard_subdomain(text: str) -> list[str]:
    faults = _length_faults(text, SUBDOMAIN_BYTES)
    if not _wildcard(text):
        said = (
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist "
            "of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
        )
        faults.append(shape(said, _WILDCARD_FORMAT, "*.example.com"))
    return faults


def path_segment_prefix(text: str) -> list[str]:
    return [f"may not contain '{char}'" for char in "/%" if char in text]


def c_identifier(text: str) -> list[str]:
    if _c_identifier(text):
        return []
    said = (
        "a valid C identifier must start with alphabetic character or '_', "
        "followed by a string of alphanumeric characters or '_'"
    )
    return [shape(said, _C_IDENTIFIER_FORMAT, "my_name", "MY_NAME", "MyName")]


def config_key(text: str) -> list[str]:
    """A key of a ConfigMap or Secret, which may become the name of a file."""
    faults = _length_faults(text, SUBDOMAIN_BYTES)
    if not _config_key(text):
        said = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        faults.append(shape(said, _CONFIG_KEY_FORMAT, "key.name", "KEY_NAME", "key-name"))
    return faults + _parent_faults(text)


def env_name(text: str) -> list[str]:
    faults = []
    if not _env_name(text):
        said = (
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', "
            "and must not start with a digit"
        )
        faults.append(shape(said, _ENV_NAME_FORMAT, "my.env-name", "MY_ENV.NAME", "MyEnvName1"))
    return faults + _parent_faults(text)


def relaxed_env_name(text: str) -> list[str]:
    if not text:
        return ["environment variable name must be non-empty"]
    if _relaxed_env_name(text):
        return []
    return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]


def http_header_name(text: str) -> list[str]:
    if _header(text):
        return []
    return [
        shape("a valid HTTP header must consist of alphanumeric characters or '-'", _HEADER_FORMAT, "X-Header-Name")
    ]


def percent(text: str) -> list[str]:
    if _percent(text):
        return []
    said = "a valid percent string must be a numeric string followed by an ending '%'"
    return [shape(said, _PERCENT_FORMAT, "1%", "93%")]


def http_path(text: str) -> list[str]:
    return [] if _http_path(text) else [shape("Invalid path", _HTTP_PATH_FORMAT)]


def port_number(port: int) -> list[str]:
    return [] if 0 < port < 65536 else [out_of_range(1, 65535)]  # noqa: PLR2004 - ports have 16 bits


def port_name(text: str) -> list[str]:
    faults = _length_faults(text, _PORT_NAME_BYTES)
    if not _port_name(text):
        faults.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _letter(text):
        faults.append("must contain at least one letter (a-z)")
    if "--" in text:
        faults.append("must not contain consecutive hyphens")
    if text and (text[0] == "-" or text[-1] == "-"):
        faults.append("must not begin or end with a hyphen")
    return faults


def subdomain_name(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - NameFaults
    return dns_subdomain(_masked(name) if prefix else name)


def label_name(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - NameFaults
    return dns_label(_masked(name) if prefix else name)


def label_1035_name(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - NameFaults
    return dns_1035_label(_masked(name) if prefix else name)


def path_segment_name(name: str, prefix: bool) -> list[str]:  # noqa: FBT001 - NameFaults
    return path_segment_prefix(name) if prefix else path_segment(name)


def rbac_name(name: str, prefix: bool) -> list[str]:  # noqa: ARG001, FBT001 - NameFaults; roles do not look whether it is one
    return path_segment(name)


_NAMES: Final[dict[tuple[str, str], NameFaults]] = {
    ("", "Event"): path_segment_name,
    ("", "Namespace"): label_name,
    ("", "Service"): label_1035_name,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): path_segment_name,
    ("apiregistration.k8s.io", "APIService"): path_segment_name,
    ("apps", "StatefulSet"): label_name,
    ("certificates.k8s.io", "CertificateSigningRequest"): path_segment_name,
    ("events.k8s.io", "Event"): path_segment_name,
    ("networking.k8s.io", "IPAddress"): path_segment_name,
    ("rbac.authorization.k8s.io", "ClusterRole"): rbac_name,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): rbac_name,
    ("rbac.authorization.k8s.io", "Role"): rbac_name,
    ("rbac.authorization.k8s.io", "RoleBinding"): rbac_name,
}
"""Kinds whose names are not subdomains. Those that must say more (as CRDs do) say it themselves."""


def name_faults(group: str, kind: str) -> NameFaults:
    """How objects of a built-in kind may be named."""
    return _NAMES.get((group, kind), subdomain_name)


def _length_faults(text: str, limit: int) -> list[str]:
    return [too_long(limit)] if byte_count(text) > limit else []


def _parent_faults(text: str) -> list[str]:
    if text in {".", ".."}:
        return [f"must not be '{text}'"]
    return ["must not start with '..'"] if text.startswith("..") else []


def _masked(name: str) -> str:
    """*name* as it will be with a suffix: a dash at its end is none then."""
    return f"{name[:-2]}a" if len(name) > 1 and name[-1] == "-" else name
