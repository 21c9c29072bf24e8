"""The foundation of the examples, pushed and applied as its README says: environments, policies, and whoever uses its outputs."""

import pytest
from tests.conformance.terraform.estate import condition, embedded
from tests.terraform.test_foundation_example import FOUNDATION

pytestmark = pytest.mark.conformance

FORGE = "https://github.com/company/infrastructure"
STAGING, PRODUCTION = "foundation-staging", "foundation-production"


@pytest.fixture(scope="module")
def estate(tool, tmp_path_factory):
    with embedded(tool, tmp_path_factory.mktemp(f"foundation-{tool}")) as made:
        made.installation.stand_for("infrastructure", FORGE)
        made.copy(FOUNDATION)
        for name in ("source", "policy", "staging", "production", "application"):
            said = made.installation.kubectl("apply", "-f", str(FOUNDATION / "manifests" / f"{name}.yaml"))
            assert said.code == 0, said.err
        yield made


def test_staging_is_applied_and_the_application_is_told_where_it_runs(estate):
    estate.told("Ready", "True", "", STAGING)
    outputs = estate.secret(f"{STAGING}-outputs")
    told = estate.until(lambda: estate.installation.config_map("ingress", "ingress"), "the chart has its values")
    assert told["data"]["vpc"] == outputs["vpc_id"].decode()
    assert len(told["data"]["subnets"].split(",")) == 2
    public = estate.installation.config_map(STAGING, "terraform-system")
    assert public["data"]["cluster_endpoint"] == told["data"]["cluster"]


def test_production_waits_for_two_people(estate):
    obj = estate.told("Ready", "Unknown", "waits", PRODUCTION)
    message = condition(obj, "Ready")["message"]
    assert "31 to add" in message
    assert "2 approvals missing" in message
    assert not estate.state(PRODUCTION).get("resources")


def test_another_zone_is_stopped_first_by_the_guard_and_then_by_its_absence(estate):
    estate.told("Ready", "True", "", STAGING)
    before = estate.state(STAGING)
    variables = (FOUNDATION / "environments/staging/terraform.tfvars").read_text()
    estate.push({"environments/staging/terraform.tfvars": variables.replace("staging.shop.", "test.shop.")})
    estate.told("Ready", "False", "prevent_destroy", STAGING)
    zone = (FOUNDATION / "modules/dns/main.tf").read_text()
    assert "prevent_destroy = true" in zone
    estate.push({"modules/dns/main.tf": zone.replace("prevent_destroy = true", "")})
    obj = estate.told("Ready", "Unknown", "prevent_destroy", STAGING)
    assert "module.dns.terraform_data.zone" in condition(obj, "Ready")["message"]
    assert estate.state(STAGING) == before
