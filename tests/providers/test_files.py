"""Files of the machine that a ProviderConfig names: whose may, what may be one, and that they are read again."""

import os

import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import InvalidInput, PlumblineError
from plumbline.base.json import encode
from plumbline.kube.names import Ref
from plumbline.managed.external import Config
from plumbline.providers import aws, azure, gcp
from plumbline.providers.files import read_file

from .azure.yard import KEY
from .yards import Secrets

USER = {"type": "authorized_user", "client_id": "a", "client_secret": "secret-b", "refresh_token": "refresh-c"}
WHO = {"clientID": "c", "tenantID": "t", "subscriptionID": "s"}


def config(spec, namespace):
    kind = "ProviderConfig" if namespace else "ClusterProviderConfig"
    return Config(Ref("x.m.upbound.io", kind, namespace, "default"), spec, Secrets())


async def google(credentials, namespace):
    accounts = gcp.Connections(VirtualClock(), variables={"KEY": encode(USER).decode()})
    await accounts.of(config({"projectID": "p", "credentials": credentials}, namespace))


async def microsoft(credentials, namespace, **more):
    await azure.Connections(VirtualClock()).of(config({**WHO, "credentials": credentials, **more}, namespace))


async def amazon(credentials, namespace):
    clients = aws.Clients()
    try:
        await clients.account(config({"credentials": credentials}, namespace), "us-east-1")
    finally:
        await clients.close()


@pytest.mark.parametrize(
    "source", ["google file", "google variable", "azure file", "azure token", "azure port", "aws token"]
)
async def test_a_config_of_a_namespace_uses_no_file_or_variable_of_this_machine(tmp_path, source):
    file = tmp_path / "file"
    file.write_bytes(encode(USER if source.startswith("google") else KEY))
    of_file = {"source": "Filesystem", "fs": {"path": str(file)}}
    opens = {
        "google file": lambda namespace: google(of_file, namespace),
        "google variable": lambda namespace: google({"source": "Environment", "env": {"name": "KEY"}}, namespace),
        "azure file": lambda namespace: microsoft(of_file, namespace),
        "azure token": lambda namespace: microsoft({"source": "OIDCTokenFile"}, namespace, oidcTokenFilePath=str(file)),
        "azure port": lambda namespace: microsoft(
            {"source": "SystemAssignedManagedIdentity"}, namespace, msiEndpoint="http://127.0.0.1:9"
        ),
        "aws token": lambda namespace: amazon(
            {"source": "WebIdentity", "webIdentity": {"roleARN": "arn:aws:iam::1:role/r", "tokenConfig": of_file}},
            namespace,
        ),
    }[source]
    await opens("")
    with pytest.raises(InvalidInput) as refused:
        await opens("shop")
    assert "ClusterProviderConfig" in refused.value.hint


@pytest.mark.parametrize("made", ["pipe", "endless", "large", "folder"])
async def test_what_never_ends_or_never_begins_is_no_file(tmp_path, made):
    path = tmp_path / made
    if made == "pipe":
        os.mkfifo(path)
    elif made == "endless":
        path.symlink_to("/dev/zero")
    elif made == "large":
        path.write_bytes(b"x" * (1 << 20))
    else:
        path.mkdir()
    with pytest.raises(OSError, match=r"ordinary|larger|directory"):
        await read_file(path)
    for opens in (google, microsoft):
        with pytest.raises(PlumblineError):
            await opens({"source": "Filesystem", "fs": {"path": str(path)}}, "")
