"""What the stores answered, put together."""

from plumbline.base.errors import InvalidInput, NotFound, PlumblineError
from plumbline.base.plaintext import Plaintext
from plumbline.gotemplate import Surroundings
from plumbline.kernel.outcomes import Stop
from plumbline.kinds.externalsecrets.externalsecret import GeneratorRef
from plumbline.secrets.external.around import Around
from plumbline.secrets.external.asking import Answer, Question, items
from plumbline.secrets.external.failing import UNFETCHED, failed
from plumbline.secrets.external.looking import At, Look, key_of
from plumbline.secrets.external.shaping import Answers, Gathered, gathered


class Gathering:
    def __init__(self, around: Around) -> None:
        self._around = around

    async def fetched(self, run: Look, at: At) -> At | Stop:
        """Every answer, or the first failure as the spec lists them: nothing is made of half of them."""
        namespace = key_of(run)[0]
        with run.waiting():
            found = dict(await self._around.fetching.answers(at.stores, namespace))
            for question in (each.question for each in items(run.spec)):
                if question.generator is not None:
                    found[question] = await self._generated(question.generator, namespace)
        answers: dict[Question, Answer | None] = {}
        for item in items(run.spec):
            answer = found[item.question]
            if isinstance(answer, PlumblineError) and not isinstance(answer, NotFound):
                return failed(self._around, run, f"{UNFETCHED}: {item.place}", answer)
            answers[item.question] = None if isinstance(answer, NotFound) else answer
        return at._replace(answers=answers)

    async def _generated(self, ref: GeneratorRef, namespace: str) -> Answer | PlumblineError:
        try:
            return await self._around.generators.values(ref, namespace)
        except PlumblineError as error:
            return error

    async def gathered(self, run: Look, at: At) -> At | Stop:
        world = self._around.world
        listed = [at.answers[item.question] for item in items(run.spec)]
        first = len(run.spec.data_from)
        answers = Answers(
            [None if each is None or isinstance(each, Plaintext) else each for each in listed[:first]],
            [each if isinstance(each, Plaintext) else None for each in listed[first:]],
        )
        try:
            found = await self._around.aside(
                lambda: gathered(run.spec, answers, Surroundings(world.clock.now, world.ids))
            )
        except (InvalidInput, NotFound) as error:
            return failed(self._around, run, "" if error.what.startswith(UNFETCHED) else UNFETCHED, error)
        self._tell_missing(run, found)
        return at._replace(gathered=found, answers={})

    def _tell_missing(self, run: Look, found: Gathered) -> None:
        """Once, and again where something else is missing."""
        key, missing = key_of(run), frozenset(found.missing)
        for each in found.missing:
            if each not in self._around.memory.missing.get(key, ()):
                run.tell("MissingProviderSecret", each)
        self._around.memory.missing[key] = missing
