"""Told to slow down, everybody who uses a ProviderConfig waits. So only what concerns them all may say so."""

import pytest
from botocore.exceptions import ClientError

from plumbline.base.errors import NotYet, Refused, Throttled
from plumbline.base.json import encode
from plumbline.managed.creation import certainly_not
from plumbline.providers.aws import faults
from plumbline.providers.azure.refusals import refusal as of_azure
from plumbline.providers.gcp.refusals import refusal as of_google


def google(status, reason):
    return of_google("It failed", status, encode({"error": {"message": "because", "errors": [{"reason": reason}]}}))


def azure(status, code):
    return of_azure("It failed", status, encode({"error": {"code": code, "message": "because"}}), retry_after="20")


def amazon(code):
    return faults.translated(ClientError({"Error": {"Code": code, "Message": "because"}}, "Op"), "It failed")


@pytest.mark.parametrize(
    "told",
    [
        google(400, "resourceInUseByAnotherResource"),
        google(409, "operationInProgress"),
        google(400, "resourceNotReady"),
        azure(409, "ServerIsBusy"),
        azure(409, "AnotherOperationInProgress"),
        azure(409, "ResourceGroupBeingDeleted"),
        amazon("QueueDeletedRecently"),
    ],
    ids=lambda told: told.why,
)
def test_one_resource_that_is_busy_keeps_no_other_one_waiting(told):
    assert type(told) is NotYet
    assert certainly_not(told), "it was turned away, so that it may be asked for again"


def test_a_used_up_quota_of_one_sort_of_resource_keeps_no_other_one_waiting():
    told = google(403, "quotaExceeded")
    assert type(told) is Refused
    assert "quota" in told.hint


@pytest.mark.parametrize(
    "told", [google(403, "rateLimitExceeded"), google(429, ""), azure(429, ""), amazon("Throttling")]
)
def test_who_asks_too_often_is_told_so_for_everybody(told):
    assert isinstance(told, Throttled)
