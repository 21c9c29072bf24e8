"""Google and Azure on the real API server: the same claim, with another composition, and managed resources as they are written.

Those that delete come last: kube-controller-manager hears of new kinds every 30 s, and nothing of theirs is collected before.
"""

import socket

import pytest
from tests.e2e.company import SEEDED, condition, ready, seeded_claim
from tests.e2e.vendors import CREDENTIALS, PRINCIPAL, SEED_003, TOKEN, azure_config, google_config, vendor

from plumbline.base.json import encode

from .stage import provider
from .test_on_a_real_server import SECRET

pytestmark = pytest.mark.conformance

PACKAGES = ("gcp-sql", "azure-dbforpostgresql", "family-gcp", "family-azure")
INSTANCES = "/apis/sql.gcp.upbound.io/v1beta1/databaseinstances"
WRITTEN = "projects/myproject/instances/production-postgres"
GOOGLE, AZURE = "on-google", "on-azure"
SLOWLY_S = 180.0
"""Azure asks not to be asked again for twelve seconds, once for each of the three things that a claim becomes."""


@pytest.fixture(scope="module")
def google():
    with vendor("gcp") as cloud:
        yield cloud


@pytest.fixture(scope="module")
def azure():
    with vendor("azure") as cloud:
        yield cloud


@pytest.fixture(scope="module")
def endpoints(google, azure):
    return google.url, azure.url


@pytest.fixture(scope="module")
def clouds(stage, google, azure):
    """The stage, with both clouds configured and a claim on each."""
    stage.apply(*(provider(f"provider-{each}") for each in PACKAGES))
    names = [f"provider.pkg.crossplane.io/provider-{each}" for each in PACKAGES]
    stage.kubectl("wait", *names, "--for=condition=Healthy", "--timeout=60s")
    stage.apply(TOKEN, google_config(google.url), CREDENTIALS, azure_config(azure.url))
    for team, composition in ((GOOGLE, "gcp"), (AZURE, "azure")):
        stage.namespace(team)
        stage.apply(seeded_claim(team, compositionSelector={"matchLabels": {"provider": composition}}))
    return stage


def connected(stage, team):
    """The Secret of the team, once its claim is ready."""
    stage.until(lambda: ready(stage.claim(team, SEEDED)), within_s=SLOWLY_S)
    secret = stage.until(lambda: stage.secret(team, SECRET))
    assert secret.keys() == {"endpoint", "port", "username", "password", "database"}
    assert (secret["username"], secret["database"], secret["port"]) == ("app", "app", "5432")
    return secret


def kept(stage):
    """Names of the Secrets that composing has left."""
    return [each["metadata"]["name"] for each in stage.live("/api/v1/namespaces/crossplane-system/secrets")["items"]]


def test_credentials_are_not_sent_to_a_server_that_nobody_has_allowed(clouds):
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.settimeout(0)
        address = f"http://127.0.0.1:{elsewhere.getsockname()[1]}"
        spec = {**SEED_003["spec"], "providerConfigRef": {"name": "elsewhere"}}
        clouds.apply(
            google_config(address, "elsewhere"), {**SEED_003, "metadata": {"name": "led-astray"}, "spec": spec}
        )
        synced = clouds.until(lambda: condition(clouds.live(f"{INSTANCES}/led-astray"), "Synced"))
        assert synced["status"] == "False"
        assert f"would send its credentials to {address}, which is not allowed" in synced["message"]
        with pytest.raises(BlockingIOError):
            elsewhere.accept()


