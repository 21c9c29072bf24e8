"""Keys from files, in every form that kubeseal takes."""

import pytest

from plumbline.base.documents import dump_yaml
from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode
from plumbline.cli.sealing.keys import recovered
from plumbline.secrets.sealing import key_secret


@pytest.fixture
def files(sealed, tmp_path):
    old, new = (key_secret(key, "kube-system") for key in (sealed.old, sealed.new))
    contents = {
        "old.pem": sealed.old.private.reveal(),
        "new.pem": sealed.new.private.reveal(),
        "secret.json": encode(new),
        "secret.yaml": dump_yaml(new).encode(),
        "list.yaml": dump_yaml({"apiVersion": "v1", "kind": "List", "items": [old, new]}).encode(),
        "stream.yaml": f"{dump_yaml(old)}---\n{dump_yaml(new)}".encode(),
        "string.yaml": dump_yaml({
            "stringData": {"tls.key": sealed.new.private.reveal().decode(), "tls.crt": sealed.new.certificate_pem.decode()},
        }).encode(),
        "keyless.yaml": b"kind: Secret\nmetadata: {name: odd}\ndata: {a: eA==}\n",
        "other.yaml": b"kind: ConfigMap\n",
        "empty": b"",
        "odd.pem": b"-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n",
    }  # fmt: skip
    folder = tmp_path / "keys"
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize(
    ("names", "which", "dated"),
    [
        (["new.pem"], ["new"], 0),
        (["old.pem,new.pem"], ["new", "old"], 0),
        (["old.pem", "new.pem"], ["new", "old"], 0),
        (["secret.json"], ["new"], 1),
        (["secret.yaml"], ["new"], 1),
        (["list.yaml"], ["new", "old"], 2),
        (["stream.yaml"], ["new", "old"], 2),
        (["string.yaml"], ["new"], 1),
        (["secret.json", "old.pem"], ["new", "old"], 1),
    ],
)
def test_every_form_is_read(files, sealed, names, which, dated):
    found = recovered([",".join(str(files / part) for part in name.split(",")) for name in names])
    assert {key.fingerprint for key in found.keyring.keys} == {getattr(sealed, name).fingerprint for name in which}
    assert len(found.dated) == dated


@pytest.mark.parametrize("name", ["keyless.yaml", "other.yaml", "empty", "odd.pem", "nowhere"])
def test_what_holds_no_key_is_named_and_not_quoted(files, name):
    with pytest.raises(InvalidInput) as refused:
        recovered([str(files / name)])
    assert name in str(refused.value)
    assert "canary" not in str(refused.value)


def test_without_a_file_there_is_no_key():
    with pytest.raises(InvalidInput, match="--recovery-private-key"):
        recovered([""])
