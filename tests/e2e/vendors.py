"""Google and Azure as processes that hold every request against their own descriptions, and what it takes to be let in."""

import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.providers.azure.vendor.identity import CLIENT, SECRET, SUBSCRIPTION, TENANT

from plumbline.base.json import Json, JsonObject, decode, encode

ROOT = Path(__file__).parents[2]
ENDPOINT = "plumbline.dev/endpoint"
PROJECT = "myproject"
SEED_003 = {
    "apiVersion": "sql.gcp.upbound.io/v1beta1",
    "kind": "DatabaseInstance",
    "metadata": {"name": "production-postgres"},
    "spec": {
        "forProvider": {
            "databaseVersion": "POSTGRES_15",
            "region": "us-central1",
            "settings": [
                {
                    "tier": "db-custom-2-8192",
                    "diskSize": 50,
                    "ipConfiguration": [
                        {
                            "ipv4Enabled": False,
                            "privateNetwork": "projects/myproject/global/networks/production-vpc",
                        }
                    ],
                }
            ],
        }
    },
}
TOKEN = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "gcp", "namespace": "default"},
    "stringData": {"token": "vendor-token"},
}
PRINCIPAL = {"clientId": CLIENT, "clientSecret": SECRET, "tenantId": TENANT, "subscriptionId": SUBSCRIPTION}
CREDENTIALS = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "azure", "namespace": "default"},
    "stringData": {"credentials": encode(PRINCIPAL).decode()},
}


class Vendor:
    """A vendor's cloud, asked past the program under test."""

    def __init__(self, url: str) -> None:
        self.url = url

    @property
    def resources(self) -> dict[str, JsonObject]:
        """All that anybody has made, by id."""
        return self._told("resources")

    @property
    def calls(self) -> list[tuple[str, int]]:
        """Methods that were called, such as `PUT servers`, with the status of the answer."""
        return [(method, status) for method, status in self._told("calls")]

    @property
    def writes(self) -> list[str]:
        """What was changed, in the order that it was asked for in. Of Azure only: Google's methods have no verb in their names."""
        return [method for method, status in self.calls if not method.startswith("GET ") and status < 300]

    def only(self, type_: str) -> JsonObject:
        (found,) = (each for each in self.resources.values() if each["type"].endswith(f"/{type_}"))
        return found

    def _told(self, what: str) -> Json:
        with urllib.request.urlopen(f"{self.url}/_vendor", timeout=60) as answer:  # noqa: S310 - on loopback
            return decode(answer.read())[what]


@contextmanager
def vendor(name: str) -> Iterator[Vendor]:
    """In a process of its own; nothing is answered without a token."""
    argv = [sys.executable, "-m", f"tests.providers.{name}.vendor", "--port", "0", "--takes", "0.5", "--closed"]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield Vendor(f"http://127.0.0.1:{process.stdout.readline().strip()}")
        finally:
            process.terminate()


def google_config(address: str, name: str = "default") -> JsonObject:
    spec = {"projectID": PROJECT, "credentials": {"source": "AccessToken", "secretRef": _key("gcp", "token")}}
    return _config("gcp", address, name, spec)


def azure_config(address: str, name: str = "default") -> JsonObject:
    return _config(
        "azure", address, name, {"credentials": {"source": "Secret", "secretRef": _key("azure", "credentials")}}
    )


def _config(cloud: str, address: str, name: str, spec: JsonObject) -> JsonObject:
    return {
        "apiVersion": f"{cloud}.upbound.io/v1beta1",
        "kind": "ProviderConfig",
        "metadata": {"name": name, "annotations": {ENDPOINT: address}},
        "spec": spec,
    }


def _key(name: str, key: str) -> JsonObject:
    return {"namespace": "default", "name": name, "key": key}
