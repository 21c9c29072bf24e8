from pathlib import Path

from plumbline.base.environment import environment, home


def test_the_environment_is_that_of_the_process(monkeypatch):
    monkeypatch.setenv("PLUMBLINE_TEST", "yes")
    assert environment()["PLUMBLINE_TEST"] == "yes"
    monkeypatch.delenv("PLUMBLINE_TEST")
    assert "PLUMBLINE_TEST" not in environment()


def test_home_is_where_the_environment_says(monkeypatch):
    monkeypatch.setenv("HOME", "/somewhere")
    assert home() == Path("/somewhere")


def test_home_is_that_of_the_user_where_nothing_is_said(monkeypatch):
    monkeypatch.setenv("HOME", "")
    assert home().is_absolute()
