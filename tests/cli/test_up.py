def test_up_starts_nothing_and_says_so(program):
    said = program("up")
    assert said.code in {0, 1}, "as the checks went"
    assert "python" in said.out
    assert "Nothing was started" in said.err
    assert "plumb diff" in said.err


def test_up_answers_as_the_checks_went(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = run("up")
    assert said.code == 1, "there is no git on this PATH"
    assert "✗ failed   git" in said.out
