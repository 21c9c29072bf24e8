"""What a server tells, for code that knows the Kubernetes API."""

import base64

import pytest

from plumbline.base.errors import Forbidden
from plumbline.base.json import decode, encode
from plumbline.cli.server.api import Api
from plumbline.cli.server.bridge import Bridge
from plumbline.delivery.settings.clusters import read_cluster
from plumbline.kube.client.transport import Request, Response


class Wire:
    """Answers by path, and remembers what was asked."""

    def __init__(self, **answers):
        self.answers = answers
        self.sent = []

    async def send(self, request):
        self.sent.append(request)
        return Response(200, {}, encode(self.answers[request.path.rpartition("/")[2]]))

    async def close(self): ...


def bridge(**answers):
    return Bridge(Api(Wire(**answers), "cd.example.org"))


async def got(far, path, query=""):
    answer = await far.send(Request("GET", path, query))
    return answer.status, decode(answer.body)


@pytest.mark.parametrize(
    ("settings", "namespaces", "why"),
    [({"appsInAnyNamespaceEnabled": True}, "*", "it decides which"), ({}, None, "its own alone")],
)
async def test_applications_are_in_as_many_namespaces_as_the_server_says(settings, namespaces, why):
    path = "/api/v1/namespaces/argocd/configmaps/argocd-cmd-params-cm"
    _, said = await got(bridge(settings=settings), path)
    assert said["data"].get("application.namespaces") == namespaces, why


async def test_settings_that_a_server_does_not_tell_are_not_there():
    far = bridge(settings={"url": "https://cd.example.org"})
    assert (await got(far, "/api/v1/namespaces/argocd/configmaps/argocd-cm"))[1]["data"][
        "url"
    ] == "https://cd.example.org"
    assert (await got(far, "/api/v1/namespaces/argocd/configmaps/argocd-rbac-cm"))[0] == 404


async def test_clusters_are_told_without_the_way_there():
    said = {
        "server": "https://eu",
        "name": "eu",
        "project": "shop",
        "namespaces": ["a", "b"],
        "config": {"x": "CANARY"},
    }
    query = "labelSelector=argocd.argoproj.io%2Fsecret-type%3Dcluster"
    _, listed = await got(bridge(clusters={"items": [said]}), "/api/v1/namespaces/argocd/secrets", query)
    (secret,) = listed["items"]
    assert base64.b64encode(b"CANARY").decode() not in encode(secret).decode()
    one = read_cluster(secret)
    assert (one.server, one.name, one.project, one.namespaces) == ("https://eu", "eu", "shop", ("a", "b"))


@pytest.mark.parametrize("path", ["/api/v1/namespaces/argocd/secrets", "/api/v1/pods", "/version"])
async def test_what_a_server_has_no_words_for_is_refused(path):
    with pytest.raises(Forbidden) as refused:
        await bridge().send(Request("GET", path))
    assert "--core" in refused.value.hint


class Silence:
    """A stream that says nothing, for ever."""

    closed = False

    async def close(self):
        self.closed = True


@pytest.mark.parametrize(("there", "status"), [([{"metadata": {"name": "web"}}], 200), ([], 410)])
async def test_what_went_before_its_stream_began_is_told_to_whoever_follows_it(there, status):
    silence = Silence()

    class Streaming(Wire):
        async def send(self, request):
            answer = await super().send(request)
            return Response(200, {}, stream=silence) if "/stream/" in request.path else answer

    far = Bridge(Api(Streaming(applications={"items": there}), "cd.example.org"))
    path, query = (
        "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications",
        "watch=true&fieldSelector=metadata.name%3Dweb",
    )
    answer = await far.send(Request("GET", path, query, stream_s=60))
    assert (answer.status, silence.closed) == (status, status == 410)


@pytest.mark.parametrize(("query", "asked"), [("", ""), ("fieldValidation=Ignore", "validate=false")])
async def test_who_does_not_want_an_application_checked_says_so_to_the_server(query, asked):
    wire = Wire(web={"metadata": {"name": "web"}, "spec": {}})
    body = encode({"metadata": {"name": "web"}, "spec": {}})
    path = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/web"
    assert (await Bridge(Api(wire, "cd.example.org")).send(Request("PUT", path, query, body=body))).status == 200
    (sent,) = wire.sent
    assert "&".join(each for each in sent.query.split("&") if each.startswith("validate")) == asked


class Refusing(Wire):
    """A server that has it already, as another."""

    async def send(self, request):
        self.sent.append(request)
        said = f"existing {self.answers['kind']} spec is different; use upsert flag to force update"
        return Response(400, {}, encode({"error": said, "message": said, "code": 3}))


async def test_a_project_that_is_there_as_another_is_there_already():
    far = Bridge(Api(Refusing(kind="project"), "cd.example.org"))
    body = encode({"metadata": {"name": "team"}, "spec": {}})
    path = "/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects"
    answer = await far.send(Request("POST", path, "", body=body))
    assert (answer.status, decode(answer.body)["reason"]) == (409, "AlreadyExists")
