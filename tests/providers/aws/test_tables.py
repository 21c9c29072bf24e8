"""Tables say what botocore's models know; kinds and schemas come out of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.kube.names import GroupKind, Ref
from plumbline.managed.kinds import Catalogue
from plumbline.providers.aws import Clients, kinds, models
from plumbline.providers.aws.catalogue import connection_keys, tables
from plumbline.providers.aws.engine.scene import Scene, derived_name
from plumbline.providers.aws.fields import known, schema
from plumbline.providers.aws.names import camel, shape_at
from plumbline.providers.aws.shapes import from_answer, openapi, to_request
from plumbline.providers.aws.tables import rds, s3, secretsmanager, sqs

TABLES = tuple(tables())


def table_id(table):
    return f"{table.service}-{table.kind}"


@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_every_operation_and_parameter_exists(table):
    calls = [
        (table.service, call)
        for call in (table.create, *table.variants.values(), table.delete, *table.updates)
        if call.operation
    ]
    reads = [*table.reads, *([table.find] if table.find else [])]
    if table.tags:
        calls += [(table.service, call) for call in (table.tags.write, table.tags.erase) if call]
        reads += [table.tags.read] if table.tags.read else []
    calls += [(read.service or table.service, read) for read in reads]
    for service, call in calls:
        unknown = set(call.params) - set(models.request(service, call.operation).members)
        assert unknown == set(), f"{call.operation} takes no such parameters"


@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_every_field_is_known_to_aws(table):
    plain = {
        *table.numbers.split(),
        *table.switches.split(),
        *table.words.split(),
        *table.texts.split(),
        *table.maps.split(),
    }
    for name, field in known(table).fields.items():
        described = field.shape is not None or name in table.codecs or table.within or name in plain
        assert described, f"{name} is in no request"


@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_what_is_read_is_in_the_answer(table):
    """Fields that are compared lie where the model of the answer has something, or where the table says."""
    if table.within or table.seen or len(table.reads) > 1 or "[" in table.reads[0].at or table.reads[0].match:
        return
    first = table.reads[0]
    answer = models.operation(first.service or table.service, first.operation).output_shape
    answer = answer if first.at == "@" else shape_at(answer, first.at)
    for name, field in known(table).fields.items():
        if field.read and name not in table.codecs and field.found.replace(".", "").isalnum():
            assert shape_at(answer, field.found) is not None, f"{name}: {first.operation} tells no {field.found}"


@pytest.mark.parametrize("table", TABLES, ids=table_id)
def test_schemas_are_structural_and_name_what_is_required(table):
    made = schema(table)
    assert set(made.required) <= set(made.for_provider["properties"]) | {"bucket"}
    assert {"id"} <= set(made.at_provider["properties"])
    for part in (made.for_provider, made.at_provider):
        structural(part, table_id(table))


def structural(part, path):
    assert "type" in part or part.get("x-kubernetes-preserve-unknown-fields"), path
    for name, below in part.get("properties", {}).items():
        structural(below, f"{path}.{name}")
    for below in (part.get("items"), part.get("additionalProperties")):
        if below is not None:
            structural(below, f"{path}[]")


async def test_every_kind_is_there_in_both_lineages():
    catalogue = Catalogue(kinds(Clients()))
    assert len(catalogue.kinds) == 2 * len(TABLES)
    instance = catalogue.get(GroupKind("rds.aws.upbound.io", "Instance"))
    assert instance.versions == ("v1beta3", "v1beta2", "v1beta1")
    assert instance.external_name == "assigned"
    assert set(instance.connection_keys) == {
        "endpoint",
        "address",
        "host",
        "port",
        "username",
        "password",
        "attribute.password",
    }
    twin = catalogue.get(GroupKind("rds.aws.m.upbound.io", "Instance"))
    assert (twin.namespaced, twin.versions) == (True, ("v1beta1",))
    assert instance.schemas().for_provider["properties"]["allocatedStorage"] == {"type": "number"}
    assert [provider.name for provider in catalogue.providers] == ["aws"]
    assert {kind.kind for kind in catalogue.kinds.values() if not kind.found_again} == {"AccessKey"}


def test_keys_of_connection_secrets():
    assert connection_keys(secretsmanager.VERSION) == ("attribute.secret_string",)
    assert connection_keys(sqs.QUEUE) == ("url",)


@pytest.mark.parametrize(
    ("member", "field"),
    [("MultiAZ", "multiAz"), ("DBInstanceClass", "dbInstanceClass"), ("KMSMasterKeyID", "kmsMasterKeyId"), ("SSEAlgorithm", "sseAlgorithm"),
     ("Ipv6CidrBlock", "ipv6CidrBlock"), ("ARN", "arn"), ("status", "status")],
)  # fmt: skip
def test_names(member, field):
    assert camel(member) == field


def test_names_of_objects_become_names_of_resources_that_stay():
    def ref(name, namespace=""):
        return Ref("rds.aws.upbound.io", "Instance", namespace, name)

    assert derived_name(ref("team-alpha-db"), 63) == "team-alpha-db"
    for odd in (ref("a.b"), ref("9-lives"), ref("x" * 100), ref("db", "team"), ref("a--b")):
        derived = derived_name(odd, 63)
        assert derived == derived_name(odd, 63)
        assert len(derived) <= 63
        assert derived[0].isalpha()
        assert "--" not in derived
    assert derived_name(ref("a-b", "c"), 63) != derived_name(ref("b", "c-a"), 63)


@given(st.text(alphabet="abc-.9", min_size=1, max_size=90), st.text(alphabet="ab-", max_size=20))
def test_derived_names_fit(name, namespace):
    derived = derived_name(Ref("g", "K", namespace, name), 40)
    assert len(derived) <= 40
    assert derived.replace("-", "").isalnum()


RULES = shape_at(models.request("s3", "PutBucketLifecycleConfiguration"), "LifecycleConfiguration.Rules")
DAYS = st.integers(1, 999)
RULE = st.fixed_dictionaries(
    {"id": st.text("abc", min_size=1, max_size=4), "status": st.sampled_from(["Enabled", "Disabled"])},
    optional={
        "expiration": st.fixed_dictionaries({"days": DAYS}),
        "transition": st.lists(st.fixed_dictionaries({"days": DAYS, "storageClass": st.just("GLACIER")}), min_size=1, max_size=2),
        "filter": st.fixed_dictionaries({"and": st.fixed_dictionaries({"tags": st.dictionaries(st.text("ab", min_size=1), st.text("ab"), min_size=1)})}),
    },
)  # fmt: skip


@given(st.lists(RULE, max_size=3))
def test_what_a_request_says_comes_back_as_it_was_written(rules):
    names = s3.LIFECYCLE.names
    assert from_answer(to_request(rules, RULES, names, "rule"), RULES, names, "rule") == rules


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"versions": 1}, "no such field"),
        ("Enabled", "not fields"),
        ([{}, {}], "two where one is meant"),
        ({"status": {"a": 1}}, "too deep"),
    ],
)
def test_values_of_another_form_are_refused(value, why):
    shape = models.request("s3", "PutBucketVersioning").members["VersioningConfiguration"]
    with pytest.raises(InvalidInput):
        to_request(value, shape, {}, "versioningConfiguration")


def test_numbers_and_switches_may_be_written_as_strings():
    members = models.request("rds", "CreateDBInstance").members
    assert to_request("5", members["AllocatedStorage"], {}, "x") == 5
    assert to_request("true", members["MultiAZ"], {}, "x") is True
    assert to_request(1, members["MultiAZ"], {}, "x") is True
    assert to_request(15.0, members["EngineVersion"], {}, "x") == "15"
    with pytest.raises(InvalidInput):
        to_request("many", members["AllocatedStorage"], {}, "x")
    scaling = models.request("rds", "CreateDBCluster").members["ServerlessV2ScalingConfiguration"]
    assert to_request({"minCapacity": "0.5"}, scaling, {}, "x") == {"MinCapacity": 0.5}


def test_maps_keep_their_keys():
    tags = models.request("sqs", "TagQueue").members["Tags"]
    assert to_request({"MyTag": "x"}, tags, {}, "tags") == {"MyTag": "x"}
    assert openapi(tags, {}, "tags") == {"type": "object", "additionalProperties": {"type": "string"}}
    with pytest.raises(InvalidInput):
        to_request(["x"], tags, {}, "tags")


async def test_a_word_that_means_nothing_is_a_mistake_in_a_table(cloud):
    managed = cloud.managed(rds.INSTANCE, {})
    with pytest.raises(InvalidInput):
        await Scene(rds.INSTANCE, managed, None).filled("$nothing", {})
