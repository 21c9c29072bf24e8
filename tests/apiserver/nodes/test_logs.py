"""Logs of simulated containers, and doors that stay shut."""

import asyncio

import pytest
from tests.apiserver.nodes.objects import container, pod
from tests.apiserver.nodes.stage import POD, on_stage, staged, virtually

from plumbline.apiserver.calls import Call
from plumbline.apiserver.nodes import Rule, Scenario
from plumbline.apiserver.nodes.logs.buffer import LARGEST_BYTES, LogBuffer
from plumbline.apiserver.nodes.moments import seconds_of
from plumbline.apiserver.nodes.pods.view import PodView
from plumbline.base.errors import RequestRefused
from plumbline.base.tasks import task_group

BANNER = "simulated container c of pod default/web starts with nginx\n"


async def log(stage, name="web", query=""):
    answer = await stage.nodes.serve_log("default", name, Call("GET", "", query))
    if answer.stream is not None:
        return b"".join([piece async for piece in answer.stream]).decode()
    return answer.body.decode()


async def refused(stage, name="web", query=""):
    with pytest.raises(RequestRefused) as caught:
        await stage.nodes.serve_log("default", name, Call("GET", "", query))
    return caught.value.status["code"], caught.value.status["message"]


@on_stage()
async def test_a_container_says_that_it_started_and_what_it_was_told_to_say(stage):
    await stage.apply(pod("web", annotations={"log": "hello\nworld"}))
    await stage.settle()
    assert await log(stage) == f"{BANNER}hello\nworld\n"
    answer = await stage.nodes.serve_log("default", "web", Call("GET", ""))
    assert (answer.status, answer.content_type) == (200, "text/plain")


@on_stage()
async def test_lines_are_repeated_as_told_and_cost_nothing_until_they_are_read(stage):
    await stage.apply(pod("web", annotations={"log": "tick", "log-every": "10s"}))
    await asyncio.sleep(35)
    assert await log(stage) == f"{BANNER}tick\n" + "tick\n" * 3
    await asyncio.sleep(1_000_000)
    assert (await log(stage)).count("tick") <= 504


@on_stage()
async def test_what_a_command_echoes_is_written_when_it_comes_to_that(stage):
    speaker = container(command=["sh", "-c", "echo one; sleep 3; echo two && sleep 3; exit 2"])
    await stage.apply(pod("web", restartPolicy="Never", containers=[speaker]))
    await stage.settle()
    following = asyncio.create_task(log(stage, query="follow=true"))
    await asyncio.sleep(2)
    assert await log(stage) == f"{BANNER}one\n"
    await asyncio.sleep(2)
    assert await log(stage) == f"{BANNER}one\ntwo\n"
    assert await following == f"{BANNER}one\ntwo\nsimulated container c ends with code 2\n"


@on_stage()
async def test_probes_leave_traces(stage):
    probe = {"httpGet": {"path": "/healthz", "port": 80}, "periodSeconds": 5}
    await stage.apply(pod("web", containers=[container(livenessProbe=probe)]))
    await asyncio.sleep(11)
    assert await log(stage) == BANNER + 'kube-probe/1.36 "GET /healthz" 200\n' * 2


OPTIONS = [
    ("tailLines=1", "tick\n", "the last line"),
    ("tailLines=0", "", "none at all"),
    ("tailLines=99", f"{BANNER}tick\ntick\ntick\n", "more than there are"),
    ("sinceSeconds=5", "tick\n", "of the last seconds"),
    ("sinceTime=2026-01-01T00:00:20Z", "tick\n", "since a moment"),
    ("limitBytes=9", "simulated", "not more than so many bytes"),
    ("tailLines=1&timestamps=true", "2026-01-01T00:00:20.001000000Z tick\n", "with times"),
    ("follow=false&timestamps=0", f"{BANNER}tick\ntick\ntick\n", "a no is a no"),
]


@pytest.mark.parametrize(("query", "wanted", "why"), OPTIONS)
def test_options_choose_lines(query, wanted, why):
    @virtually
    async def story():
        async with staged() as stage:
            await stage.apply(pod("web", annotations={"log": "tick", "log-every": "10s"}))
            await asyncio.sleep(22)
            assert await log(stage, query=query) == wanted, why

    story()


@on_stage()
async def test_following_goes_on_until_the_container_ends(stage):
    told = {"log": "tick", "log-every": "2s", "run-for": "5s"}
    await stage.apply(pod("job", restartPolicy="Never", annotations=told))
    await stage.settle()
    text = await log(stage, "job", "follow=true&tailLines=1")
    assert text == "tick\n" * 3 + "simulated container c ends with code 0\n"
    assert round(stage.clock.monotonic()) == 5
    assert await log(stage, "job", "follow=true&limitBytes=3") == "sim"


@on_stage()
async def test_following_ends_when_the_pod_goes_and_at_its_limit(stage):
    await stage.apply(pod("web", annotations={"log": "tick", "log-every": "2s"}))
    await stage.settle()
    assert len(await log(stage, query="follow=true&limitBytes=80")) == 80
    async with task_group() as tasks:
        following = tasks.create_task(log(stage, query="follow=true"))
        await asyncio.sleep(1)
        await stage.delete(POD, "web")
        await asyncio.sleep(5)
        assert following.done()
    assert following.result().endswith("simulated container c ends with code 0\n")


