"""Files at addresses that somebody named beside a repository: whoever reads them through us reads what anybody can."""

import pytest

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound, Refused
from plumbline.base.plaintext import Plaintext

PUBLIC = "https://192.0.43.8/shop.git"


async def test_a_file_is_fetched_as_nobody(make, helm, settings):
    helm.files["/values.yaml"] = b"a: 1"
    settings.come_as(username="me", password=Plaintext("hunter2"))
    assert await make().file(f"{helm.base}/values.yaml", beside=f"{helm.base}/shop.git") == b"a: 1"
    assert [each.authorization for each in helm.asked] == [None]


@pytest.mark.parametrize("beside", ["git@127.0.0.1:shop.git", "ssh://git@127.0.0.1/shop.git", "127.0.0.1/charts"])
async def test_every_spelling_of_a_repository_says_where_it_is(make, helm, beside):
    helm.files["/values.yaml"] = b"a: 1"
    assert await make().file(f"{helm.base}/values.yaml", beside=beside) == b"a: 1"


async def test_beside_a_public_repository_nothing_is_read_that_only_we_can_reach(make, helm):
    helm.files["/values.yaml"] = b"a: 1"
    for address in (helm.base, helm.elsewhere, "http://169.254.169.254"):
        with pytest.raises(InvalidInput, match="in a network that it is not in itself"):
            await make().file(f"{address}/values.yaml", beside=PUBLIC)
    assert helm.asked == []


async def test_nor_by_a_redirect(make, helm):
    helm.moved["/values.yaml"] = "http://169.254.169.254/latest"
    with pytest.raises(InvalidInput, match=r"169\.254\.169\.254"):
        await make().file(f"{helm.base}/values.yaml", beside=f"{helm.base}/shop.git")


async def test_what_is_not_there_too_large_or_no_address_is_told(make, helm):
    helm.files["/large.yaml"] = b"a" * 100
    sources = make()
    with pytest.raises(NotFound):
        await sources.file(f"{helm.base}/gone.yaml", beside=helm.base)
    with pytest.raises(LimitExceeded):
        await sources.file(f"{helm.base}/large.yaml", beside=helm.base, limit_bytes=99)
    for address in ("file:///etc/passwd", "s3://bucket/values.yaml", "oci://example.com/x"):
        with pytest.raises(Refused):
            await sources.file(address, beside=helm.base)
