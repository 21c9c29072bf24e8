import platform
from importlib.metadata import version

from plumbline.base.documents import load_document
from plumbline.base.json import decode


def test_version_for_people(run):
    said = run("version")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"plumbline {version('plumbline')} (Python {platform.python_version()}, ")


def test_version_for_programs(program):
    said = program("version", "-o", "json")
    assert (said.code, said.err) == (0, "")
    assert decode(said.out) == {
        "version": version("plumbline"),
        "python": platform.python_version(),
        "platform": f"{platform.system().lower()}/{platform.machine()}",
    }


def test_all_forms_say_the_same(run):
    answer = decode(run("version", "-o", "json").out)
    assert load_document(run("version", "-o", "yaml").out).value == answer
    assert answer["version"] in run("version").out


def test_version_as_scripts_ask_argocd_for_it(run):
    assert run("version", "--client").out == run("version").out, "no server is asked in any case"
    short = run("version", "--client", "--short").out
    assert short == f"plumbline: {version('plumbline')}\n"
    assert decode(run("version", "--short", "-o", "json").out) == {"version": version("plumbline")}
