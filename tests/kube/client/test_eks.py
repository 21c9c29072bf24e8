"""Logging in to EKS as who this process is to AWS: what is signed, for how long it is used, and who signs it."""

import asyncio
import base64
import threading
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import botocore.auth
import pytest
from botocore.credentials import Credentials
from botocore.hooks import HierarchicalEmitter
from botocore.model import ServiceId
from botocore.session import Session
from botocore.signers import RequestSigner
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

from plumbline.base import awssdk
from plumbline.base.errors import InvalidInput, LoginFailed, PlumblineError, TimedOut, ToolMissing, Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Connection
from plumbline.kube.client import awssigner as signing
from plumbline.kube.client.awssigner import signer
from plumbline.kube.client.credentials import Identity
from plumbline.kube.client.eks import FromEks, Signer, question, token
from plumbline.kube.client.eksaddresses import region_of
from plumbline.kube.client.parts import EksLogin, User
from plumbline.kube.client.sources import credentials_of

SERVER = "https://0123ABCD.gr7.eu-central-1.eks.amazonaws.com"
LOGIN = EksLogin("shop")
ROLE = "arn:aws:iam::123456789012:role/deployer"
AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
EMITTER = HierarchicalEmitter()
WHO = Signer("sts.eu-central-1.amazonaws.com", "eu-central-1", "AKIAEXAMPLE", Plaintext("se/cr+et"))


def connection(server=SERVER):
    return Connection(server, source="cluster Secret east")


def by_botocore(monkeypatch, who, cluster, at):
    """The same question, signed by AWS's own SDK."""
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda **_: at.replace(tzinfo=None))
    keys = Credentials(
        who.access_key_id,
        who.secret_access_key.reveal().decode(),
        who.session_token.reveal().decode() if who.session_token else None,
    )
    made = RequestSigner(ServiceId("STS"), who.region, "sts", "v4", keys, EMITTER)
    asked = {
        "method": "GET",
        "url": f"https://{who.host}/?Action=GetCallerIdentity&Version=2011-06-15",
        "body": {},
        "headers": {"x-k8s-aws-id": cluster},
        "context": {},
    }
    return made.generate_presigned_url(asked, region_name=who.region, expires_in=60, operation_name="")


@pytest.mark.parametrize("session", [None, "To/ken+with=signs//and+more=="])
@pytest.mark.parametrize("cluster", ["shop", "Shop_2-eu.test", "a" * 100])
@pytest.mark.parametrize("at", [AT, datetime(2027, 12, 31, 23, 59, 59, tzinfo=UTC)])
def test_what_is_signed_is_what_awss_own_sdk_signs(monkeypatch, session, cluster, at):
    who = WHO._replace(session_token=Plaintext(session) if session else None)
    assert question(who, cluster, at).reveal().decode() == by_botocore(monkeypatch, who, cluster, at)


def test_a_token_is_the_question_behind_a_version():
    url = question(WHO, "shop", AT)
    text = token(url).reveal().decode()
    assert text.startswith("k8s-aws-v1.")
    coded = text.removeprefix("k8s-aws-v1.")
    assert not set(coded) & set("=+/")
    assert base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)) == url.reveal()


def test_neither_the_question_nor_who_asks_is_ever_shown():
    who = WHO._replace(session_token=Plaintext("hush"))
    assert "se/cr+et" not in f"{who!r}"
    assert "hush" not in f"{who!r}"
    assert "Signature" not in f"{question(who, 'shop', AT)!r}"


class Signers:
    """What looks for a signer: outcomes in turn, the last one for ever."""

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.asked = 0

    async def __call__(self, login, connection):
        self.asked += 1
        await asyncio.sleep(0)
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def signed_at(identity: Identity) -> str:
    ((name, value),) = identity.headers
    assert name == "Authorization"
    coded = value.removeprefix("Bearer k8s-aws-v1.")
    url = base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode()
    return parse_qs(urlsplit(url).query)["X-Amz-Date"][0]


async def test_a_token_is_used_for_fourteen_minutes_and_signed_anew_then(clock):
    signers = Signers(WHO)
    credentials = FromEks(LOGIN, connection(), clock, signers)
    assert credentials.ready() is None
    first = await credentials.renew(None)
    assert signed_at(first) == f"{clock.now():%Y%m%dT%H%M%SZ}"
    await clock.advance(timedelta(minutes=14).total_seconds() - 1)
    assert credentials.ready() is first
    await clock.advance(1)
    assert credentials.ready() is None, "a minute before STS would no longer answer"
    second = await credentials.renew(None)
    assert signed_at(second) == f"{clock.now():%Y%m%dT%H%M%SZ}"
    assert signers.asked == 2


async def test_a_refused_token_is_signed_anew_but_not_for_every_request(clock):
    signers = Signers(WHO)
    credentials = FromEks(LOGIN, connection(), clock, signers)
    first = await credentials.renew(None)
    with pytest.raises(LoginFailed) as told:
        await credentials.renew(first)
    assert "cluster Secret east" in told.value.what
    assert "shop" in told.value.what
    assert "access entry" in told.value.hint
    await clock.advance(11)
    second = await credentials.renew(first)
    assert second is not first
    assert await credentials.renew(first) is second, "somebody else renewed it meanwhile"
    assert signers.asked == 2


