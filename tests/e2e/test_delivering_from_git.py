"""From a push to what runs: the whole program, its repositories and its API, with nothing in between that is ours."""

import base64

from .installation import WITHIN_S, application, config_map, in_waves

MAPS = "/api/v1/namespaces/{}/configmaps"
WAVES = (-1, 0, 1, 2)


def value(installation, name, namespace):
    found = installation.config_map(name, namespace)
    return found and found["data"]["value"]


def test_a_push_is_live_before_anybody_asks_for_news(installation, shop):
    """A repository is asked for news 120 s after it last was: within less than that, only a push can have told."""
    namespace = "pushed"
    first = shop.push({"pushed/a.yaml": config_map("a", "1")})
    installation.apply(application("pushed", namespace=namespace))
    installation.synced("pushed", first)
    for each in ("2", "3"):
        sha = shop.push({"pushed/a.yaml": config_map("a", each)})
        installation.until(lambda expected=each: value(installation, "a", namespace) == expected, within_s=WITHIN_S)
        installation.synced("pushed", sha)


def test_waves_come_one_after_the_other_and_go_in_reverse(installation, shop):
    since = installation.version()
    sha = shop.push({f"waved/{wave}.yaml": config_map(f"wave-{wave}", wave=wave) for wave in (2, 0, -1, 1)})
    installation.apply(application("waved", namespace="waved"))
    installation.synced("waved", sha)
    made = [each for each in installation.happened(MAPS.format("waved"), since=since) if each.what == "ADDED"]
    ours = [each for each in made if each.obj["metadata"]["name"].startswith("wave")]
    assert in_waves(ours, pause_s=2.0) == list(WAVES)

    since = installation.version()
    installation.delete_app("waved")
    installation.until(lambda: installation.app("waved") is None)
    gone = [each.wave for each in installation.happened(MAPS.format("waved"), since=since) if each.what == "DELETED"]
    assert gone == list(reversed(WAVES))


def test_what_somebody_changes_or_deletes_by_hand_comes_back(installation, shop):
    sha = shop.push({"healed/a.yaml": config_map("a", "git"), "healed/b.yaml": config_map("b", "git")})
    installation.apply(application("healed", namespace="healed"))
    installation.synced("healed", sha)
    changed = {"data": {"value": "by hand"}}
    installation.patch(f"{MAPS.format('healed')}/a", changed, "application/merge-patch+json")
    installation.delete(f"{MAPS.format('healed')}/b")
    installation.until(lambda: value(installation, "a", "healed") == "git")
    installation.until(lambda: value(installation, "b", "healed") == "git")


def test_what_leaves_git_goes_and_a_revert_brings_it_back(installation, shop):
    shop.push({"reverted/a.yaml": config_map("a", "good"), "reverted/b.yaml": config_map("b")})
    installation.apply(application("reverted", namespace="reverted"))
    installation.synced("reverted", shop.head)
    bad = shop.push({"reverted/a.yaml": config_map("a", "bad"), "reverted/b.yaml": None})
    installation.synced("reverted", bad)
    assert value(installation, "a", "reverted") == "bad"
    assert value(installation, "b", "reverted") is None
    app = installation.synced("reverted", shop.revert())
    assert value(installation, "a", "reverted") == "good"
    assert value(installation, "b", "reverted") == "1"
    assert len(app["status"]["history"]) == 3


def test_without_automation_nothing_happens_until_somebody_syncs(installation, shop):
    sha = shop.push({"manual/a.yaml": config_map("a")})
    installation.apply(application("manual", namespace="manual", automated=False))
    installation.until(
        lambda: installation.app("manual").get("status", {}).get("sync", {}).get("status") == "OutOfSync"
    )
    assert value(installation, "a", "manual") is None
    said = installation.plumb("app", "sync", "manual")
    assert said.code == 0, said.err
    installation.synced("manual", sha)
    assert value(installation, "a", "manual") == "1"


def test_the_first_password_lies_where_people_look_for_it_and_in_no_log(installation):
    secret = installation.live("/api/v1/namespaces/argocd/secrets/argocd-initial-admin-secret")
    password = base64.b64decode(secret["data"]["password"]).decode()
    assert len(password) >= 16
    assert password not in installation.log
