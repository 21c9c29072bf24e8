"""How a CRD says that its objects are to be converted."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.cel.urls import parse_url
from plumbline.apiserver.crds.definitions.bundles import readable_ca_bundle
from plumbline.apiserver.crds.definitions.options import REVIEW_VERSIONS, Options
from plumbline.apiserver.crds.definitions.reading import mapping, sequence, text
from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.names import dns_1035_label, dns_subdomain, port_number
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject

_FORM: Final = "; desired format: https://host[/path]"
_HTTPS_PORT: Final = 443


def conversion_errors(conversion: Json, path: str, options: Options) -> Iterator[FieldError]:
    if not isinstance(conversion, dict):
        return
    strategy = text(conversion, "strategy")
    if not strategy:
        yield required(f"{path}.strategy")
    elif strategy not in {"None", "Webhook"}:
        yield not_supported(f"{path}.strategy", strategy, ("None", "Webhook"))
    webhook = mapping(conversion.get("webhook"))
    client, reviews = webhook.get("clientConfig"), webhook.get("conversionReviewVersions")
    if strategy != "Webhook":
        said = "should not be set when strategy is not set to Webhook"
        if client is not None:
            yield forbidden(f"{path}.webhookClientConfig", said)
        if sequence(reviews):
            yield forbidden(f"{path}.conversionReviewVersions", said)
        return
    if not isinstance(client, dict):
        yield required(f"{path}.webhookClientConfig", "required when strategy is set to Webhook")
    else:
        yield from _client_errors(client, f"{path}.webhookClientConfig", options)
    yield from _review_errors(sequence(reviews), f"{path}.conversionReviewVersions", options)


def _client_errors(client: JsonObject, path: str, options: Options) -> Iterator[FieldError]:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from url_errors(str(url), f"{path}.url")
    else:
        yield from service_errors(mapping(service), f"{path}.service")
    bundle = client.get("caBundle")
    if isinstance(bundle, str) and bundle and not options.any_ca_bundle and not readable_ca_bundle(bundle):
        said = "unable to load root certificates: unable to parse bytes as PEM block"
        yield invalid(f"{path}.caBundle", bundle, said)


def url_errors(url: str, path: str) -> Iterator[FieldError]:
    try:
        read = parse_url(url)
    except InvalidInput as bad:
        yield required(path, f"url must be a valid URL: {bad.what}{_FORM}")
        return
    if read.scheme != "https":
        yield invalid(path, read.scheme, f"'https' is the only allowed URL scheme{_FORM}")
    if not read.host:
        yield invalid(path, read.host, f"host must be specified{_FORM}")
    if read.userinfo:
        yield invalid(path, read.userinfo, "user information is not permitted in the URL")
    if read.fragment:
        yield invalid(path, read.fragment, "fragments are not permitted in the URL")
    if read.query:
        yield invalid(path, read.query, "query parameters are not permitted in the URL")


def service_errors(service: JsonObject, path: str) -> Iterator[FieldError]:
    # The server takes the one for the other here.
    if not text(service, "namespace"):
        yield required(f"{path}.name")
    if not text(service, "name"):
        yield required(f"{path}.namespace")
    port = service.get("port", _HTTPS_PORT)
    faults = port_number(port) if isinstance(port, int) else ["must be a number"]
    if faults:
        yield invalid(f"{path}.port", port, f"port is not valid: {', '.join(faults)}")
    written = text(service, "path")
    if written in {"", "/"}:
        return
    if written == "//":
        yield invalid(f"{path}.path", written, "segment[0] may not be empty")
        return
    if not written.startswith("/"):
        yield invalid(f"{path}.path", written, "must start with a '/'")
    for index, step in enumerate(written[1:].removesuffix("/").split("/")):
        if not step:
            yield invalid(f"{path}.path", written, f"segment[{index}] may not be empty")
        for fault in dns_subdomain(step) if step else ():
            yield invalid(f"{path}.path", written, f"segment[{index}]: {fault}")


def _review_errors(versions: list[Json], path: str, options: Options) -> Iterator[FieldError]:
    if not versions:
        yield required(path)
        return
    for index, version in enumerate(versions):
        if version in versions[:index]:
            yield invalid(f"{path}[{index}]", version, "duplicate version")
            continue
        for fault in dns_1035_label(str(version)):
            yield invalid(f"{path}[{index}]", version, fault)
    if options.known_reviews and not any(version in REVIEW_VERSIONS for version in versions):
        yield invalid(path, versions, f"must include at least one of {', '.join(REVIEW_VERSIONS)}")