async def test_a_failure_is_told_to_all_who_wait_and_tried_again_after_a_moment(clock):
    signers = Signers(LoginFailed("no"), WHO)
    credentials = FromEks(LOGIN, connection(), clock, signers)
    got = await asyncio.gather(*(credentials.renew(None) for _ in range(20)), return_exceptions=True)
    assert {type(each) for each in got} == {LoginFailed}
    assert signers.asked == 1
    await clock.advance(6)
    assert await credentials.renew(None)


async def test_nobody_waits_long_for_the_login_of_somebody_else(clock):
    hangs = asyncio.Event()

    async def find(login, connection):
        await hangs.wait()
        return WHO

    credentials = FromEks(LOGIN, connection(), clock, find)
    first = asyncio.create_task(credentials.renew(None))
    await asyncio.sleep(0)
    await clock.advance(4)
    with pytest.raises(LoginFailed) as told:
        await credentials.renew(None)
    assert "takes long" in told.value.why
    hangs.set()
    assert await first is credentials.ready()


@pytest.mark.parametrize(
    ("server", "region"),
    [
        ("https://0123.gr7.us-west-2.eks.amazonaws.com", "us-west-2"),
        ("https://0123.GR7.US-WEST-2.EKS.amazonaws.com:443/", "us-west-2"),
        ("https://0123.us-gov-east-1.eks.amazonaws.com", "us-gov-east-1"),
        ("https://0123.yl4.cn-north-1.eks.amazonaws.com.cn", "cn-north-1"),
        ("https://0123.sk1.eks-cluster.us-east-1.api.aws", "us-east-1"),
        ("https://0123.sk1.eks-cluster.cn-north-1.api.amazonwebservices.com.cn", "cn-north-1"),
        ("https://eks.amazonaws.com", ""),
        ("https://us-west-2.eks.amazonaws.com", ""),
        ("https://0123.us-west-2.eks.amazonaws.com.evil.example", ""),
        ("https://0123.us-west-2.eks.amazonaws.com.", ""),
        ("https://evil.example/0123.us-west-2.eks.amazonaws.com", ""),
        ("https://evil.example#.us-west-2.eks.amazonaws.com", ""),
        ("https://0123.us-west-2.eks.amazonaws.com@evil.example", ""),
        ("https://evil-us-west-2.eks.amazonaws.com", ""),
        ("https://abc.execute-api.us-east-1.api.aws", ""),
        ("https://abc.eks-cluster.execute-api.us-east-1.api.aws", ""),
        ("https://abc.us-east-1.amazonaws.com", ""),
        ("https://[", ""),
    ],
)
def test_only_what_eks_names_itself_is_an_endpoint_of_eks(server, region):
    assert region_of(server) == region


class Quiet(WSGIRequestHandler):
    def log_request(self, *_):
        pass


@pytest.fixture(scope="module")
def moto_url():
    server = make_server(
        "127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True, request_handler=Quiet
    )
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def surroundings(monkeypatch, tmp_path):
    """A machine where nothing says who we are to AWS."""
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return monkeypatch


@pytest.fixture
def known(surroundings):
    surroundings.setenv("AWS_ACCESS_KEY_ID", "AKIAOWN")
    surroundings.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    return surroundings


async def test_the_environment_says_who_signs(known):
    found = await signer(LOGIN, connection())
    assert (found.access_key_id, found.secret_access_key, found.session_token) == ("AKIAOWN", Plaintext("hush"), None)
    assert (found.region, found.host) == ("eu-central-1", "sts.eu-central-1.amazonaws.com"), "that of the cluster"


@pytest.mark.parametrize(
    ("login", "variables", "host"),
    [
        (LOGIN, {"AWS_REGION": "us-west-2", "AWS_DEFAULT_REGION": "us-east-1"}, "sts.us-west-2.amazonaws.com"),
        (LOGIN, {"AWS_DEFAULT_REGION": "us-east-1"}, "sts.us-east-1.amazonaws.com"),
        (LOGIN, {"AWS_REGION": "cn-north-1"}, "sts.cn-north-1.amazonaws.com.cn"),
        (LOGIN, {"AWS_REGION": "us-gov-west-1"}, "sts.us-gov-west-1.amazonaws.com"),
        (EksLogin("shop", region="ap-south-1"), {"AWS_REGION": "us-west-2"}, "sts.ap-south-1.amazonaws.com"),
        (LOGIN, {"AWS_ENDPOINT_URL_STS": "http://127.0.0.1:1"}, "sts.eu-central-1.amazonaws.com"),
    ],
)
async def test_it_is_always_a_regional_sts_of_awss_own(known, login, variables, host):
    for name, value in variables.items():
        known.setenv(name, value)
    assert (await signer(login, connection())).host == host


