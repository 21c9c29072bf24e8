"""A pinned program, built with Go into the cache folder."""

from pathlib import Path
from typing import Final

from plumbline.base.errors import PlumblineError, ToolMissing
from plumbline.base.process import Command, run, scratch, sweep
from plumbline.render.tools.pins import Pin

_DEADLINE_S: Final = 900.0
_SETTINGS: Final = (
    "PATH",
    "HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "GOPATH",
    "GOMODCACHE",
    "GOCACHE",
    "GOPROXY",
    "GONOPROXY",
    "GOSUMDB",
    "GONOSUMDB",
    "GOPRIVATE",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)


async def built(pin: Pin, go: Path, cache: Path) -> Path:
    """Build *pin* with *go* and give where it is. It appears there whole or not at all, whoever else builds it too."""
    target = _cleared(cache) / pin.filename
    async with scratch(cache) as folder:
        try:
            await run(_build(pin, go, folder))
            (folder / pin.name).rename(target)
        except (PlumblineError, OSError) as error:
            raise ToolMissing(
                f"{pin.name} {pin.version} could not be built",
                why=str(error),
                hint=f"Install {pin.name} yourself, or see what `go install {pin.package}@{pin.version}` says.",
            ) from error
    return target


def _cleared(cache: Path) -> Path:
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    sweep(cache)
    return cache


def _build(pin: Pin, go: Path, folder: Path) -> Command:
    return Command(
        argv=(
            str(go),
            "install",
            "-trimpath",
            "-buildvcs=false",
            f"-ldflags=-s -w -X {pin.variable}={pin.version}",
            f"{pin.package}@{pin.version}",
        ),
        cwd=folder,
        inherit=_SETTINGS,
        environment={"GOBIN": str(folder), "GOFLAGS": "", "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"},
        deadline_s=_DEADLINE_S,
        beyond="discard",
    )
