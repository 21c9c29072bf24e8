"""A story told in virtual time, for tests that have arguments."""

from plumbline.base.virtualtime import run_virtually


def told(story, place):
    async def main():
        async with place as found:
            await story(found)

    run_virtually(main)
