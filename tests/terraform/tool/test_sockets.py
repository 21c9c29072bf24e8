"""Providers can listen, however long the path of our folder is."""

import socket

import pytest

from plumbline.terraform.tool.sockets import sockets

NAME = "plugin4294967295"


@pytest.mark.parametrize("length", [10, 80, 90, 91, 200])
def test_a_socket_can_be_made_there(tmp_path_factory, length):
    usual = tmp_path_factory.mktemp("x")
    usual /= "n" * max(1, min(200, length - len(str(usual)) - 1))
    usual.mkdir()
    with sockets(usual) as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / NAME))
        assert folder == usual or folder.stat().st_mode & 0o777 == 0o700
    assert folder == usual or not folder.exists()


def test_a_short_path_is_used_as_it_is(tmp_path_factory):
    with sockets(short := tmp_path_factory.getbasetemp().parent) as folder:
        assert folder == short
