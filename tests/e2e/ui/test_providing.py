"""What a platform gives: logs, clouds, plans and secrets, in the browser."""

import base64
import re
import urllib.request
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from plumbline.base.documents import load_documents
from plumbline.base.json import decode, encode

from .browsing import hard_to_use

pytestmark = pytest.mark.conformance

APP = "/applications/argocd/order-service"
FOUNDATION = "/apis/infra.contrib.fluxcd.io/v1alpha2/namespaces/terraform-system/terraforms/foundation"
CLAIMS = "/apis/messaging.company.io/v1/namespaces/commerce/queues"
REFUSAL = "You have reached the quota of queues of this account"
VALUE = "correct horse battery staple"


def well(house, name):
    return (house.app(name) or {}).get("status", {}).get("health", {}).get("status") == "Healthy"


def counted(page):
    """The lines that are said to be there."""
    said = re.search(r"([\d,]+) lines?", page.get_by_role("status").filter(has_text="line").first.inner_text())
    return int(said[1].replace(",", ""))


def test_logs_go_on_by_themselves_and_stop_when_asked(sample, newcomer):
    sample.until(lambda: well(sample, "order-service"))
    page = newcomer.visit(f"{APP}?tab=logs")
    expect(page.get_by_text("Following as the pods print.")).to_be_visible()
    page.evaluate("() => { window.untouched = true; }")
    first = page.get_by_role("log").get_by_text("order accepted")
    expect(first.first).to_be_visible()
    before = counted(page)
    expect(page.get_by_text(re.compile(rf"\b{before:,} lines?\b"))).to_have_count(0)
    assert counted(page) > before
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Paused.")).to_be_visible()
    held = counted(page)
    goes_on = page.get_by_role("button", name=re.compile(r"Go on: \d+ new"))
    expect(goes_on).to_be_visible()
    assert counted(page) == held
    assert hard_to_use(page) == {}
    goes_on.click()
    expect(page.get_by_text("Following as the pods print.")).to_be_visible()
    assert counted(page) > held
    assert page.evaluate("() => window.untouched")


@contextmanager
def refused(house, **fault):
    """The simulated AWS says no to one call, for as long as this lasts."""
    said = [{"effect": "error", "status": 403, "times": None, **fault}]
    for method, body in (("POST", encode(said)), ("DELETE", None)):
        request = urllib.request.Request(f"{house.sandbox}/_sandbox/faults", body, method=method)  # noqa: S310 - loopback
        urllib.request.urlopen(request, timeout=30).close()  # noqa: S310 - same
        if method == "POST":
            yield


def test_a_claim_leads_to_what_the_cloud_calls_it_and_to_what_the_cloud_says(sample, newcomer):
    sample.until(lambda: well(sample, "order-service"))
    page = newcomer.visit("/infra/messaging.company.io/Queue/commerce/order-events")
    tree = page.get_by_role("tree", name="What order-events is made of")
    queue = sample.until(lambda: made(sample, "order-events"))
    item = tree.get_by_role("treeitem").filter(has_text=queue["metadata"]["name"])
    expect(item.get_by_text(queue["metadata"]["annotations"]["crossplane.io/external-name"])).to_be_visible()
    item.click()
    expect(
        page.get_by_role("region", name=f"Details of {queue['metadata']['name']}").get_by_text("simulated")
    ).to_be_visible()

    claim = {
        "apiVersion": "messaging.company.io/v1",
        "kind": "Queue",
        "metadata": {"name": "refunds", "namespace": "commerce"},
        "spec": {"parameters": {"retentionDays": 7}, "writeConnectionSecretToRef": {"name": "refunds"}},
    }
    with refused(sample, service="sqs", operation="CreateQueue", code="OverLimit", message=REFUSAL):
        sample.apply(claim)
        page.goto("/infra?q=name:refunds")
        row = page.get_by_role("row").filter(has_text="refunds")
        expect(row.get_by_text(REFUSAL)).to_be_visible()
        row.get_by_role("link", name="refunds").click()
        expect(page.get_by_role("region", name="Cause").get_by_text(REFUSAL)).to_be_visible()
        expect(page.get_by_text("Failing").first).to_be_visible()
        failing = page.get_by_role("treeitem", selected=True)
        expect(failing.get_by_text("in the cloud")).to_be_visible()
        expect(failing.get_by_text(REFUSAL)).to_be_visible()
        assert hard_to_use(page) == {}
    sample.delete(f"{CLAIMS}/refunds")


