"""The servers for Argo CD's tests, asked by the real git and the real ssh."""

import base64
import http.client
import os
import shutil
import socket
import subprocess
import time
from contextlib import closing

import pytest
from tests.conformance.argocd_e2e.servers import MOUNT, PASSWORD, USER, WEB, Repositories, over_ssh
from tests.source.git.origins import Origin

pytestmark = pytest.mark.conformance


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "data"
    Origin(made / "testdata.git").push({"README": "hello\n"})
    return made


@pytest.fixture
def keys(tmp_path):
    made = tmp_path / "keys"
    made.mkdir()
    for name, kind in (("id_rsa", "rsa"), *((f"ssh_host_{kind}_key", kind) for kind in ("rsa", "ecdsa", "ed25519"))):
        subprocess.run(["ssh-keygen", "-q", "-N", "", "-t", kind, "-f", made / name], check=True)
    return made


def git(*argv, **more):
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", **more}
    return subprocess.run(["git", *argv], env=environment, capture_output=True, text=True, check=False)


def test_repositories_are_there_for_who_says_the_password_whatever_becomes_of_the_folder(folder, tmp_path):
    with Repositories(folder, 0).running() as server:
        closed = f"{server.base}{WEB}testdata.git"
        opened = closed.replace("://", f"://{USER}:{PASSWORD}@")
        assert git("ls-remote", closed).returncode != 0
        first = git("ls-remote", opened, "HEAD").stdout
        shutil.rmtree(folder)
        assert git("ls-remote", opened, "HEAD").returncode != 0
        Origin(folder / "testdata.git").push({"another": "1"})
        second = git("ls-remote", opened, "HEAD").stdout
        assert first.endswith("HEAD\n")
        assert second.endswith("HEAD\n")
        assert first != second
        assert git("clone", "-q", opened, tmp_path / "clone").returncode == 0
        assert git("-C", tmp_path / "clone", "push", "origin", "HEAD:refs/heads/pushed").returncode == 0


def test_charts_are_files_beside_them_and_nothing_else_is(folder):
    (folder / "testdata.git" / "helm-repo").mkdir(exist_ok=True)
    (folder / "testdata.git" / "helm-repo" / "index.yaml").write_text("entries: {}\n")
    (folder.parent / "secret").write_text("x")
    known = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    with Repositories(folder, 0).running() as server:

        def asked(path):
            with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)) as line:
                line.request("GET", path, headers={"Authorization": f"Basic {known}"})
                answer = line.getresponse()
                return answer.status, answer.read()

        assert asked(f"{WEB}testdata.git/helm-repo/index.yaml") == (200, b"entries: {}\n")
        for path in (f"{WEB}testdata.git/helm-repo/../../../secret", "/secret"):
            assert asked(path)[0] == 404


def test_the_real_ssh_is_let_in_by_its_key_alone(folder, keys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    host = (keys / "ssh_host_ed25519_key.pub").read_text().rsplit(" ", 1)[0]
    (tmp_path / "hosts").write_text(f"[127.0.0.1]:{port} {host}\n")
    subprocess.run(["ssh-keygen", "-q", "-N", "", "-t", "rsa", "-f", tmp_path / "other"], check=True)
    url = f"ssh://root@127.0.0.1:{port}{MOUNT}/testdata.git"

    def asked(key):
        strict = f"-o UserKnownHostsFile={tmp_path}/hosts -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes"
        return git("ls-remote", url, "HEAD", GIT_SSH_COMMAND=f"ssh -F /dev/null {strict} -i {key}")

    with over_ssh(folder, keys, port):
        tries = 0
        while (said := asked(keys / "id_rsa")).returncode != 0 and tries < 50:
            tries += 1
            time.sleep(0.1)
        assert said.stdout.endswith("HEAD\n"), said.stderr
        assert "Permission denied" in asked(tmp_path / "other").stderr
