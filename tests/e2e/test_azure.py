"""PostgreSQL on Azure, on a server that holds every request against Azure's own description."""

import pytest
from tests.providers.azure.vendor.identity import SECRET

from plumbline.base.json import decode, encode

from .company import SEEDED, Company, ready, seeded_claim
from .installation import config_map
from .vendors import CREDENTIALS, azure_config, vendor

pytestmark = pytest.mark.conformance

TEAM = "on-azure"
SYSTEM = "crossplane-system"
GROUPS = "azure.upbound.io/v1beta1", "resourcegroups"
SERVERS = "dbforpostgresql.azure.upbound.io/v1beta2", "flexibleservers"
SLOWLY_S = 120.0
"""The vendor asks not to be asked again for twelve seconds, once for each of the three things that a claim becomes."""
UNRELATED = decode(config_map("unrelated"))


@pytest.fixture(scope="module")
def azure():
    with vendor("azure") as cloud:
        yield cloud


@pytest.fixture(scope="module")
def company(installation, shop, azure):
    place = Company(installation, shop)
    place.offer()
    place.deliver(TEAM, _claim(), UNRELATED)
    installation.until(lambda: place.managed(*SERVERS, claim_namespace=TEAM))
    installation.apply(CREDENTIALS, azure_config(azure.url))
    installation.until(lambda: ready(place.claim(TEAM, SEEDED)), within_s=SLOWLY_S)
    return place


def _claim(**parameters):
    claim = seeded_claim(TEAM, compositionSelector={"matchLabels": {"provider": "azure"}})
    claim["spec"]["parameters"] |= parameters
    return claim


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
