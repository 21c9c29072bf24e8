"""Where calls to AWS go: to AWS, unless whoever starts this program says otherwise."""

from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput, Refused
from plumbline.managed.endpoints import FLAG, NO_OTHERS, Endpoints, parsed

_VARIABLES: Final = {
    "secretsmanager": ("AWS_SECRETSMANAGER_ENDPOINT", "AWS_ENDPOINT_URL_SECRETS_MANAGER", "AWS_ENDPOINT_URL"),
    "ssm": ("AWS_SSM_ENDPOINT", "AWS_ENDPOINT_URL_SSM", "AWS_ENDPOINT_URL"),
    "sts": ("AWS_STS_ENDPOINT", "AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"),
}
"""Upstream's names first, then those of AWS's own tools."""


class Places(msgspec.Struct, frozen=True):
    said: Mapping[str, str] = {}
    """Addresses by service."""
    endpoints: Endpoints = NO_OTHERS
    """Those that are allowed; an address that is not among them is refused, whoever said it."""

    @classmethod
    def of(cls, environment: Mapping[str, str], endpoints: Endpoints = NO_OTHERS) -> "Places":
        """As the variables of this process say."""
        found = {
            service: next((environment[name] for name in names if environment.get(name)), "")
            for service, names in _VARIABLES.items()
        }
        return cls({service: address for service, address in found.items() if address}, endpoints)

    def address(self, service: str) -> str | None:
        """None for AWS's own. Raises Refused for one that is not allowed."""
        said = self.said.get(service)
        if not said:
            return None
        what = f"Stores in AWS cannot use another server for {service}"
        try:
            read = parsed(said)
        except InvalidInput as odd:
            raise Refused(
                what, why=f"What {_VARIABLES[service][0]} says is no address: {odd.why}", hint=odd.hint
            ) from None
        origin = read.origin
        if origin in self.endpoints.named or (self.endpoints.loopback and origin.loopback):
            return str(read)
        raise Refused(
            what, why=f"Credentials would go to {origin}, which is not allowed", hint=f"Start with {FLAG} {origin}."
        )
