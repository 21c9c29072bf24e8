"""The formats that `format.named()` knows, and what is wrong with texts that do not have them."""

from collections.abc import Callable, Mapping
from typing import Final

from plumbline.apiserver.cel.textformats import has_format
from plumbline.apiserver.cel.urls import parse_request_uri
from plumbline.apiserver.cel.values import NamedFormat
from plumbline.apiserver.validation.names import (
    label_1035_name,
    label_name,
    label_value,
    qualified_name,
    subdomain_name,
)
from plumbline.base.errors import InvalidInput


def _uri(text: str) -> list[str]:
    try:
        parse_request_uri(text)
    except InvalidInput as bad:
        return [bad.what]
    return []


def _schema_format(name: str, fault: str) -> Callable[[str], list[str]]:
    def faults(text: str) -> list[str]:
        return [] if has_format(text, name) else [fault]

    return faults


FORMATS: Final[Mapping[str, NamedFormat]] = {
    "dns1123Label": NamedFormat("DNS1123Label", lambda text: label_name(text, False), 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", lambda text: subdomain_name(text, False), 60),
    "dns1035Label": NamedFormat("DNS1035Label", lambda text: label_1035_name(text, False), 30),
    "qualifiedName": NamedFormat("QualifiedName", qualified_name, 60),
    "dns1123LabelPrefix": NamedFormat("DNS1123LabelPrefix", lambda text: label_name(text, True), 30),
    "dns1123SubdomainPrefix": NamedFormat("DNS1123SubdomainPrefix", lambda text: subdomain_name(text, True), 60),
    "dns1035LabelPrefix": NamedFormat("DNS1035LabelPrefix", lambda text: label_1035_name(text, True), 30),
    "labelValue": NamedFormat("LabelValue", label_value, 40),
    "uri": NamedFormat("URI", _uri, 1103),
    "uuid": NamedFormat("uuid", _schema_format("uuid", "does not match the UUID format"), 70),
    "byte": NamedFormat("byte", _schema_format("byte", "invalid base64"), 84),
    "date": NamedFormat("date", _schema_format("date", "invalid date"), 71),
    "datetime": NamedFormat("datetime", _schema_format("datetime", "invalid datetime"), 71),
}