def made(house, claim):
    """A queue in the cloud that a claim led to, once the cloud has it."""
    found = (house.live("/apis/sqs.aws.upbound.io/v1beta1/queues") or {}).get("items", ())
    of = [each for each in found if each["metadata"]["labels"].get("crossplane.io/claim-name") == claim]
    return next((each for each in of if "crossplane.io/external-name" in each["metadata"].get("annotations", {})), None)


def test_a_plan_that_was_read_is_approved_by_its_digest_and_applied(sample, newcomer):
    waiting = sample.until(
        lambda: (sample.live(FOUNDATION) or {}).get("status", {}).get("plan", {}).get("pending"), within_s=90
    )
    page = newcomer.visit("/terraform?q=state:waiting")
    page.get_by_role("link", name="foundation").click()
    plan = page.get_by_role("region", name="The plan that waits")
    digest = plan.get_by_text(re.compile(r"^[0-9a-f]{64}$")).inner_text()
    expect(plan.get_by_text(waiting)).to_be_visible()
    plan.get_by_role("button", name="Approve…").click()
    asked = page.get_by_role("dialog", name=f"Approve plan {digest[:12]}")
    asked.get_by_label("Comment").fill("looks as it should")
    assert hard_to_use(page) == {}
    with page.expect_request(re.compile(r"/foundation/approve$")) as sent:
        asked.get_by_role("button", name="Approve this plan").click()
    assert sent.value.post_data_json["digest"] == digest
    expect(page.get_by_text("Applied", exact=True).first).to_be_visible(timeout=45_000)
    told = page.get_by_role("region", name="What happened")
    expect(told.get_by_text("looks as it should")).to_be_visible()
    expect(told.get_by_role("listitem").filter(has_text="looks as it should").get_by_text("admin")).to_be_visible()
    expect(page.get_by_role("region", name="About the object").get_by_text("cluster_endpoint")).to_be_visible()
    assert hard_to_use(page) == {}


def test_a_secret_is_sealed_in_the_page_and_opens_in_the_cluster(sample, newcomer):
    sent = []
    newcomer.context.on("request", lambda request: sent.append(f"{request.url} {request.headers} {request.post_data}"))
    page = newcomer.visit("/secrets/seal")
    page.get_by_label("Namespace", exact=True).fill("commerce")
    page.get_by_label("Name", exact=True).fill("mail")
    page.get_by_label("Key 1").fill("password")
    page.get_by_label("Value 1").fill(VALUE)
    page.get_by_role("button", name="Seal", exact=True).click()
    result = page.get_by_role("region", name="What was sealed")
    expect(result.get_by_role("heading", name="1 value sealed")).to_be_focused()
    expect(page.get_by_label("Value 1")).to_have_value("")
    assert hard_to_use(page) == {}
    yaml = result.locator("pre").inner_text()
    (document,) = load_documents(yaml, source="the page")
    sample.apply(decode(encode(document.value)))
    secret = sample.until(lambda: sample.live("/api/v1/namespaces/commerce/secrets/mail"))
    assert base64.b64decode(secret["data"]["password"]).decode() == VALUE
    page.goto("/secrets?q=name:mail")
    expect(page.get_by_role("row").filter(has_text="mail").get_by_text("In place")).to_be_visible()
    assert sent
    hidden = (VALUE, base64.b64encode(VALUE.encode()).decode(), VALUE.replace(" ", "%20"), VALUE.replace(" ", "+"))
    assert [each for each in sent if any(form in each for form in hidden)] == []
