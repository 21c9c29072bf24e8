"""Commands of others beside ours: found by name on PATH, run with nothing in between, and never instead of a verb."""

import pytest

SCRIPT = "#!/bin/sh\n"


@pytest.fixture
def theirs(program, tmp_path):
    """`plumb` with a folder on PATH, and a way to put something into it."""
    folder = tmp_path / "bin"
    folder.mkdir()

    class Theirs:
        def put(self, name, text, mode=0o755):
            (folder / name).write_text(text)
            (folder / name).chmod(mode)

        def __call__(self, *args, path=f"{folder}:/usr/bin:/bin", **more):
            return program(*args, PATH=path, **more)

    return Theirs()


def test_a_verb_that_nobody_knows_is_a_program_on_the_path(theirs):
    theirs.put("plumb-greet", f'{SCRIPT}echo "hello $*"')
    said = theirs("greet", "--loud", "world", "--server", "x")
    assert (said.code, said.out, said.err) == (0, "hello --loud world --server x\n", "")


@pytest.mark.parametrize("code", [0, 1, 2, 3, 20])
@pytest.mark.parametrize("compat", ["", "argocd"])
def test_its_exit_code_is_the_answer(theirs, code, compat):
    theirs.put("argocd-leave", f"{SCRIPT}exit $1")
    assert theirs("leave", code, PLUMBLINE_COMPAT=compat).code == code


def test_it_reads_what_is_typed(theirs):
    theirs.put("argocd-echo", f"{SCRIPT}cat")
    assert theirs("echo", stdin="one\ntwo\n").out == "one\ntwo\n"


def test_plugins_of_argocd_are_ours_too_and_ours_come_first(theirs):
    theirs.put("argocd-greet", f"{SCRIPT}echo argocd")
    assert theirs("greet").out == "argocd\n"
    theirs.put("plumb-greet", f"{SCRIPT}echo plumb")
    assert theirs("greet").out == "plumb\n"
    assert theirs("greet", PLUMBLINE_COMPAT="argocd").out == "argocd\n"


def test_a_verb_of_ours_is_never_somebody_elses(theirs):
    for name in ("argocd-version", "plumb-version", "plumb-app"):
        theirs.put(name, f"{SCRIPT}echo stolen")
    assert "stolen" not in theirs("version", "--client").out
    assert "stolen" not in theirs("app").out
    assert "stolen" not in theirs("app", "frobnicate").out


def test_what_is_not_executable_or_called_otherwise_is_none(theirs):
    theirs.put("argocd-plain", f"{SCRIPT}echo no", mode=0o644)
    theirs.put("argocd_other", f"{SCRIPT}echo no")
    for name in ("plain", "other", "../bin/argocd_other", "-x"):
        said = theirs(name)
        assert (said.code, said.out) == (2, ""), name


def test_a_folder_that_depends_on_where_somebody_stands_is_passed_over(theirs, tmp_path, monkeypatch):
    theirs.put("plumb-greet", f"{SCRIPT}echo no")
    monkeypatch.chdir(tmp_path)
    for path in ("bin:/usr/bin", "./bin:/usr/bin"):
        assert theirs("greet", path=path).code == 2
    monkeypatch.chdir(tmp_path / "bin")
    assert theirs("greet", path=":/usr/bin").code == 2


def test_one_that_cannot_be_run_is_an_error_that_says_why(theirs):
    theirs.put("plumb-broken", "#!/nowhere/sh\n")
    said = theirs("broken")
    assert (said.code, said.out) == (3, "")
    assert "plumb-broken cannot be run" in said.err
    assert "hint" in said.err


def test_shells_are_offered_them_beside_the_verbs(theirs):
    theirs.put("argocd-verify", SCRIPT)
    theirs.put("argocd-version", SCRIPT)
    theirs.put("argocd-verbose", SCRIPT, mode=0o644)
    asked = {"_PLUMB_COMPLETE": "bash_complete", "COMP_WORDS": "plumb ver", "COMP_CWORD": "1"}
    assert theirs(**asked).out.split() == ["plain,version", "plain,verify"]
