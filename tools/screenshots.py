"""Pictures of the main screens for the documentation: `python tools/screenshots.py` from the checkout, after `make ui peers`."""  # noqa: INP001 - a script

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.conformance.real import programs  # noqa: E402 - tests are found from the checkout
from tests.e2e.ui.browsing import Furnished, Person, chromium, settled  # noqa: E402 - same
from tests.e2e.ui.conftest import entered  # noqa: E402 - same

IMAGES = ROOT / "docs" / "images"
APPLICATION = "/applications/argocd/order-service"
SCREENS = {
    "applications": "/applications",
    "application": APPLICATION,
    "infrastructure": "/infra",
    "terraform": "/terraform",
    "ownership": "/ownership?object=database.company.io/PostgreSQLInstance/commerce/order-service-db",
    "permissions": "/settings/permissions?who=proj:production:deployer&resource=applications&action=sync&object=production/order-service",
}
SIZE = {"width": 1280, "height": 720}
REST_MS = 1_500


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        house = Furnished(Path(folder) / "data", programs=programs(), sample=True)
        house.start()
        try:
            house.until(
                lambda: (
                    (house.app("order-service") or {}).get("status", {}).get("health", {}).get("status") == "Healthy"
                )
            )
            person = Person(browser, house.web, entered(browser, house))
            for name, path in SCREENS.items():
                page = person.visit(path)
                page.set_viewport_size(SIZE)
                settled(page)
                page.wait_for_timeout(REST_MS)
                page.screenshot(path=IMAGES / f"{name}.png", animations="disabled")
                page.close()
            person.context.close()
        finally:
            house.stop()


if __name__ == "__main__":
    main()
