import pytest

from plumbline.base.errors import InvalidInput
from plumbline.composition.functions.configuration import At, Configured, Started, configured


def written(tmp_path, text):
    file = tmp_path / "functions.yaml"
    file.write_text(text)
    return file


def test_without_a_file_there_is_just_the_folder(tmp_path):
    assert configured(None, tmp_path) == Configured(folder=tmp_path)


def test_functions_are_reached_by_address_or_started_by_command(tmp_path):
    file = written(
        tmp_path,
        """
functions:
  far: {address: "far.example.org:9443", certificates: keys}
  near: {command: [bin/near, "--address={address}"]}
  known: {command: [python3, -m, known]}
network: true
templates: texts
""",
    )
    found = configured(file, tmp_path / "functions")
    assert found.functions == {
        "far": At("far.example.org:9443", tmp_path / "keys"),
        "near": Started((str(tmp_path / "bin/near"), "--address={address}")),
        "known": Started(("python3", "-m", "known")),
    }
    assert (found.network, found.templates, found.folder) == (True, tmp_path / "texts", tmp_path / "functions")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("functions: {a: {}}", "either an address or a command"),
        ("functions: {a: {address: x, command: [run]}}", "either an address or a command"),
        ("functions: {a: {adress: x}}", "unknown field `adress`"),
        ("functions: [a]", "Expected `object`"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, text, why):
    with pytest.raises(InvalidInput, match=why):
        configured(written(tmp_path, text), tmp_path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidInput, match=r"Cannot read .*nowhere"):
        configured(tmp_path / "nowhere", tmp_path)
