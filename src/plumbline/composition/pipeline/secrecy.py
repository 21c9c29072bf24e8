"""Keeps the secrets of one run out of what is told about it: functions see them, and may repeat them in a complaint."""

from collections.abc import Iterable, Mapping

from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import KnownSecrets
from plumbline.composition.functions.values import State

_CUT = "..."


class Secrecy:
    """Nothing is prepared until something is said: most runs say nothing."""

    def __init__(self, observed: State, longest_chars: int) -> None:
        self._longest = longest_chars
        self._secrets: list[Mapping[str, Plaintext]] = []
        self._known: KnownSecrets | None = None
        self.see(observed)

    def see(self, state: State) -> None:
        self.keep([state.composite.connection, *(each.connection for each in state.resources.values())])

    def keep(self, secrets: Iterable[Mapping[str, Plaintext]]) -> None:
        added = [each for each in secrets if each]
        if added:
            self._secrets += added
            self._known = None

    def told(self, message: str) -> str:
        """*message* without secrets, and no longer than anybody reads."""
        if len(message) > self._longest:
            message = message[: self._longest - len(_CUT)] + _CUT
        if not self._secrets:
            return message
        if self._known is None:
            self._known = KnownSecrets(capacity=sum(map(len, self._secrets)))
            for secrets in self._secrets:
                for value in secrets.values():
                    self._known.add(value)
        return self._known.mask(message)
