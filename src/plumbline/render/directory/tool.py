"""A folder of YAML, JSON and Jsonnet files."""

import asyncio
from typing import Final

from plumbline.base.errors import EvaluationFailed, InvalidInput, LimitExceeded, TimedOut
from plumbline.base.evaluator import Evaluator, Jsonnet
from plumbline.base.json import Json, encode
from plumbline.base.tree import read_text, resolve
from plumbline.kinds.application import ApplicationSourceDirectory, ApplicationSourceJsonnet, JsonnetVar
from plumbline.render.directory.imports import closure
from plumbline.render.directory.selection import Chosen, chosen, linked, selection
from plumbline.render.environment import environment
from plumbline.render.requests import Found, Origin, Request
from plumbline.render.tool import Output
from plumbline.render.values import version_of

VALUES_FROM: Final = "valuesFrom"
"""The external variable that holds values from outside, unless the source has one of that name."""
_DEFAULT: Final = ApplicationSourceDirectory()
_SKIP: Final = b"+argocd:skip-file-rendering"
"""A file with this in it, wherever that is, is no manifest."""


class Directory:
    heavy = False

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def inputs(self, request: Request) -> tuple[str, ...]:
        tree, place, settings = request.tree, request.place, request.settings
        options = request.source.directory or _DEFAULT
        selected = selection(tree, place, options)
        parts = [place, selected.digest, str(settings.directory_bytes), *linked(tree, place, selected)]
        if selected.jsonnet and "Directory" not in settings.disabled:
            libs = _libs(request, options.jsonnet)
            parts += [encode((libs, _variables(request, options.jsonnet))).decode(), str(settings.jsonnet_deadline_s)]
            parts += filter(None, (version_of(request.values),))
            for each in chosen(tree, place, selected):
                if each.jsonnet:
                    parts += (f"{path}\0{content}" for path, content in closure(tree, each.path, libs).seen)
        return tuple(parts)

    async def render(self, request: Request) -> Output:
        from plumbline.render.directory.reading import read_files  # noqa: PLC0415 - loads YAML

        files, texts = _read(request)
        plain = [(each.path, texts[each.path]) for each in files if each.path in texts and not each.jsonnet]
        if sum(len(text) for _, text in plain) <= request.settings.inline_bytes:
            outputs = read_files(plain)
        else:
            outputs = await asyncio.to_thread(read_files, plain)
        read = dict(zip((path for path, _ in plain), outputs, strict=True))
        found: list[Found] = []
        warnings: list[str] = []
        for each in files:
            if each.path in texts:
                output = await self._evaluated(request, each) if each.jsonnet else read[each.path]
                found += output.found
                warnings += output.warnings
        return Output(tuple(found), tuple(warnings))

    async def _evaluated(self, request: Request, program: Chosen) -> Output:
        options = (request.source.directory or _DEFAULT).jsonnet
        libs = _libs(request, options)
        files = closure(request.tree, program.path, libs).files
        ext_vars, ext_codes, tla_vars, tla_codes = _variables(request, options)
        if request.values is not None and VALUES_FROM not in ext_vars.keys() | ext_codes.keys():
            ext_codes = {**ext_codes, VALUES_FROM: request.values.tree.reveal().decode()}
        try:
            task = Jsonnet(
                source=files[program.path].decode(),
                name=program.path,
                files=files,
                libs=libs,
                ext_vars=ext_vars,
                ext_codes=ext_codes,
                tla_vars=tla_vars,
                tla_codes=tla_codes,
            )
            result = await self._evaluator.jsonnet(task, deadline_s=request.settings.jsonnet_deadline_s)
        except UnicodeDecodeError as error:
            raise InvalidInput(f"Cannot evaluate {program.path}", why="it is not UTF-8") from error
        except (EvaluationFailed, LimitExceeded, TimedOut) as error:
            raise type(error)(f"Cannot evaluate {program.path}", why=error.why, hint=error.hint) from error
        return Output(tuple(_manifested(result, program.path)))


def _read(request: Request) -> tuple[list[Chosen], dict[str, bytes]]:
    """The manifests, and the texts of those that are not to be skipped, all of them within the limit."""
    tree, place, settings = request.tree, request.place, request.settings
    selected = selection(tree, place, request.source.directory or _DEFAULT)
    for _ in linked(tree, place, selected):
        pass
    files = chosen(tree, place, selected)
    texts: dict[str, bytes] = {}
    left = settings.directory_bytes
    for each in files:
        if each.jsonnet and "Directory" in settings.disabled:
            continue
        text = read_text(tree, each.place)
        if _SKIP in text:
            continue
        left -= 0 if each.jsonnet else len(text)
        if left < 0:
            raise LimitExceeded(
                f"Cannot render {request.source.path or '.'}",
                why=f"exceeded max combined manifest file size of {settings.directory_bytes:,} bytes",
            )
        texts[each.path] = text
    return files, texts


def _libs(request: Request, options: ApplicationSourceJsonnet) -> tuple[str, ...]:
    """Folders that imports are looked up in, the last one first: relative to the root, and inside of it."""
    return (request.place, *(resolve(request.tree, lib) for lib in options.libs))


def _variables(request: Request, options: ApplicationSourceJsonnet) -> tuple[dict[str, str], ...]:
    """External variables as texts and as code, then top-level arguments likewise, with references replaced."""
    known = environment(request)

    def valued(variables: tuple[JsonnetVar, ...], *, code: bool) -> dict[str, str]:
        return {each.name: known.substituted(each.value) for each in variables if each.code is code}

    return (
        valued(options.ext_vars, code=False),
        valued(options.ext_vars, code=True),
        valued(options.tlas, code=False),
        valued(options.tlas, code=True),
    )


def _manifested(result: Json, path: str) -> list[Found]:
    """One object or an array of them; null, alone or among them, is nothing."""
    objects = result if isinstance(result, list) else [result]
    if not all(isinstance(each, dict) or each is None for each in objects):
        raise InvalidInput(f"Cannot use what {path} gives", why="it is neither an object nor an array of objects")
    return [Found(each, Origin(path, number)) for number, each in enumerate(objects, 1) if each is not None]
