"""One rule for all clouds: credentials go to the cloud's own servers and to those that were allowed, and no answer leads on."""

from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from tests.providers.azure import yard as azure_yard
from tests.providers.azure.vendor.identity import SUBSCRIPTION
from tests.providers.gcp.yard import PROJECT, Secrets

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import PlumblineError, Refused
from plumbline.base.json import encode
from plumbline.kube.names import Ref
from plumbline.managed.endpoints import NO_OTHERS, Endpoints, named
from plumbline.managed.external import Config
from plumbline.providers import aws, azure, gcp
from plumbline.providers.azure import arm
from plumbline.providers.gcp import rest
from plumbline.providers.gcp.facts import api
from plumbline.providers.rest.connections import ENDPOINT

KEY = {"namespace": "system", "name": "keys", "key": "key"}
TOPIC = rest.Call(method="projects.topics.get", place={"topic": f"projects/{PROJECT}/topics/orders"})
GROUP = arm.Call(verb="GET", path=f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop", version="2025-04-01")
ROLE = "arn:aws:iam::123456789012:role/deployer"


class Callers:
    """Each calls its cloud once, with a ProviderConfig that sends it to *address*."""

    def __init__(self, endpoints):
        self.endpoints = endpoints
        self.secrets = Secrets()

    async def google(self, address):
        self.secrets.values["system", "keys", "key"] = "a-token"
        spec = {"projectID": PROJECT, "credentials": {"source": "AccessToken", "secretRef": KEY}}
        async with closed(gcp.Connections(VirtualClock(), endpoints=self.endpoints)) as accounts:
            account = await accounts.of(self._config("gcp", spec, {ENDPOINT: address}))
            await rest.ask(account, api("pubsub.v1"), TOPIC)

    async def azure(self, address):
        self.secrets.values["system", "keys", "key"] = encode(azure_yard.KEY).decode()
        spec = {"credentials": {"source": "Secret", "secretRef": KEY}}
        async with closed(azure.Connections(VirtualClock(), endpoints=self.endpoints)) as accounts:
            account = await accounts.of(self._config("azure", spec, {ENDPOINT: address}))
            await arm.ask(account, GROUP)

    async def amazon(self, address):
        await self.amazon_at({"type": "Static", "static": address})

    async def amazon_at(self, url, service="rds", operation="DescribeDBInstances", region="eu-west-1", **spec):
        self.secrets.values["system", "keys", "key"] = "aws_access_key_id = A\naws_secret_access_key = S\n"
        credentials = {"source": "Secret", "secretRef": KEY}
        said = {"credentials": credentials, "endpoint": {"url": url}, "s3_use_path_style": True, **spec}
        async with closed(aws.Clients(endpoints=self.endpoints)) as clients:
            account = await clients.account(self._config("aws", said, {}), region)
            params = {"Bucket": "orders"} if service == "s3" else {}
            await account.call(service, operation, params)

    async def bucket(self, address):
        await self.amazon_at({"type": "Static", "static": address}, "s3", "GetBucketVersioning")

    async def assuming(self, address):
        token = {"source": "Secret", "secretRef": KEY}
        identity = {"source": "WebIdentity", "webIdentity": {"roleARN": ROLE, "tokenConfig": token}}
        endpoint = {"url": {"type": "Static", "static": address}, "services": ["sts"]}
        await self.amazon_at({}, credentials=identity, endpoint=endpoint)

    def _config(self, cloud, spec, annotations):
        return Config(Ref(f"{cloud}.upbound.io", "ProviderConfig", "", "default"), spec, self.secrets, "1", annotations)


@asynccontextmanager
async def closed(clients):
    try:
        yield clients
    finally:
        await clients.close()


@asynccontextmanager
async def server(answer):
    """Its address, and what it was asked."""
    asked = []

    async def respond(request):
        asked.append(request.path)
        return answer(request)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", respond)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", asked
    finally:
        await runner.cleanup()


def nothing(request):
    return web.json_response({}, status=404)


CALLERS = ["google", "azure", "amazon", "bucket", "assuming"]


@pytest.mark.parametrize("caller", CALLERS)
async def test_nobody_is_called_whom_nobody_has_allowed(caller):
    async with server(nothing) as (other, asked), server(nothing) as (allowed, _):
        for endpoints in (NO_OTHERS, Endpoints(named([allowed]))):
            with pytest.raises(
                Refused, match=f"would send its credentials to {other}, which is not allowed"
            ) as refused:
                await getattr(Callers(endpoints), caller)(other)
            assert f"--allow-endpoint {other}" in refused.value.hint
        assert asked == []


@pytest.mark.parametrize("caller", CALLERS)
async def test_whom_somebody_has_named_is_called(caller):
    async with server(nothing) as (allowed, asked):
        with pytest.raises(PlumblineError):
            await getattr(Callers(Endpoints(named([allowed]))), caller)(allowed)
        assert asked


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("caller", CALLERS)
async def test_no_answer_leads_credentials_on_to_another_server(caller, status):
    async with server(nothing) as (other, asked):

        def lead_on(request):
            there = {"Location": f"{other}{request.path}", "x-amz-bucket-region": "eu-west-3"}
            return web.Response(status=status, headers=there)

        async with server(lead_on) as (allowed, first):
            with pytest.raises(PlumblineError):
                await getattr(Callers(Endpoints(named([allowed]))), caller)(allowed)
            assert first
        assert asked == []


@pytest.mark.parametrize(
    ("url", "region", "why"),
    [
        ({"type": "Dynamic", "dynamic": {"host": "attacker.test"}}, "eu-west-1", "another domain"),
        ({"type": "Dynamic", "dynamic": {"host": "amazonaws.com"}}, "attacker.test/", "a region that is a host"),
        ({"type": "Dynamic", "dynamic": {"host": "amazonaws.com"}}, "x@attacker.test", "a region that hides one"),
        ({"type": "Dynamic", "dynamic": {"host": "amazonaws.com", "protocol": "http"}}, "eu-west-1", "without TLS"),
        ({"type": "Static", "static": "https://attacker.execute-api.eu-west-1.amazonaws.com"}, "eu-west-1", "anybody's API"),
        ({"type": "Static", "static": "https://attacker.s3.amazonaws.com"}, "eu-west-1", "anybody's bucket"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
async def test_a_host_below_amazons_domain_is_not_amazon(url, region, why):
    with pytest.raises(Refused):
        await Callers(NO_OTHERS).amazon_at(url, region=region)


@pytest.mark.parametrize(
    ("service", "region", "hosts"),
    [
        ("rds", "eu-west-1", {"rds.eu-west-1.amazonaws.com", "rds-fips.eu-west-1.amazonaws.com"}),
        ("iam", "eu-west-1", {"iam.amazonaws.com"}),
        ("sts", "us-east-1", {"sts.amazonaws.com", "sts.us-east-1.amazonaws.com"}),
        ("s3", "cn-north-1", {"s3.cn-north-1.amazonaws.com.cn", "s3.dualstack.cn-north-1.amazonaws.com.cn"}),
        ("rds", "nowhere", set()),
    ],
)
def test_amazons_own_servers_are_those_that_its_library_knows(service, region, hosts):
    found = aws.models.own_hosts(service, region)
    assert hosts <= found
    assert all(host.endswith((".amazonaws.com", ".api.aws", ".com.cn")) for host in found)
