"""What AWS says, and what is made of it."""

import pytest
from botocore.exceptions import BotoCoreError, ConnectionClosedError, NoCredentialsError, ReadTimeoutError

from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    InvalidInput,
    NotFound,
    Refused,
    ServerFault,
    Throttled,
    TimedOut,
    ToolMissing,
    Unauthenticated,
    Unreachable,
)
from plumbline.secrets.stores.aws import sdk
from plumbline.secrets.stores.aws.faults import code_of, translated
from plumbline.secrets.stores.aws.places import Places
from plumbline.secrets.stores.store import Remote

SAID = [
    ("ResourceNotFoundException", 400, NotFound),
    ("ThrottlingException", 400, Throttled),
    ("TooManyRequestsException", 429, Throttled),
    ("AccessDeniedException", 400, Forbidden),
    ("UnrecognizedClientException", 400, Unauthenticated),
    ("ExpiredTokenException", 400, Unauthenticated),
    ("InvalidSignatureException", 400, Unauthenticated),
    ("InternalServiceError", 500, ServerFault),
    ("InternalServiceErrorException", 400, ServerFault),
    ("InvalidParameterException", 400, InvalidInput),
    ("DecryptionFailure", 400, Refused),
]


async def test_an_answer_becomes_an_error_of_the_tree(cloud):
    store = await cloud.opened("SecretsManager")
    for code, status, error in SAID:
        cloud.front.fail("GetSecretValue", code, "why (Request ID: 1a2b-3c)", status=status)
        with pytest.raises(error) as told:
            await store.value(Remote("db"))
        assert type(told.value) is error, code
        assert told.value.why == f"{code}: why", "without the id of the request, which is another one each time"
        assert told.value.__cause__ is None


async def test_throttling_says_when_to_come_again(cloud):
    store = await cloud.opened("ParameterStore")
    for header, after_s in (("7", 7.0), ("soon", 5.0), ("1e9", 300.0), ("0", 1.0)):
        cloud.front.seen.clear()
        cloud.front.fail("GetParameter", "ThrottlingException", headers=[("Retry-After", header)])
        with pytest.raises(Throttled) as told:
            await store.value(Remote("db"))
        assert told.value.after_s == after_s
        assert cloud.front.actions == ["GetParameter"], "nobody asks again behind our back"


async def test_a_server_that_is_not_there_is_unreachable(cloud):
    gone = dict.fromkeys(("secretsmanager",), "http://127.0.0.1:1")
    store = await cloud.opened("SecretsManager", places=Places(gone, cloud.places.endpoints))
    with pytest.raises(Unreachable) as told:
        await store.value(Remote("db"))
    assert not told.value.sent


async def test_a_redirect_leads_nowhere(cloud):
    store = await cloud.opened("SecretsManager")
    cloud.front.faults["GetSecretValue"] = [(307, [("Location", "/elsewhere")], b"{}")]
    with pytest.raises((Refused, ServerFault, GarbledReply)):
        await store.value(Remote("db"))
    assert cloud.front.actions == ["GetSecretValue"]


async def test_garbage_is_garbled(cloud):
    store = await cloud.opened("SecretsManager")
    cloud.front.answer("GetSecretValue", b"<html>not me</html>")
    with pytest.raises(GarbledReply):
        await store.value(Remote("db"))


async def test_an_empty_key_is_our_own_fault(cloud):
    with pytest.raises(InvalidInput):
        await (await cloud.opened("SecretsManager")).value(Remote(""))


async def test_a_bug_stays_one(cloud, monkeypatch):
    store = await cloud.opened("SecretsManager")
    monkeypatch.setattr(store._calls, "_client", object())
    with pytest.raises(AttributeError):
        await store.value(Remote("db"))


OTHERS = [
    (ReadTimeoutError(endpoint_url="x"), TimedOut),
    (ConnectionClosedError(endpoint_url="x"), Unreachable),
    (NoCredentialsError(), Unauthenticated),
    (BotoCoreError(), ServerFault),
]


@pytest.mark.parametrize(("error", "kind"), OTHERS, ids=[type(error).__name__ for error, _ in OTHERS])
def test_what_the_sdk_says_becomes_an_error_of_the_tree(error, kind):
    assert type(translated(error, "what")) is kind
    assert code_of(error) == ""


def test_what_is_not_the_sdks_is_a_bug():
    assert translated(KeyError("x"), "what") is None


def test_without_the_extra_people_are_told_how_to_get_it():
    with pytest.raises(ToolMissing) as told:
        sdk.library("aiobotocore.nothing_of_this_name")
    assert "plumbline[aws]" in told.value.hint
