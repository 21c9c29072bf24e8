"""A local AWS for laptops and tests: moto behind the rules that AWS has and moto has not, with states that take time.

    async with sandbox(folder) as running:
        client = session.create_client("rds", endpoint_url=running.url, ...)

It is a simulation and says so in each answer (`x-plumbline-simulation`). It runs in a process of its own, which starts with
the first request and ends with ours.

    request ──> resolving ──> faults ──> rules ──> veils ──> moto ──> states ──> answer
                (operation,   (asked     (rows:    (not yet   (the    (creating,
                 parameters)   for)       refusal)  visible)   cloud)  deleting)
"""

from plumbline.providers.sandbox.options import Options
from plumbline.providers.sandbox.running import Running, sandbox

__all__ = ["Options", "Running", "sandbox"]
