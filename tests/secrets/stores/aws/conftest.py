"""AWS for tests: moto's server on loopback, one for the whole run, emptied for every test, with faults when asked for."""

import io
import re
import threading
from urllib.parse import parse_qs

import pytest
from botocore.session import Session
from moto.core.base_backend import BackendDict
from moto.core.model_instances import reset_model_data
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

from plumbline.base.aside import in_a_thread
from plumbline.base.clock import SystemClock
from plumbline.base.errors import Unresolved
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.providers import AwsProvider
from plumbline.kinds.read import read_part
from plumbline.managed.endpoints import Endpoints
from plumbline.secrets.stores.aws import Places, Sessions, Taking, opened

REGION = "us-east-1"
KEY = {
    "secretRef": {
        "accessKeyIDSecretRef": {"name": "aws", "key": "id"},
        "secretAccessKeySecretRef": {"name": "aws", "key": "key"},
    }
}


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


class Front:
    """Stands before moto: notes who calls what, and answers some calls itself."""

    def __init__(self):
        self._moto = DomainDispatcherApplication(create_backend_app)
        self.seen = []
        self.faults = {}

    def __call__(self, environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        form = parse_qs(body.decode(errors="replace"))
        action = environ.get("HTTP_X_AMZ_TARGET", "").rpartition(".")[2] or form.get("Action", [""])[0]
        signed = re.search(r"Credential=([^/]+)/", environ.get("HTTP_AUTHORIZATION", ""))
        self.seen.append((action, signed[1] if signed else "", body.decode(errors="replace")))
        if self.faults.get(action):
            status, headers, answer = self.faults[action].pop(0)
            start_response(
                f"{status} said",
                [("Content-Type", "application/x-amz-json-1.1"), ("Content-Length", str(len(answer))), *headers],
            )
            return [answer]
        return self._moto(environ, start_response)

    def fail(self, action, code, message="no", *, status=400, headers=(), times=1):
        answer = encode({"__type": code, "message": message})
        self.faults.setdefault(action, []).extend([(status, list(headers), answer)] * times)

    def answer(self, action, body):
        self.faults.setdefault(action, []).append((200, [], body if isinstance(body, bytes) else encode(body)))

    @property
    def actions(self):
        return [action for action, _, _ in self.seen]


@pytest.fixture(scope="session")
def served():
    front = Front()
    server = make_server("127.0.0.1", 0, front, threaded=True, request_handler=Quiet)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield front, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def people(served):
    """Somebody else's clients of the same account."""
    session, made = Session(), {}

    def client(service):
        if service not in made:
            made[service] = session.create_client(
                service, REGION, endpoint_url=served[1], aws_access_key_id="AKIA1", aws_secret_access_key="x"
            )
        return made[service]

    return client


class Kept:
    """A store's cluster as dictionaries."""

    def __init__(self):
        self.secrets = {
            ("aws", "id"): "AKIASTORE\n",
            ("aws", "key"): "k3y\n",
            ("aws", "session"): "s3ssion",
            ("aws", "empty"): "",
        }
        self.annotations = {}
        self.tokens = []

    async def secret(self, selector):
        try:
            return Plaintext(self.secrets[selector.name, selector.key])
        except KeyError:
            raise Unresolved("no", sought=("", "Secret", "shop", selector.name)) from None

    async def account(self, account):
        return {"metadata": {"name": account.name, "namespace": "shop", "annotations": self.annotations}}

    async def token(self, account, audiences, lifetime_s):
        self.tokens.append((account.name, audiences, lifetime_s))
        return Plaintext("a.jwt.token")


class Cloud:
    def __init__(self, front, url, people):
        self.front, self.url, self.people = front, url, people
        self.cluster = Kept()
        self.places = Places(dict.fromkeys(("secretsmanager", "ssm", "sts"), url), Endpoints(loopback=True))
        self.clock = SystemClock()
        self.sessions = Sessions(self.clock)
        self._open = []

    async def opened(self, service, *, own_identity=False, places=None, **said):
        provider = read_part({"aws": {"service": service, "region": REGION, "auth": KEY, **said}}, "aws", AwsProvider)
        store = await opened(
            provider,
            self.cluster,
            Taking(places or self.places, self.sessions, ("SecretStore", "team", "aws")),
            own_identity=own_identity,
            aside=in_a_thread,
        )
        self._open.append(store)
        return store

    async def close(self):
        for store in self._open:
            await store.close()


@pytest.fixture
async def cloud(served, people):
    BackendDict.reset()
    reset_model_data()
    front, url = served
    made = Cloud(front, url, people)
    front.seen.clear()
    front.faults.clear()
    yield made
    await made.close()
