"""A cloud, asked past the program under test: with AWS's own library, and through the sandbox's back door."""

import asyncio
import urllib.request
from typing import Any

from aiobotocore.session import get_session

from plumbline.base.json import Json, decode

REGION = "eu-west-1"


class Cloud:
    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, service: str, operation: str, *, region: str = REGION, **params: Any) -> dict[str, Any]:
        """One call of AWS, as anybody makes it."""

        async def asked() -> dict[str, Any]:
            place = {"endpoint_url": self.url, "region_name": region}
            keys = {"aws_access_key_id": "somebody", "aws_secret_access_key": "else"}
            async with get_session().create_client(service, **place, **keys) as client:
                return await client._make_api_call(operation, params)

        return asyncio.run(asked())

    def database(self, name: str, *, region: str = REGION) -> dict[str, Any]:
        return self.ask("rds", "DescribeDBInstances", region=region, DBInstanceIdentifier=name)["DBInstances"][0]

    @property
    def resources(self) -> set[tuple[str, str]]:
        """All that anybody has made, by kind and id."""
        return {(each["kind"], each["id"]) for each in self._administered("resources")}

    @property
    def creations(self) -> dict[str, int]:
        """How often something was asked to be made, by operation."""
        made = ("Create", "Put", "Allocate")
        asked = self._administered("")["requests"]
        return {name: count for name, count in asked.items() if name.partition(".")[2].startswith(made)}

    def _administered(self, path: str) -> Json:
        with urllib.request.urlopen(f"{self.url}/_sandbox/{path}", timeout=60) as answer:  # noqa: S310 - on loopback
            return decode(answer.read())
