"""What somebody may not know of is the same to them as what is not there."""

import pytest

ONE = "/api/v1/applications/web"
GENERIC = {"error": "permission denied", "code": 7, "message": "permission denied"}


async def test_who_has_not_said_who_they_are_is_told_nothing(place):
    told = await place.ask("GET", ONE, who="")
    assert (told.status, told.json) == (
        401,
        {k: told.json[k] for k in ("error", "message")} | {"code": 16},
    )
    assert told.json["message"].startswith("no session information")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", ONE, None),
        ("GET", f"{ONE}?refresh=hard", None),
        ("GET", f"{ONE}/syncwindows", None),
        ("GET", f"{ONE}/links", None),
        ("DELETE", ONE, None),
        ("DELETE", f"{ONE}/operation", None),
        ("POST", f"{ONE}/sync", {}),
        ("POST", f"{ONE}/rollback", {"id": 1}),
        ("PATCH", ONE, {"patch": "[]"}),
        ("PUT", f"{ONE}/spec", {"project": "shop"}),
    ],
)
async def test_missing_and_forbidden_are_one_answer(place, method, path, body):
    absent = await place.ask(method, path, body, who="dev")
    await place.deploy("web", project="bank")
    forbidden = await place.ask(method, path, body, who="dev")
    assert (absent.status, absent.body) == (forbidden.status, forbidden.body)
    assert (absent.status, absent.json) == (403, GENERIC)


async def test_within_a_project_that_one_may_see_what_is_missing_is_not_found(place):
    await place.deploy("web", project="bank")
    missing = await place.ask("GET", "/api/v1/applications/none?project=shop", who="dev")
    elsewhere = await place.ask("GET", f"{ONE}?project=shop", who="dev")
    assert (missing.status, missing.json["code"], elsewhere.status, elsewhere.json["code"]) == (404, 5, 404, 5)
    assert (await place.ask("GET", f"{ONE}?project=bank", who="dev")).json == GENERIC
    assert (await place.ask("GET", f"{ONE}?project=shop", who="ada")).status == 404
    assert (await place.ask("GET", f"{ONE}?project=shop&project=bank")).status == 400


async def test_the_cluster_is_asked_whether_or_not_somebody_may_know(place):
    """Otherwise time would tell."""
    await place.deploy("web", project="bank")
    place.transport.asked.clear()
    for path in (ONE, f"{ONE}?project=bank", "/api/v1/applications/none"):
        await place.ask("GET", path, who="dev")
    assert len(place.transport.asked) == 3


async def test_applications_elsewhere_are_looked_at_only_where_the_settings_say_so(place):
    await place.deploy("web", namespace="team")
    assert (await place.ask("GET", f"{ONE}?appNamespace=team")).json == GENERIC
    await place.configure("argocd-cmd-params-cm", **{"application.namespaces": "team"})
    assert (await place.ask("GET", f"{ONE}?appNamespace=team")).json["metadata"]["namespace"] == "team"
    place.allow("p, eve, applications, get, shop/team/web, allow\n")
    assert (await place.ask("GET", f"{ONE}?appNamespace=team", who="eve")).status == 200
    assert (await place.ask("GET", "/api/v1/applications/web/nothing")).status == 404
    assert (await place.ask("PUT", "/api/v1/applications", {})).status == 405