async def test_a_profile_is_taken_from_the_files_of_awss_tools(known, tmp_path):
    (tmp_path / "credentials").write_text("[other]\naws_access_key_id = AKIAOTHER\naws_secret_access_key = x\n")
    (tmp_path / "config").write_text("[profile other]\nregion = eu-north-1\n")
    found = await signer(EksLogin("shop", profile="other"), connection())
    assert (found.access_key_id, found.region) == ("AKIAOTHER", "eu-north-1")
    with pytest.raises(InvalidInput) as told:
        await signer(EksLogin("shop", profile="nobody"), connection())
    assert "nobody" in told.value.why


@pytest.mark.parametrize("region", ["eu-central-1.evil.example/", "x", "eu-central-1@evil"])
async def test_what_is_no_region_is_not_asked(known, region):
    with pytest.raises(InvalidInput):
        await signer(EksLogin("shop", region=region), connection())


async def test_without_a_region_anywhere_that_is_said(known):
    with pytest.raises(InvalidInput) as told:
        await signer(LOGIN, connection("https://own.example"))
    assert "AWS_REGION" in told.value.hint


async def test_nobody_without_credentials_signs(surroundings):
    with pytest.raises(LoginFailed) as told:
        await signer(LOGIN, connection())
    assert "cluster Secret east" in told.value.what
    assert "IRSA" in told.value.hint


async def test_a_role_is_assumed_first_and_it_is_the_role_who_asks(known, moto_url):
    known.setenv("AWS_ENDPOINT_URL_STS", moto_url)
    found = await signer(EksLogin("shop", role=ROLE), connection())
    assert found.access_key_id.startswith("ASIA")
    assert found.session_token is not None
    sts = Session().create_client(
        "sts",
        found.region,
        endpoint_url=moto_url,
        aws_access_key_id=found.access_key_id,
        aws_secret_access_key=found.secret_access_key.reveal().decode(),
        aws_session_token=found.session_token.reveal().decode(),
    )
    said = await asyncio.to_thread(sts.get_caller_identity)
    assert said["Arn"] == "arn:aws:sts::123456789012:assumed-role/deployer/plumbline"


async def test_a_web_identity_is_exchanged_as_pods_have_it(surroundings, moto_url, tmp_path):
    (tmp_path / "token").write_text("e30.e30.e30")
    surroundings.setenv("AWS_ENDPOINT_URL_STS", moto_url)
    surroundings.setenv("AWS_ROLE_ARN", ROLE)
    surroundings.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(tmp_path / "token"))
    found = await signer(LOGIN, connection())
    assert found.access_key_id.startswith("ASIA")


def xml(code, message):
    return f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error></ErrorResponse>".encode()


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [(403, "AccessDenied", LoginFailed), (400, "Throttling", PlumblineError), (500, "InternalFailure", PlumblineError)],
)
async def test_a_role_that_may_not_be_assumed_is_told_without_any_key(known, server, status, code, error):
    known.setenv("AWS_ENDPOINT_URL_STS", server.url)
    for _ in range(2):
        server.says(xml(code, "not authorized to perform: sts:AssumeRole"), status)
    with pytest.raises(error) as told:
        await signer(EksLogin("shop", role=ROLE), connection())
    assert code in told.value.why
    assert "hush" not in f"{told.value}{told.value.__cause__}"
    assert "cluster Secret east" in told.value.what
    assert f"RoleArn={ROLE.replace(':', '%3A').replace('/', '%2F')}".encode() in server.asked[0].body


async def test_an_answer_leads_the_question_nowhere_else(known, server):
    known.setenv("AWS_ENDPOINT_URL_STS", server.url)
    for _ in range(3):
        server.says(b"", 307, headers=(("Location", f"{server.url}/elsewhere"),))
    with pytest.raises(PlumblineError):
        await signer(EksLogin("shop", role=ROLE), connection())
    assert {each.target for each in server.asked} == {"/"}


async def test_an_sts_that_is_not_there_is_told(known):
    known.setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1")
    with pytest.raises(Unreachable) as told:
        await signer(EksLogin("shop", role=ROLE), connection())
    assert told.value.sent is False


async def test_an_sts_that_does_not_answer_is_given_up(known, server):
    known.setenv("AWS_ENDPOINT_URL_STS", server.url)
    known.setattr(signing, "_WITHIN_S", 0.5)
    server.raw(then="hang")
    with pytest.raises(TimedOut):
        await signer(EksLogin("shop", role=ROLE), connection())


async def test_without_the_sdk_it_is_said_how_to_get_it(known):
    def missing(module):
        raise ImportError(name="aiobotocore")

    known.setattr(awssdk, "import_module", missing)
    with pytest.raises(ToolMissing) as told:
        await signer(LOGIN, connection())
    assert "plumbline[aws]" in told.value.hint


async def test_a_connection_with_such_a_login_is_served_by_it(known, clock):
    credentials = credentials_of(Connection(SERVER, user=User(eks=LOGIN)), clock)
    identity = await credentials.renew(None)
    assert signed_at(identity)
    assert "k8s-aws" not in f"{identity!r}"
