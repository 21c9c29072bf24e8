"""Cloud SQL, on a server that holds every request against Google's own description."""

import subprocess
import sys
from pathlib import Path

import pytest

from .company import SEEDED, Company, condition, ready, seeded_claim

pytestmark = pytest.mark.conformance

ROOT = Path(__file__).parents[2]
GROUP = "/apis/sql.gcp.upbound.io"
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


@pytest.fixture(scope="module")
def google():
    """The address of the vendor's cloud, in a process of its own."""
    argv = [sys.executable, "-m", "tests.providers.gcp.vendor", "--port", "0", "--takes", "0.5"]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.terminate()


def config(address):
    return {
        "apiVersion": "gcp.upbound.io/v1beta1",
        "kind": "ProviderConfig",
        "metadata": {"name": "default", "annotations": {"plumbline.dev/endpoint": address}},
        "spec": {
            "projectID": "myproject",
            "credentials": {
                "source": "AccessToken",
                "secretRef": {"namespace": "default", "name": "gcp", "key": "token"},
            },
        },
    }


@pytest.fixture(scope="module")
def company(installation, shop, google):
    """A managed resource is delivered before anybody says how Google is reached; it waits, and says for what."""
    place = Company(installation, shop)
    place.deliver("google", SEED_003)
    synced = installation.until(lambda: condition(place.live(SEED_003), "Synced"))
    assert synced["status"] == "False"
    assert "ProviderConfig" in synced["message"]
    installation.apply(TOKEN, config(google))
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
