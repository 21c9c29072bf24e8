"""The same claim on the real API server, as a database of a real PostgreSQL; and who may ask for it."""

import asyncio
import threading
from contextlib import contextmanager

import psycopg
import pytest
from tests.e2e.company import seeded_claim

from plumbline.providers.sql import local_postgres

from .stage import provider
from .test_on_a_real_server import SECRET, SEEDED, ready

pytestmark = pytest.mark.conformance


@contextmanager
def postgres(folder):
    started, found, ending = threading.Event(), [], threading.Event()

    async def run():
        async with local_postgres(folder) as server:
            found.append(server)
            started.set()
            await asyncio.to_thread(ending.wait)

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    started.wait(60)
    try:
        yield found[0]
    finally:
        ending.set()
        thread.join()


def config(server):
    values = {key: value.reveal().decode() for key, value in server.secret().items()}
    metadata = {"name": "local", "namespace": "crossplane-system"}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": values}
    spec = {
        "credentials": {
            "source": "PostgreSQLConnectionSecret",
            "connectionSecretRef": {"namespace": "crossplane-system", "name": "local"},
        },
        "sslMode": "disable",
    }
    group = "postgresql.sql.crossplane.io/v1alpha1"
    return secret, {"apiVersion": group, "kind": "ProviderConfig", "metadata": {"name": "default"}, "spec": spec}


def test_a_claim_is_a_database_that_its_credentials_open(stage, tmp_path):
    with postgres(tmp_path / "postgres") as server:
        stage.apply(provider("provider-sql"))
        stage.kubectl("wait", "provider.pkg.crossplane.io/provider-sql", "--for=condition=Healthy", "--timeout=60s")
        stage.apply(*config(server))
        stage.namespace("here")
        asked = seeded_claim("here", compositionSelector={"matchLabels": {"provider": "local"}})
        stage.apply({**asked, "metadata": {**asked["metadata"], "namespace": "here"}})
        stage.until(lambda: ready(stage.claim("here", SEEDED)), within_s=90)
        secret = stage.until(lambda: stage.secret("here", SECRET))
        address = {"host": secret["endpoint"], "port": int(secret["port"]), "dbname": secret["database"]}
        with psycopg.connect(**address, user=secret["username"], password=secret["password"]) as connection:
            assert connection.execute("SELECT 17").fetchall() == [(17,)]
        stage.kubectl("delete", "postgresqlinstance", SEEDED, "-n", "here", "--wait=false")
        stage.until(lambda: stage.claim("here", SEEDED) is None, within_s=90)


def test_people_who_may_edit_may_ask(stage):
    stage.namespace("people")
    bound = ("--clusterrole=crossplane-edit", "--user=ada", "-n", "people")
    stage.kubectl("create", "rolebinding", "askers", *bound)

    def may(verb):
        said = stage.cluster.kubectl("auth", "can-i", verb, "postgresqlinstances.database.company.io", "-n", "people", "--as=ada")  # fmt: skip
        return said.out.strip() == "yes"

    stage.until(lambda: may("create"))
    said = stage.cluster.kubectl("auth", "can-i", "create", "postgresqlinstances.database.company.io", "-n", "default", "--as=ada")  # fmt: skip
    assert said.out.strip() == "no"
