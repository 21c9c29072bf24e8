"""Scratch directories are private, and go away even if their maker was killed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.base.process import scratch, sweep
from plumbline.base.process.scratch import PREFIX


async def test_a_scratch_directory_is_ours_alone_and_goes_away_with_what_is_in_it(tmp_path):
    async with scratch(tmp_path) as path:
        assert path.stat().st_mode & 0o777 == 0o700
        (path / "deep" / "er").mkdir(parents=True)
        (path / "deep" / "file").write_text("x")
        (path / "link").symlink_to(tmp_path)
    assert list(tmp_path.iterdir()) == []


async def test_it_goes_away_on_failure_too(tmp_path):
    with pytest.raises(KeyError):
        async with scratch(tmp_path):
            raise KeyError
    assert list(tmp_path.iterdir()) == []


async def test_the_default_is_the_directory_for_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with scratch() as path:
        assert path.parent == tmp_path
        assert sweep() == 0


async def test_a_directory_in_use_is_not_swept(tmp_path):
    async with scratch(tmp_path) as path:
        assert sweep(tmp_path) == 0
        assert path.is_dir()


def test_what_a_killed_program_left_is_swept(tmp_path):
    code = f"""
import asyncio, pathlib
from plumbline.base.process import scratch
async def main():
    async with scratch(pathlib.Path({str(tmp_path)!r})) as path:
        (path / "left").write_text("x")
        print(path, flush=True)
        await asyncio.sleep(1000)
asyncio.run(main())
"""
    argv = [sys.executable, "-c", code]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as program:
        path = Path(program.stdout.readline().strip())
        assert path.is_dir()
        assert sweep(tmp_path) == 0
        program.kill()
    assert (path / "left").exists()
    assert sweep(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_ours_is_left(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / f"{PREFIX}file").write_text("a file")
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "other")
    assert sweep(tmp_path) == 0
    assert {entry.name for entry in tmp_path.iterdir()} == {"other", f"{PREFIX}file", f"{PREFIX}link"}


async def test_a_directory_taken_by_a_sweeper_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    import tempfile  # noqa: PLC0415 - patched below

    made = []
    mkdtemp = tempfile.mkdtemp

    def swept_at_once(**arguments):
        path = mkdtemp(**arguments)
        made.append(path)
        if len(made) == 1:
            assert sweep(tmp_path) == 1
        return path

    monkeypatch.setattr(tempfile, "mkdtemp", swept_at_once)
    async with scratch(tmp_path) as path:
        assert path.is_dir()
    assert len(made) == 2


async def test_directories_that_nobody_may_enter_are_removed_all_the_same(tmp_path, monkeypatch):
    rmtree = shutil.rmtree
    refused = []

    def refusing_once(path, **options):
        """Root is refused nothing by permissions, so the refusal is made here."""
        if not refused:
            refused.append(path)
            raise PermissionError(13, "Permission denied", str(path))
        rmtree(path, **options)

    monkeypatch.setattr(shutil, "rmtree", refusing_once)
    async with scratch(tmp_path) as path:
        (path / "closed" / "inner").mkdir(parents=True)
        (path / "closed" / "link").symlink_to("/")
        (path / "closed").chmod(0o000)
    assert len(refused) == 1
    assert list(tmp_path.iterdir()) == []
