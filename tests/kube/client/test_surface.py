import asyncio
import sys

import plumbline.kube.client as room

LAZY = "import sys, plumbline.kube.client; print([m for m in ('aiohttp', 'yarl', 'yaml', 'multidict') if m in sys.modules])"


def test_the_surface_is_small_sorted_and_real():
    assert len(room.__all__) <= 12
    assert room.__all__ == sorted(room.__all__)
    assert all(hasattr(room, name) for name in room.__all__)


async def test_importing_it_loads_neither_http_nor_yaml():
    started = await asyncio.create_subprocess_exec(sys.executable, "-c", LAZY, stdout=asyncio.subprocess.PIPE)
    printed, _ = await started.communicate()
    assert printed.strip() == b"[]"
