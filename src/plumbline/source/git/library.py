"""libgit2, loaded when the first repository is read: its import takes 0.2 s."""

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import ModuleType

_CACHE_BYTES: Final = 16 << 20


@lru_cache(maxsize=1)
def library() -> "ModuleType":
    """The module, set up to read no configuration of whoever runs us. Blocks the first time."""
    import pygit2  # noqa: PLC0415 - see above
    from pygit2.enums import ConfigLevel  # noqa: PLC0415 - same

    for level in (ConfigLevel.PROGRAMDATA, ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL):
        pygit2.settings.search_path[level] = ""
    # Mirrors are ours, whoever a volume says that its files belong to.
    pygit2.settings.owner_validation = False
    # Folders are kept by our own cache, in the form that they are asked for.
    pygit2.settings.cache_max_size(_CACHE_BYTES)
    return pygit2
