"""How an object fares, whoever has to be asked for that."""

from plumbline.base.errors import EvaluationFailed
from plumbline.delivery.faring import application_health, fares
from plumbline.kube.health import parse_overrides

OVERRIDES = parse_overrides({"resource.customizations.health.ConfigMap": "script"})


class Lua:
    def __init__(self, answer):
        self.answer = answer

    async def lua(self, script, variables, *, open_libs=False, deadline_s=1.0):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def config_map(**more):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, **more}


async def test_a_script_of_the_settings_decides():
    health = await fares(Lua({"status": "Degraded", "message": "no"}), config_map(), OVERRIDES)
    assert (str(health.status), health.message) == ("Degraded", "no")


async def test_a_script_that_fails_says_that_nothing_is_known():
    health = await fares(Lua(EvaluationFailed("it went wrong")), config_map(), OVERRIDES)
    assert str(health.status) == "Unknown"


async def test_kinds_without_health_have_none():
    assert await fares(Lua(None), config_map(), parse_overrides({})) is None


async def test_an_application_fares_as_what_it_delivers():
    app = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "status": {"health": {"status": "Degraded"}}}
    assert str((await fares(Lua(None), app, parse_overrides({}))).status) == "Degraded"
    for odd in ({}, {"status": []}, {"status": {"health": {"status": "Odd"}}}):
        assert str(application_health(odd).status) == "Progressing"