@on_stage()
async def test_somebody_in_this_process_may_write_too(stage):
    await stage.apply(pod("web"))
    await stage.settle()
    view = PodView(stage.pod("web"))
    async with task_group() as tasks:
        following = tasks.create_task(log(stage, query="follow=true&limitBytes=65"))
        await asyncio.sleep(1)
        stage.nodes.logs.write(view, "c", "written by hand", seconds_of(stage.clock.now()))
        stage.nodes.logs.write(view, "none", "nowhere", 0.0)
    assert following.result() == f"{BANNER}written"[:65]


@on_stage()
async def test_the_log_of_the_container_before(stage):
    await stage.apply(pod("web", annotations={"behavior": "crash", "log": "oops"}))
    await stage.settle()
    assert await refused(stage, query="previous=true") == (
        400,
        'previous terminated container "c" in pod "web" not found',
    )
    await asyncio.sleep(3)
    ended = f"{BANNER}oops\nsimulated container c ends with code 1\n"
    assert await log(stage, query="previous=true") == ended
    assert await log(stage) == ended, "of one that waits, the last one's"


@on_stage(scenario=Scenario(rules=[Rule(says={"log": "from a scenario"})]))
async def test_logs_are_written_again_after_a_restart(stage):
    await stage.apply(pod("web"))
    await stage.settle()
    before = await log(stage)
    assert "from a scenario" in before
    await stage.restart()
    assert await log(stage) == before


@on_stage()
async def test_so_are_those_of_what_is_over(stage):
    await stage.apply(pod("job", restartPolicy="Never", annotations={"log": "done"}))
    await asyncio.sleep(2)
    before = await log(stage, "job")
    await stage.restart()
    assert await log(stage, "job") == before


@on_stage()
async def test_what_cannot_be_read_is_refused_in_the_servers_words(stage):
    two = [container("a"), container("b")]
    await stage.apply(pod("unplaced", nodeSelector={"a": "b"}), pod("two", containers=two))
    await stage.apply(pod("init", initContainers=[container("i")], containers=two))
    await stage.apply(pod("config", containers=[container(envFrom=[{"secretRef": {"name": "none"}}])]))
    await stage.apply(pod("pull", annotations={"behavior": "pull-error"}))
    await stage.settle()
    assert await refused(stage, "none") == (404, 'pods "none" not found')
    assert await refused(stage, "two", "container=z") == (400, "container z is not valid for pod two")
    chosen = "a container name must be specified for pod init, choose one of: [i a b]"
    assert await refused(stage, "init") == (400, chosen)
    waiting = 'container "c" in pod "config" is waiting to start: CreateContainerConfigError'
    assert await refused(stage, "config") == (400, waiting)
    pulling = 'container "c" in pod "pull" is waiting to start: image can\'t be pulled'
    assert await refused(stage, "pull") == (400, pulling)
    await asyncio.sleep(2)
    pulling = 'container "c" in pod "pull" is waiting to start: trying and failing to pull image'
    assert await refused(stage, "pull") == (400, pulling)
    answer = await stage.nodes.serve_log("default", "unplaced", Call("GET", ""))
    assert (answer.status, answer.body) == (204, b"")


BAD_QUERIES = [
    ("tailLines=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'),
    ("sinceTime=zzz", 400, 'parsing time "zzz" as "2006-01-02T15:04:05Z07:00": cannot parse "zzz" as "2006"'),
    ("stream=Stdout", 422, 'PodLogOptions "web" is invalid: stream: Forbidden: may not be specified'),
    (
        "sinceSeconds=5&sinceTime=2020-01-01T00:00:00Z",
        422,
        'PodLogOptions "web" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ),
    (
        "sinceSeconds=0&limitBytes=0&tailLines=-1",
        422,
        (
            'PodLogOptions "web" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, '
            "limitBytes: Invalid value: 0: must be greater than 0, "
            "sinceSeconds: Invalid value: 0: must be greater than 0]"
        ),
    ),
]


@pytest.mark.parametrize(("query", "code", "message"), BAD_QUERIES)
def test_options_are_checked_before_anything_else(query, code, message):
    @virtually
    async def story():
        async with staged() as stage:
            assert await refused(stage, query=query) == (code, message)

    story()


@on_stage()
async def test_nobody_gets_into_a_container(stage):
    await stage.apply(pod("web"), pod("unplaced", nodeSelector={"a": "b"}))
    await stage.settle()

    def refusal(name, subresource, query=""):
        return stage.nodes.refuse_connection("default", name, subresource, Call("POST", "", query)).status

    status = refusal("unplaced", "exec", "command=ls")
    assert (status["code"], status["message"]) == (400, "pod unplaced does not have a host assigned")
    for subresource in ("exec", "attach"):
        assert refusal("web", subresource)["message"].startswith('container "c" in pod "web" is simulated')
    assert refusal("web", "portforward")["message"].startswith('pod "web" is simulated')
    with pytest.raises(RequestRefused, match="container z is not valid for pod web"):
        refusal("web", "exec", "container=z")


def test_a_log_has_a_bound():
    buffer = LogBuffer(0.0)
    for number in range(100):
        buffer.write(float(number), "x" * 10_000)
    assert sum(len(line.text) for line in buffer.lines()) <= LARGEST_BYTES
    assert buffer.written == 100
    assert [line.at_s for line in buffer.lines(99)] == [99.0]
    buffer.write(0.0, "y" * 10_000_000)
    assert [len(line.text) for line in buffer.lines()] == [LARGEST_BYTES]
