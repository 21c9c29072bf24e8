"""AWS for tests: moto's server on loopback, one for the whole run, emptied for every test."""

import functools
import os
import threading

import aiohttp
import pytest
import pytest_asyncio
from botocore.session import Session
from moto.core.base_backend import BackendDict
from moto.core.model_instances import reset_model_data
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

from plumbline.base.errors import NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.kube.names import Ref
from plumbline.managed.endpoints import Endpoints
from plumbline.managed.external import Config, Managed, SecretKey
from plumbline.providers.aws import Clients
from plumbline.providers.aws.engine.external import AwsConnector
from plumbline.providers.aws.models import loader
from plumbline.providers.sandbox import Options, sandbox

# Machine images are a megabyte of JSON that every emptied EC2 would read again.
os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"
REGION = "us-east-1"
SESSION = Session()
SESSION.register_component("data_loader", loader())


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


def keep_subnet_groups():
    """moto 5.2 loses a subnet group when it is modified; AWS does not."""
    from moto.rds.models import RDSBackend  # noqa: PLC0415 - reads a hundred files, which only those wait for who need them

    lossy = RDSBackend.modify_db_subnet_group

    def modify_db_subnet_group(self, subnet_name, *args, **kwargs):
        group = self.subnet_groups[subnet_name] = lossy(self, subnet_name, *args, **kwargs)
        return group

    RDSBackend.modify_db_subnet_group = modify_db_subnet_group


@pytest.fixture(scope="session")
def moto_url():
    keep_subnet_groups()
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


@functools.cache
def outside(url, service):
    return SESSION.create_client(
        service, REGION, endpoint_url=url, aws_access_key_id="AKIA1", aws_secret_access_key="x"
    )


class KeptSecrets:
    """Secrets as a dictionary."""

    def __init__(self, values=()):
        self.values = dict(values)

    async def read(self, key: SecretKey) -> Plaintext:
        try:
            return Plaintext(self.values[key.namespace, key.name, key.key])
        except KeyError:
            raise NotFound(f"Secret {key.namespace}/{key.name} has no key {key.key}") from None


class Cloud:
    """One account, looked at from both sides."""

    def __init__(self, url, clients):
        self.url = url
        self.clients = clients
        self.secrets = KeptSecrets(
            {("", "creds", "credentials"): "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = x\n"}
        )
        self.calls = []

    @property
    def config(self):
        spec = {
            "credentials": {"source": "Secret", "secretRef": {"name": "creds", "key": "credentials"}},
            "endpoint": {"url": {"type": "Static", "static": self.url}, "hostnameImmutable": True},
            "s3_use_path_style": True,
        }
        return Config(
            ref=Ref("aws.upbound.io", "ProviderConfig", "", self.url), spec=spec, secrets=self.secrets, version="1"
        )

    def outside(self, service):
        """Somebody else's client of the same account."""
        return outside(self.url, service)

    def managed(self, table, wanted, name="team-alpha", namespace="", **more):
        group = table.api_group.replace(".aws.", ".aws.m.") if namespace else table.api_group
        wanted = {"region": REGION, **wanted} if table.regional else dict(wanted)
        obj = more.pop("object", {"metadata": {"name": name}, "spec": {"forProvider": wanted}})
        external_name = more.pop("external_name", name if table.external_name == "chosen" else "")
        return Managed(
            ref=Ref(group, table.kind, namespace, name), uid="0f1e2d3c-0000", external_name=external_name, wanted=wanted, config="default",
            secrets=self.secrets, object=obj, **more,
        )  # fmt: skip

    async def external(self, table, managed):
        external = await AwsConnector(table, self.clients).connect(managed, self.config)
        account = external._account
        real = account.call

        async def counted(service, operation, params):
            self.calls.append(operation)
            return await real(service, operation, params)

        account.call = counted
        return external


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def clients():
    clients = Clients(endpoints=Endpoints(loopback=True))
    yield clients
    await clients.close()


@pytest.fixture
def cloud(moto_url, clients):
    BackendDict.reset()
    reset_model_data()
    return Cloud(moto_url, clients)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def sandbox_url():
    async with sandbox(None, Options(state_s=0)) as running:
        yield running.url


@pytest_asyncio.fixture(loop_scope="session")
async def strict_cloud(sandbox_url, clients):
    """moto behind AWS's rules."""
    async with aiohttp.ClientSession() as session, session.post(f"{sandbox_url}/_sandbox/reset") as answer:
        assert answer.status < 300
    return Cloud(sandbox_url, clients)
