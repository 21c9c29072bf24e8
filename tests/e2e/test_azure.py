"""PostgreSQL on Azure, on a server that holds every request against Azure's own description."""

import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.providers.azure.vendor.identity import CLIENT, SECRET, SUBSCRIPTION, TENANT

from plumbline.base.json import decode, encode

from .company import SEEDED, Company, ready, seeded_claim
from .installation import config_map

pytestmark = pytest.mark.conformance

ROOT = Path(__file__).parents[2]
TEAM = "on-azure"
SYSTEM = "crossplane-system"
GROUPS = "azure.upbound.io/v1beta1", "resourcegroups"
SERVERS = "dbforpostgresql.azure.upbound.io/v1beta2", "flexibleservers"
SLOWLY_S = 120.0
"""The vendor asks not to be asked again for twelve seconds, once for each of the three things that a claim becomes."""
PRINCIPAL = {"clientId": CLIENT, "clientSecret": SECRET, "tenantId": TENANT, "subscriptionId": SUBSCRIPTION}
CREDENTIALS = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "azure", "namespace": "default"},
    "stringData": {"credentials": encode(PRINCIPAL).decode()},
}
UNRELATED = decode(config_map("unrelated"))


class Azure:
    """The vendor's cloud, asked past the program under test."""

    def __init__(self, url: str) -> None:
        self.url = url

    @property
    def resources(self):
        """All that anybody has made, by id."""
        return self._told("resources")

    @property
    def writes(self):
        """What was changed, such as `PUT servers`, in the order that it was asked for in."""
        return [method for method, status in self._told("calls") if not method.startswith("GET ") and status < 300]

    def _told(self, what):
        with urllib.request.urlopen(f"{self.url}/_vendor", timeout=60) as answer:  # noqa: S310 - on loopback
            return decode(answer.read())[what]

    def only(self, type_):
        (found,) = (each for each in self.resources.values() if each["type"].endswith(f"/{type_}"))
        return found


@pytest.fixture(scope="module")
def azure():
    """In a process of its own; nothing is answered without a token."""
    argv = [sys.executable, "-m", "tests.providers.azure.vendor", "--port", "0", "--takes", "0.5", "--closed"]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield Azure(f"http://127.0.0.1:{process.stdout.readline().strip()}")
        process.terminate()


@pytest.fixture(scope="module")
def company(installation, shop, azure):
    place = Company(installation, shop)
    place.offer()
    place.deliver(TEAM, _claim(), UNRELATED)
    installation.until(lambda: place.managed(*SERVERS, claim_namespace=TEAM))
    installation.apply(CREDENTIALS, _config(azure.url))
    installation.until(lambda: ready(place.claim(TEAM, SEEDED)), within_s=SLOWLY_S)
    return place


def _claim(**parameters):
    claim = seeded_claim(TEAM, compositionSelector={"matchLabels": {"provider": "azure"}})
    claim["spec"]["parameters"] |= parameters
    return claim


def _config(address):
    return {
        "apiVersion": "azure.upbound.io/v1beta1",
        "kind": "ProviderConfig",
        "metadata": {"name": "default", "annotations": {"plumbline.dev/endpoint": address}},
        "spec": {
            "credentials": {
                "source": "Secret",
                "secretRef": {"namespace": "default", "name": "azure", "key": "credentials"},
            },
        },
    }


def test_the_seeded_claim_is_a_flexible_server_as_it_was_asked_for(company, azure):
    server = azure.only("flexibleServers")
    assert server["sku"] == {"name": "Standard_D2ds_v5", "tier": "GeneralPurpose"}
    made = server["properties"]
    assert made["version"] == "17"
    assert made["storage"]["storageSizeGB"] == 128
    assert made["backup"]["backupRetentionDays"] == 30
    assert made["highAvailability"] == {"mode": "ZoneRedundant", "standbyAvailabilityZone": "2", "state": "Healthy"}
    assert (made["administratorLogin"], made["availabilityZone"]) == ("app", "1")
    assert azure.only("databases")["name"] == "app"
    assert azure.only("resourceGroups")["location"] == "westeurope"


def test_one_request_makes_each_of_the_three(company, azure):
    assert sorted(azure.writes) == ["PUT databases", "PUT groups", "PUT servers"]


def test_the_team_has_what_it_needs_to_connect(company, azure):
    secret = company.secret(TEAM, f"{SEEDED}-credentials")
    assert secret.keys() == {"endpoint", "port", "username", "password", "database"}
    assert secret["endpoint"] == azure.only("flexibleServers")["properties"]["fullyQualifiedDomainName"]
    assert (secret["username"], secret["database"], secret["port"]) == ("app", "app", "5432")
    assert len(secret["password"]) >= 16
    events = encode(company.installation.live("/api/v1/events")).decode()
    for hidden in (secret["password"], SECRET):
        assert hidden not in company.installation.log
        assert hidden not in events


def test_more_storage_is_the_next_disk_that_azure_has(company, azure):
    company.deliver(TEAM, _claim(storageGB=200), UNRELATED)

    def grown():
        made = azure.only("flexibleServers")["properties"]
        return made["storage"]["storageSizeGB"] == 256 and made["state"] == "Ready"

    company.installation.until(grown, within_s=SLOWLY_S)
    assert azure.writes.count("PATCH servers") == 1


def test_a_claim_that_is_no_longer_in_git_leaves_nothing_behind(company, azure):
    password = company.secret(TEAM, f"{SEEDED}-credentials")["password"]
    (server,) = company.managed(*SERVERS, claim_namespace=TEAM)
    generated = server["spec"]["forProvider"]["administratorPasswordSecretRef"]["name"]
    written = server["spec"]["writeConnectionSecretToRef"]["name"]
    assert company.secret(SYSTEM, generated)["password"] == company.secret(SYSTEM, written)["password"] == password
    company.deliver(TEAM, UNRELATED)
    company.installation.until(lambda: not azure.resources, within_s=SLOWLY_S)
    company.installation.until(lambda: not company.managed(*GROUPS, claim_namespace=TEAM), within_s=SLOWLY_S)
    assert company.claim(TEAM, SEEDED) is None
    assert not company.managed(*SERVERS, claim_namespace=TEAM)
    company.installation.until(lambda: not company.secret(TEAM, f"{SEEDED}-credentials"))
    company.installation.until(lambda: not (company.secret(SYSTEM, generated) or company.secret(SYSTEM, written)))
    assert password not in company.installation.log
