"""Plugins of a folder that is deleted and made anew: those of before are gone, those of now are there."""

import socket

import pytest

from plumbline.render.plugins import Plugins


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    made = tmp_path / "plugins"
    made.mkdir()
    return made


def serve(folder, name):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder.relative_to(folder.parent) / f"{name}.sock"))


def emptied(folder):
    for each in folder.iterdir():
        each.unlink()


def names(plugins):
    return [each.name for each in plugins.all()]


def test_a_sidecar_that_restarts_stays_known(folder):
    serve(folder, "one")
    plugins = Plugins(folder)
    assert names(plugins) == ["one"]
    emptied(folder)
    assert names(plugins) == ["one"]
    folder.rmdir()
    assert names(plugins) == ["one"], "nobody knows yet what comes in its place"


def test_those_of_another_folder_take_their_place(folder):
    serve(folder, "one")
    plugins = Plugins(folder)
    assert plugins.named("one") is not None
    emptied(folder)
    folder.rmdir()
    folder.mkdir()
    serve(folder, "two")
    assert plugins.named("one") is None
    assert names(plugins) == ["two"]


def test_a_folder_may_come_later(folder):
    folder.rmdir()
    plugins = Plugins(folder)
    assert names(plugins) == []
    folder.mkdir()
    serve(folder, "one")
    assert names(plugins) == ["one"]
