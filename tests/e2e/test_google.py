"""Cloud SQL, on a server that holds every request against Google's own description."""

import pytest

from .company import SEEDED, Company, condition, ready, seeded_claim
from .vendors import SEED_003, TOKEN, google_config, vendor

pytestmark = pytest.mark.conformance


@pytest.fixture(scope="module")
def google():
    with vendor("gcp") as cloud:
        yield cloud


@pytest.fixture(scope="module")
def company(installation, shop, google):
    """A managed resource is delivered before anybody says how Google is reached; it waits, and says for what."""
    place = Company(installation, shop)
    place.deliver("google", SEED_003)
    synced = installation.until(lambda: condition(place.live(SEED_003), "Synced"))
    assert synced["status"] == "False"
    assert "ProviderConfig" in synced["message"]
    installation.apply(TOKEN, google_config(google.url))
    return place


def test_a_managed_resource_of_an_older_version_is_made_as_it_is_written(company):
    company.installation.until(lambda: ready(company.live(SEED_003)))
    found = company.live(SEED_003)["status"]["atProvider"]
    assert found["connectionName"] == "myproject:us-central1:production-postgres"
    assert found["privateIpAddress"]


def test_the_seeded_claim_is_a_cloud_sql_with_the_other_composition(company):
    company.offer()
    company.deliver("swapped", seeded_claim("swapped", compositionSelector={"matchLabels": {"provider": "gcp"}}))
    company.installation.until(lambda: ready(company.claim("swapped", SEEDED)))
    (instance,) = company.managed("sql.gcp.upbound.io/v1beta2", "databaseinstances", claim_namespace="swapped")
    wanted = instance["spec"]["forProvider"]
    assert wanted["databaseVersion"] == "POSTGRES_17"
    assert wanted["settings"]["availabilityType"] == "REGIONAL"
    assert wanted["settings"]["backupConfiguration"]["startTime"] == "03:00"
    secret = company.secret("swapped", f"{SEEDED}-credentials")
    assert secret.keys() == {"endpoint", "port", "username", "password", "database"}
    assert (secret["username"], secret["database"], secret["port"]) == ("app", "app", "5432")
    assert len(secret["password"]) == 32
    assert secret["password"] not in company.installation.log
    company.deliver("swapped", TOKEN | {"metadata": {"name": "unrelated"}})
    company.installation.until(
        lambda: not company.managed("sql.gcp.upbound.io/v1beta2", "databaseinstances", claim_namespace="swapped")
    )
