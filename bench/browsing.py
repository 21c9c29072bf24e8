"""Chromium, as somebody has it in front of them, and clocks in the page: they are the machine's, as ours are."""

import asyncio
import shutil
from contextlib import asynccontextmanager

from playwright.async_api import async_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_S = 30.0
SIZE = {"width": 1360, "height": 850}

NOW = "performance.timeOrigin + performance.now()"

SEEN = f"""(function () {{
  window.benchSeen = (there) => new Promise((done) => {{
    const look = () => {{
      const found = there();
      if (!found) return false;
      observer.disconnect();
      requestAnimationFrame(() => done({NOW}));
      return true;
    }};
    const observer = new MutationObserver(look);
    observer.observe(document, {{ subtree: true, childList: true, characterData: true, attributes: true }});
    look();
  }});
}})();"""
"""In each page: a promise of the moment, in milliseconds since 1970, at which something is drawn."""


@asynccontextmanager
async def chromium():
    """The system's own; None where there is none."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        yield None
        return
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        await browser.close()


@asynccontextmanager
async def somebody(browser, web, state=None):
    """A browser of their own, with nothing in its cache."""
    context = await browser.new_context(
        base_url=web, storage_state=state, viewport=SIZE, reduced_motion="reduce", locale="en-GB"
    )
    await context.add_init_script(SEEN)
    yield context
    await context.close()


async def painted(page):
    """When the page was first drawn, in seconds since 1970."""
    script = """() => new Promise((done) => new PerformanceObserver((seen) => {
      const paint = seen.getEntries().find((each) => each.name === "first-contentful-paint");
      if (paint) done(performance.timeOrigin + paint.startTime);
    }).observe({ type: "paint", buffered: true }))"""
    return await page.evaluate(script) / 1000


async def seen(page, there):
    """When *there*, an expression, is true and drawn, in seconds since 1970."""
    async with asyncio.timeout(PATIENCE_S):
        return await page.evaluate(f"() => window.benchSeen(() => {there})") / 1000


class Wire:
    """What came over it, in bytes as they were sent, by address; what is asked for twice counts once."""

    def __init__(self):
        self.bytes = {}
        self._urls = {}

    @classmethod
    async def of(cls, page):
        wire = cls()
        session = await page.context.new_cdp_session(page)
        await session.send("Network.enable")
        session.on(
            "Network.requestWillBeSent", lambda sent: wire._urls.update({sent["requestId"]: sent["request"]["url"]})
        )
        session.on("Network.loadingFinished", wire._finished)
        return wire

    def _finished(self, done):
        url = self._urls.get(done["requestId"], "")
        self.bytes.setdefault(url, int(done["encodedDataLength"]))
