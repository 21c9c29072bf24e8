"""Calls to one service of AWS as one identity."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, Final

from plumbline.base.aside import Aside
from plumbline.base.errors import LimitExceeded, PlumblineError, Unauthenticated
from plumbline.base.json import Json, JsonObject
from plumbline.secrets.stores.aws import faults, sdk
from plumbline.secrets.stores.aws.identity import Identity
from plumbline.secrets.stores.aws.places import Places

_MOST_PAGES: Final = 200


class Calls:
    """The client is made with the first call. `close` when done."""

    def __init__(self, identity: Identity, service: str, places: Places, aside: Aside) -> None:
        self._identity = identity
        self._service = service
        self._places = places
        self._aside = aside
        self._stack = AsyncExitStack()
        self._client: Any = None

    async def call(self, operation: str, what: str, **params: Json) -> JsonObject:
        """The answer to *operation* (`get_parameter`); *what* did not happen where it is none, as an error of the tree."""
        try:
            client = await self._opened()
            answer: JsonObject = await getattr(client, operation)(**params)
        except PlumblineError:
            raise
        except Exception as error:
            fault = faults.translated(error, what)
            if fault is None:
                raise
            if isinstance(fault, Unauthenticated) and self._identity.drop is not None:
                self._identity.drop()
            # botocore keeps requests and answers in its errors: they end here.
            raise fault from None
        return answer

    async def pages(self, operation: str, what: str, **params: Json) -> AsyncIterator[JsonObject]:
        """All answers, one after the other. Raises LimitExceeded where there is no end."""
        token = ""
        for _ in range(_MOST_PAGES):
            answer = await self.call(operation, what, **params, **({"NextToken": token} if token else {}))
            yield answer
            token = answer.get("NextToken") or ""
            if not token:
                return
        raise LimitExceeded(what, why=f"There are more than {_MOST_PAGES} pages of them", hint="Search more narrowly.")

    async def close(self) -> None:
        self._client = None
        await self._stack.aclose()

    async def _opened(self) -> Any:
        if self._client is None:
            await self._aside(lambda: sdk.prepare(self._service))
            made = self._identity.client(self._service, self._places)
            self._client = await self._stack.enter_async_context(made)
        return self._client
