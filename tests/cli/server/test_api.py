"""What a server answers, as errors of ours."""

import pytest

from plumbline.base.errors import (
    AlreadyExists,
    Forbidden,
    GarbledReply,
    InvalidInput,
    NotFound,
    Refused,
    ServerFault,
    Throttled,
    Unauthenticated,
)
from plumbline.base.json import encode
from plumbline.cli.server.api import DENIED, Api, connection
from plumbline.cli.server.contexts import Context, Server, User
from plumbline.kube.client.transport import Response


class Wire:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.sent = []

    async def send(self, request):
        self.sent.append(request)
        return self.answers.pop(0)

    async def close(self):
        pass


def api(status, body):
    raw = body if isinstance(body, bytes) else encode(body)
    return Api(Wire(Response(status, {}, raw)), "cd.example.org")


async def test_whoever_may_not_is_told_in_the_words_that_scripts_look_for():
    with pytest.raises(Forbidden) as refused:
        await api(403, {"message": "permission denied: clusters, get, x, sub: ada", "code": 7}).get("clusters")
    assert (
        refused.value.why == "rpc error: code = PermissionDenied desc = permission denied: clusters, get, x, sub: ada"
    )


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, InvalidInput),
        (401, Unauthenticated),
        (403, Forbidden),
        (404, NotFound),
        (409, AlreadyExists),
        (418, Refused),
        (429, Throttled),
        (503, ServerFault),
    ],
)
async def test_a_refusal_keeps_its_words_and_is_an_error_of_ours(status, error):
    with pytest.raises(error) as refused:
        await api(status, {"message": "because", "code": 1}).get("account")
    assert refused.value.why.removeprefix(DENIED) == "because"
    with pytest.raises(error) as silent:
        await api(status, b"<html>").get("account")
    assert str(status) in silent.value.why


async def test_parts_of_a_path_may_have_slashes_and_nothing_is_asked_with_an_empty_value():
    asked = api(200, {})
    await asked.get("account", "a/b", x="", y="1")
    (request,) = asked._transport.sent
    assert (request.path, request.query) == ("/api/v1/account/a%2Fb", "y=1")


async def test_what_is_no_object_is_no_answer():
    with pytest.raises(GarbledReply):
        await api(200, []).get("account")


def test_a_login_is_a_connection():
    server = Server(
        server="a",
        certificate_authority_data="cGVt",
        client_certificate_data="YQ==",
        client_certificate_key_data="Yg==",
    )
    made = connection(Context("c", server, User(auth_token="t")))
    assert (made.server, made.trust.authorities, made.user.certificate.chain) == ("https://a", b"pem", b"a")
    assert made.user.token.reveal() == b"t"
    with pytest.raises(InvalidInput):
        connection(Context("c", Server(server="a", certificate_authority_data="!"), User()))


async def test_a_failure_that_the_server_explains_is_not_sought_in_its_log_alone():
    with pytest.raises(ServerFault) as explained:
        await api(500, {"message": "kustomize failed: no such file", "code": 2}).get("applications")
    assert explained.value.hint.startswith("Mend what it names")
    with pytest.raises(ServerFault) as silent:
        await api(502, b"<html>").get("applications")
    assert "log" in silent.value.hint