def test_a_managed_resource_is_made_as_it_is_written(clouds, google):
    clouds.apply(SEED_003)
    clouds.kubectl("wait", "databaseinstance.sql.gcp.upbound.io", "production-postgres", "--for=condition=Ready", "--timeout=60s")  # fmt: skip
    made = google.resources[WRITTEN]
    assert (made["databaseVersion"], made["region"]) == ("POSTGRES_15", "us-central1")
    asked = {"tier": "db-custom-2-8192", "dataDiskSizeGb": "50"}
    assert {key: made["settings"][key] for key in asked} == asked
    network = "projects/myproject/global/networks/production-vpc"
    assert {"ipv4Enabled": False, "privateNetwork": network}.items() <= made["settings"]["ipConfiguration"].items()
    found = clouds.live(f"{INSTANCES}/production-postgres")["status"]["atProvider"]
    assert found["connectionName"] == "myproject:us-central1:production-postgres"


def test_a_claim_becomes_a_cloud_sql(clouds, google):
    secret = connected(clouds, GOOGLE)
    (instance,) = clouds.composed("databaseinstances", GOOGLE, "sql.gcp.upbound.io/v1beta2")
    made = google.resources[
        f"projects/myproject/instances/{instance['metadata']['annotations']['crossplane.io/external-name']}"
    ]
    assert made["databaseVersion"] == "POSTGRES_17"
    asked = {"tier": "db-custom-2-15360", "dataDiskSizeGb": "100", "availabilityType": "REGIONAL"}
    assert {key: made["settings"][key] for key in asked} == asked
    assert secret["endpoint"] in [each["ipAddress"] for each in made["ipAddresses"]]
    assert len(secret["password"]) == 32
    assert secret["password"] not in clouds.log


def test_a_claim_becomes_a_flexible_server(clouds, azure):
    secret = connected(clouds, AZURE)
    server = azure.only("flexibleServers")
    assert server["sku"] == {"name": "Standard_D2ds_v5", "tier": "GeneralPurpose"}
    assert (server["properties"]["version"], server["properties"]["storage"]["storageSizeGB"]) == ("17", 128)
    assert secret["endpoint"] == server["properties"]["fullyQualifiedDomainName"]
    assert azure.only("databases")["name"] == "app"
    assert sorted(azure.writes) == ["PUT databases", "PUT groups", "PUT servers"], "one request for each"
    events = encode(clouds.live("/api/v1/events")).decode()
    for hidden in (secret["password"], PRINCIPAL["clientSecret"]):
        assert hidden not in clouds.log
        assert hidden not in events


def test_claims_take_all_of_it_when_they_go(clouds, google, azure):
    for team in (GOOGLE, AZURE):
        clouds.kubectl("delete", "postgresqlinstance", SEEDED, "-n", team, "--wait=false")
    clouds.until(lambda: clouds.claim(GOOGLE, SEEDED) is None, within_s=SLOWLY_S)
    clouds.until(lambda: google.resources.keys() <= {WRITTEN}, within_s=SLOWLY_S)
    clouds.until(lambda: clouds.claim(AZURE, SEEDED) is None, within_s=SLOWLY_S)
    clouds.until(lambda: not azure.resources, within_s=SLOWLY_S)
    for team in (GOOGLE, AZURE):
        clouds.until(lambda team=team: not clouds.secret(team, SECRET))
    clouds.until(lambda: kept(clouds) == ["aws"])


def test_a_managed_resource_goes_once_nothing_protects_it(clouds, google):
    clouds.kubectl("delete", "databaseinstance.sql.gcp.upbound.io", "production-postgres", "--wait=false")
    told = clouds.until(lambda: condition(clouds.live(f"{INSTANCES}/production-postgres"), "Synced").get("message"))
    assert "deletionProtection" in told
    assert google.resources.keys() == {WRITTEN}
    unprotected = encode({"spec": {"forProvider": {"deletionProtection": False}}}).decode()
    clouds.kubectl("patch", "databaseinstance.sql.gcp.upbound.io", "production-postgres", "--type=merge", "-p", unprotected)  # fmt: skip
    clouds.until(lambda: clouds.live(f"{INSTANCES}/production-postgres") is None, within_s=SLOWLY_S)
    assert google.resources == {}
