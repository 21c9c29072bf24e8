"""The cloud outlives the program: a control plane that is lost and made again from Git finds what it had."""

import asyncio
import shutil
import threading

import pytest

from plumbline.providers.sandbox import sandbox

from .cloud import Cloud
from .company import SEEDED, Company, ready, seeded_claim
from .installation import FORGE, Desk, Installation

pytestmark = pytest.mark.conformance

FAMILY = {
    "apiVersion": "pkg.crossplane.io/v1",
    "kind": "Provider",
    "metadata": {"name": "provider-family-aws"},
    "spec": {"package": "xpkg.upbound.io/upbound/provider-family-aws:v2.6.0"},
}
KEYS = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "aws", "namespace": "default"},
    "stringData": {"credentials": "[default]\naws_access_key_id = ours\naws_secret_access_key = ours\n"},
}


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A cloud of its own, which no installation starts or ends."""
    folder = tmp_path_factory.mktemp("elsewhere")
    started, ending = threading.Event(), threading.Event()
    address = []

    async def run():
        async with sandbox(folder) as running:
            address.append(running.url)
            started.set()
            await asyncio.to_thread(ending.wait)

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    started.wait()
    yield Cloud(address[0])
    ending.set()
    thread.join()


def config(cloud):
    services = ["ec2", "iam", "rds", "s3", "sqs", "sts"]
    return {
        "apiVersion": "aws.upbound.io/v1beta1",
        "kind": "ProviderConfig",
        "metadata": {"name": "default"},
        "spec": {
            "credentials": {
                "source": "Secret",
                "secretRef": {"namespace": "default", "name": "aws", "key": "credentials"},
            },
            "endpoint": {
                "services": services,
                "url": {"type": "Static", "static": cloud.url},
                "hostnameImmutable": True,
            },
            "skip_credentials_validation": True,
            "skip_requesting_account_id": True,
        },
    }


def founded(folder, cloud):
    """A platform on *folder*, with the Git repository that is in it, and *cloud* for its cloud."""
    place = Installation(folder / "data")
    place.start()
    place.apply(FAMILY)
    place.until(lambda: place.live("/apis/aws.upbound.io/v1beta1/providerconfigs"))
    place.apply(KEYS, config(cloud))
    desk = Desk(folder / "shop", f"{place.web}/git/shop.git")
    return Company(place, desk)


def test_a_control_plane_that_is_made_again_from_git_finds_its_database_and_makes_nothing(elsewhere, tmp_path):
    first = founded(tmp_path / "first", elsewhere)
    try:
        first.installation.stand_for("shop", FORGE)
        first.offer()
        first.deliver("orders", seeded_claim("orders"))
        first.installation.until(lambda: ready(first.claim("orders", SEEDED)))
        before, made = elsewhere.resources, elsewhere.creations
        endpoint = first.secret("orders", f"{SEEDED}-credentials")["endpoint"]
    finally:
        first.installation.stop()
    fresh = tmp_path / "second"
    (fresh / "data").mkdir(parents=True)
    shutil.copytree(tmp_path / "first" / "data" / "git", fresh / "data" / "git")
    shutil.copytree(tmp_path / "first" / "shop", fresh / "shop")
    shutil.rmtree(tmp_path / "first")
    second = founded(fresh, elsewhere)
    try:
        second.offer()
        second.deliver("orders", seeded_claim("orders"))
        second.installation.until(lambda: ready(second.claim("orders", SEEDED)))
        assert elsewhere.resources == before
        assert elsewhere.creations == made
        assert second.secret("orders", f"{SEEDED}-credentials")["endpoint"] == endpoint
    finally:
        second.installation.stop()
