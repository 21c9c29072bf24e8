"""Every way in which AWS says no, as one of ours."""

import pytest
from botocore import exceptions

from plumbline.base import errors
from plumbline.managed.creation import certainly_not
from plumbline.providers.aws.faults import absent, exists, translated


def answered(code, status=400):
    return exceptions.ClientError(
        {"Error": {"Code": code, "Message": "so\nit is"}, "ResponseMetadata": {"HTTPStatusCode": status}}, "Op"
    )


@pytest.mark.parametrize(
    ("error", "kind", "why"),
    [
        (answered("ThrottlingException"), errors.Throttled, "slower"),
        (answered("RequestLimitExceeded", 503), errors.Throttled, "EC2 says it with 503"),
        (answered("SlowDown", 503), errors.Throttled, "S3 says it so"),
        (answered("QueueDeletedRecently"), errors.NotYet, "the name is free in a minute"),
        (answered("AccessDenied", 403), errors.Forbidden, "a permission is missing"),
        (answered("UnauthorizedOperation", 403), errors.Forbidden, "EC2 says it so"),
        (answered("ExpiredToken"), errors.Unauthenticated, "renew it"),
        (answered("InvalidClientTokenId", 403), errors.Unauthenticated, "nobody knows the key"),
        (answered("SignatureDoesNotMatch", 403), errors.Unauthenticated, "the secret is another"),
        (answered("DBInstanceNotFound", 404), errors.NotFound, "there is none"),
        (answered("InvalidVpcID.NotFound"), errors.NotFound, "there is none"),
        (answered("DBInstanceAlreadyExists"), errors.AlreadyExists, "there is one"),
        (answered("BucketAlreadyExists", 409), errors.AlreadyExists, "somebody has it"),
        (answered("InvalidDBInstanceState"), errors.NotYet, "later, and nothing was done"),
        (answered("DependencyViolation"), errors.NotYet, "later, and nothing was done"),
        (answered("RequestTimeout"), errors.TimedOut, "what was received of it, nobody says"),
        (answered("VpcLimitExceeded"), errors.Refused, "a quota"),
        (answered("InvalidParameterValue"), errors.InvalidInput, "what we said is wrong"),
        (answered("BucketNotEmpty", 409), errors.InvalidInput, "somebody has to decide"),
        (answered("InternalFailure", 500), errors.ServerFault, "theirs"),
        (answered("SomethingNew"), errors.Refused, "nobody knows, so a person looks"),
        (exceptions.NoCredentialsError(), errors.Unauthenticated, "nothing to sign with"),
        (exceptions.ReadTimeoutError(endpoint_url="x"), errors.TimedOut, "no answer"),
        (exceptions.EndpointConnectionError(endpoint_url="x"), errors.Unreachable, "no connection"),
        (exceptions.ConnectionClosedError(endpoint_url="x"), errors.Unreachable, "broken off"),
        (exceptions.ParamValidationError(report="no"), errors.InvalidInput, "the model does not allow it"),
        (exceptions.BotoCoreError(), errors.ServerFault, "anything else of botocore"),
    ],
)
def test_an_error_of_aws_is_one_of_ours(error, kind, why):
    assert type(translated(error, "it did not work")) is kind, why


def test_what_is_not_botocores_is_a_bug():
    assert translated(ValueError("x"), "w") is None


def test_messages_are_one_line_with_the_code_first():
    assert translated(answered("AccessDenied"), "w").why == "AccessDenied: so it is"


def test_only_the_connection_that_was_never_made_is_unsent():
    assert translated(exceptions.EndpointConnectionError(endpoint_url="x"), "w").sent is False
    assert translated(exceptions.ConnectionClosedError(endpoint_url="x"), "w").sent is True


@pytest.mark.parametrize(
    "code", ["NoSuchBucket", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist", "NotFoundException"]
)
def test_codes_of_absence(code):
    assert absent(code)
    assert not exists(code)


@pytest.mark.parametrize(
    ("error", "certain", "why"),
    [
        (answered("InvalidParameterValue"), True, "what was asked for is wrong"),
        (answered("VpcLimitExceeded"), True, "a quota"),
        (answered("UnauthorizedOperation", 403), True, "a permission is missing"),
        (answered("RequestLimitExceeded", 503), True, "turned away at the door"),
        (answered("IncorrectState"), True, "AWS has answered: not now"),
        (answered("InternalFailure", 500), False, "it may have been made before it failed"),
        (answered("RequestTimeout"), False, "it may have arrived"),
        (exceptions.ReadTimeoutError(endpoint_url="x"), False, "it may have been made"),
        (exceptions.ConnectionClosedError(endpoint_url="x"), False, "it may have been made"),
        (exceptions.EndpointConnectionError(endpoint_url="x"), True, "nobody was asked"),
    ],
)
def test_only_an_answer_says_for_certain_that_nothing_was_made(error, certain, why):
    assert certainly_not(translated(error, "it did not work")) is certain, why
