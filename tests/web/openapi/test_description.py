"""The description says what there is, no more than is known, and it is one that tools accept."""

from typing import Annotated, Literal

import msgspec
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.web.inside import Inside

from plumbline.web import Health, Route
from plumbline.web.openapi import OpenApi, document
from plumbline.web.operations import Operation, Parameter


class Note(msgspec.Struct):
    """What somebody wrote down."""

    text: str
    tags: list[str] = []


class Listed(msgspec.Struct, rename="camel"):
    items: list[Note]
    next_page: str = ""


async def serve(_):
    raise AssertionError


LIST = Operation(
    method="GET",
    path="/api/v1/notes",
    summary="Notes that you may <see>",
    parameters=(
        Parameter("limit", "How many", Annotated[int, msgspec.Meta(ge=1, le=100)]),
        Parameter("sort", kind=Literal["name", "age"]),
        Parameter("project", many=True),
    ),
    gives=Listed,
)
PUT = Operation(
    method="PUT",
    path="/api/v1/notes/{name}/{part}",
    tag="writing",
    parameters=(Parameter("part", "Which", int, "path"),),
    takes=Note,
    gives=Note,
    status=201,
    refusals=(409,),
)


class Notes:
    routes = (
        Route("/api/v1/notes", frozenset({"GET", "HEAD", "POST"}), serve, (LIST,)),
        Route("/api/v1/notes/", frozenset({"PUT", "DELETE"}), serve, (PUT,)),
        Route("/git/", frozenset({"GET", "PUT"}), serve),
        Route("/", frozenset({"GET"}), serve),
    )

    async def run(self):
        pass


@pytest.fixture(scope="module")
def said():
    return document(Notes.routes)


def test_tools_accept_it(said):
    OpenAPIV31SpecValidator(said).validate()
    OpenAPIV31SpecValidator(OpenApi([Notes(), Health({})]).document).validate()


def test_what_is_declared_is_described(said):
    one = said["paths"]["/api/v1/notes"]["get"]
    assert one["summary"] == "Notes that you may <see>"
    assert one["tags"] == ["notes"]
    assert one["operationId"] == "getNotes"
    limit, sort, project = one["parameters"]
    assert limit == {
        "name": "limit",
        "in": "query",
        "required": False,
        "description": "How many",
        "schema": {"type": "integer", "minimum": 1, "maximum": 100},
    }
    assert sort["schema"] == {"enum": ["age", "name"]}
    assert project["schema"] == {"type": "array", "items": {"type": "string"}}
    assert one["responses"]["200"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Listed"}
    assert set(said["components"]["schemas"]) == {"Listed", "Note", "Problem"}
    assert set(said["components"]["schemas"]["Listed"]["properties"]) == {"items", "nextPage"}


def test_names_in_a_path_are_parameters_that_are_needed(said):
    one = said["paths"]["/api/v1/notes/{name}/{part}"]["put"]
    assert [(each["name"], each["in"], each["required"]) for each in one["parameters"]] == [
        ("name", "path", True),
        ("part", "path", True),
    ]
    assert one["parameters"][1]["schema"] == {"type": "integer"}
    assert one["requestBody"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Note"}
    assert set(one["responses"]) == {"201", "401", "403", "409", "default"}
    assert one["tags"] == ["writing"]


def test_of_what_is_not_declared_only_that_it_is_there(said):
    assert said["paths"]["/api/v1/notes"]["post"] == {
        "operationId": "postNotes",
        "tags": ["undescribed"],
        "responses": {"default": {"description": "Whatever it answers"}},
    }
    assert set(said["paths"]["/git/{path}"]) == {"get", "put"}
    assert "head" not in said["paths"]["/api/v1/notes"]
    assert "delete" not in said["paths"]["/api/v1/notes/{name}/{part}"]
    assert not any(path in said["paths"] for path in ("/", "/{path}", "/api/v1/notes/{path}"))


def test_it_says_how_to_say_who_one_is(said):
    assert said["security"] == [{"bearer": []}, {"cookie": []}]
    assert OpenApi([]).document["paths"]["/openapi.json"]["get"]["security"] == []


async def test_it_is_served_where_people_look_for_it():
    port = Inside(OpenApi([Notes()]))
    ours, argos = await port.ask("GET", "/openapi.json"), await port.ask("GET", "/swagger.json")
    assert ours.body == argos.body
    assert ours.json["openapi"] == "3.1.0"
    assert ours.headers["content-type"] == "application/json"
    assert "Swagger 2" in ours.json["info"]["description"]
    known = await port.ask("GET", "/openapi.json", If_None_Match=ours.headers["etag"])
    assert (known.status, known.body) == (304, b"")


async def test_people_get_a_page_without_a_script():
    port = Inside(OpenApi([Notes()]))
    page = await port.ask("GET", "/docs/api")
    assert page.body == (await port.ask("GET", "/swagger-ui")).body
    words = page.body.decode()
    assert "<code>/api/v1/notes</code><br>Notes that you may &lt;see&gt; (limit, sort, project)" in words
    assert "<script" not in words
    assert page.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
