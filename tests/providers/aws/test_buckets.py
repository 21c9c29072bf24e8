"""What is particular about buckets: regions, what is in them, and settings that cannot be taken off."""

import pytest

from plumbline.base.errors import InvalidInput, Transient
from plumbline.managed.external import ABSENT
from plumbline.providers.aws.tables import s3
from plumbline.providers.aws.tables.s3 import BUCKET, ENCRYPTION, VERSIONING

pytestmark = pytest.mark.asyncio(loop_scope="session")
DELETING = {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}


async def bucket(cloud, name="team-alpha", **wanted):
    managed = cloud.managed(BUCKET, wanted, name=name, object=DELETING)
    external = await cloud.external(BUCKET, managed)
    await external.create(managed)
    return external, managed


async def test_a_bucket_is_made_in_its_region_and_says_where_it_is(cloud):
    external, managed = await bucket(cloud, region="eu-central-1")
    assert cloud.outside("s3").get_bucket_location(Bucket="team-alpha")["LocationConstraint"] == "eu-central-1"
    observed = await external.observe(managed)
    assert observed.at_provider["arn"] == "arn:aws:s3:::team-alpha"
    assert observed.at_provider["bucketRegionalDomainName"] == "team-alpha.s3.eu-central-1.amazonaws.com"
    assert {key: value.reveal() for key, value in observed.connection.items()} == {
        "id": b"team-alpha", "arn": b"arn:aws:s3:::team-alpha", "region": b"eu-central-1",
    }  # fmt: skip


async def test_a_bucket_with_objects_says_that_it_holds_them_and_is_not_deleted(cloud):
    external, managed = await bucket(cloud)
    assert (await external.observe(managed)).holds == "", "an empty one can be made again"
    cloud.outside("s3").put_object(Bucket="team-alpha", Key="k", Body=b"v")
    observed = await external.observe(managed)
    assert observed.holds == "a bucket"
    with pytest.raises(InvalidInput) as caught:
        await external.delete(managed, observed)
    assert "BucketNotEmpty" in caught.value.why


async def test_force_destroy_empties_it_first_with_every_version(cloud):
    external, managed = await bucket(cloud, forceDestroy=True)
    outside = cloud.outside("s3")
    outside.put_bucket_versioning(Bucket="team-alpha", VersioningConfiguration={"Status": "Enabled"})
    for key in ("a", "a", "b"):
        outside.put_object(Bucket="team-alpha", Key=key, Body=b"v")
    outside.delete_object(Bucket="team-alpha", Key="b")
    observed = await external.observe(managed)
    await external.delete(managed, observed)
    assert await external.observe(managed) == ABSENT
    await external.delete(managed, observed)


async def test_what_takes_too_long_to_empty_is_gone_on_with_later(cloud, monkeypatch):
    monkeypatch.setattr(s3, "_MOST_BATCHES", 0)
    external, managed = await bucket(cloud, forceDestroy=True)
    with pytest.raises(Transient):
        await external.delete(managed, await external.observe(managed))


async def test_a_setting_waits_for_its_bucket(cloud):
    managed = cloud.managed(VERSIONING, {"bucket": "later", "versioningConfiguration": {"status": "Enabled"}})
    external = await cloud.external(VERSIONING, managed)
    assert await external.observe(managed) == ABSENT
    with pytest.raises(Transient):
        await external.create(managed)


async def test_versioning_that_nobody_turned_on_is_disabled(cloud):
    await bucket(cloud)
    managed = cloud.managed(VERSIONING, {"bucket": "team-alpha", "versioningConfiguration": [{"status": "Disabled"}]})
    external = await cloud.external(VERSIONING, managed)
    observed = await external.observe(managed)
    assert (observed.exists, observed.differences, observed.external_name) == (True, (), "team-alpha")


async def test_encryption_with_s3s_own_keys_is_what_remains(cloud):
    await bucket(cloud)
    rule = [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]
    managed = cloud.managed(ENCRYPTION, {"bucket": "team-alpha", "rule": rule}, object=DELETING)
    external = await cloud.external(ENCRYPTION, managed)
    await external.create(managed)
    assert await external.observe(managed) == ABSENT


async def test_a_field_that_s3_does_not_know_is_named_with_those_that_it_does(cloud):
    await bucket(cloud)
    managed = cloud.managed(VERSIONING, {"bucket": "team-alpha", "versioningConfiguration": {"statsu": "Enabled"}})
    external = await cloud.external(VERSIONING, managed)
    with pytest.raises(InvalidInput) as caught:
        await external.create(managed)
    assert caught.value.what.startswith("versioningConfiguration.statsu")
    assert "status" in caught.value.hint
