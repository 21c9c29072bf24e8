"""From upstream's words to Azure's and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import SchemaViolation
from plumbline.managed.external import Difference
from plumbline.providers.azure.places import alike, parsed
from plumbline.providers.azure.provider import TABLES
from plumbline.providers.azure.services import postgresql
from plumbline.providers.azure.services.postgresql import SERVER
from plumbline.providers.azure.shapes import (
    changed_body,
    described,
    differences,
    late,
    normal,
    request_body,
    styled,
    written_as_lists,
)
from plumbline.providers.azure.tables import Table, _field, tree
from plumbline.providers.rest.types import NUMBERS

from .vendor.models import check

_TEXT = st.text("abcxyz-", min_size=1, max_size=6)
_KINDS = st.sampled_from(["SystemAssigned", "UserAssigned", "SystemAssigned, UserAssigned"])
PARTICULAR = {
    "skuName": st.sampled_from(["B_Standard_B1ms", "GP_Standard_D2s_v3", "MO_Standard_E4s_v3"]),
    "storageMb": st.sampled_from([32768, 65536, 131072]),
    "mode": st.sampled_from(["SameZone", "ZoneRedundant"]),
    "version": st.sampled_from(["14", "15", "16", "17"]),
    "createMode": st.sampled_from(["Default", "Replica"]),
    "replicationRole": st.just("Primary"),
    "storageTier": st.sampled_from(["P4", "P10"]),
    "startIpAddress": st.just("10.0.0.1"),
    "endIpAddress": st.just("10.0.0.1"),
    "charset": st.just("UTF8"),
    "collation": st.just("en_US.utf8"),
}


def _leaf(field):
    if field.name in PARTICULAR:
        return PARTICULAR[field.name]
    if field.type.startswith("[]"):
        return st.lists(_TEXT, min_size=1, max_size=3, unique=True)
    if field.type in NUMBERS:
        return st.integers(0, 10**6)
    return st.booleans() if field.type == "boolean" else _TEXT


def wanted_of(table):
    root = tree(table)
    parts = {field.name: _leaf(field) for field in root.fields}
    for child in root.nodes:
        leaves = {field.name: _leaf(field) for field in child.fields}
        if child.name == "identity":
            parts[child.name] = st.fixed_dictionaries({"type": _KINDS}, optional={"identityIds": leaves["identityIds"]})
        elif child.name == "highAvailability":
            parts[child.name] = st.fixed_dictionaries({"mode": leaves.pop("mode")}, optional=leaves)
        else:
            parts[child.name] = st.fixed_dictionaries({}, optional=leaves).filter(bool)
    fixed = {field: parts.pop(field) for field in table.required if field in parts}
    return st.fixed_dictionaries(fixed, optional=parts)


MODELS = {
    "ResourceGroup": ("ResourceGroup", "ResourceGroupPatchable"),
    "dbforpostgresql/FlexibleServer": ("Server", "ServerForPatch"),
    "dbforpostgresql/FlexibleServerDatabase": ("Database", "Database"),
    "dbforpostgresql/FlexibleServerFirewallRule": ("FirewallRule", "FirewallRule"),
    "dbforpostgresql/FlexibleServerConfiguration": ("Configuration", "ConfigurationForUpdate"),
}


@pytest.mark.parametrize("kind", TABLES)
def test_what_is_told_is_heard_again_as_it_was_meant(kind):
    table: Table = TABLES[kind]

    @given(wanted_of(table))
    def check_(wanted):
        told = request_body(table, wanted, "create")
        check(MODELS[kind][0], told)
        heard = described(table, told)
        left = differences(table, wanted, heard)
        assert all(difference.path.partition(".")[0] in table.unsaid for difference in left)
        assert normal(table, wanted) == wanted
        assert normal(table, styled(table, wanted, lists=True)) == wanted
        assert written_as_lists(table, styled(table, wanted, lists=True)) is any(
            node.name in wanted for node in tree(table).nodes
        )

    check_()


@pytest.mark.parametrize("kind", ["dbforpostgresql/FlexibleServer", "ResourceGroup"])
def test_a_change_of_everything_that_can_change_is_a_patch_that_microsofts_client_would_send(kind):
    table = TABLES[kind]

    @given(wanted_of(table), wanted_of(table))
    def check_(wanted, before):
        found = described(table, request_body(table, before, "create"))
        changes = [one for one in differences(table, wanted, found) if not one.replaces]
        check(MODELS[kind][1], changed_body(table, wanted, changes))

    check_()


@pytest.mark.parametrize(
    ("wanted", "field", "why"),
    [
        ({"skuname": "x"}, "skuname", "a typing error"),
        ({"highAvailability": [{"mod": "x"}]}, "highAvailability.mod", "in a list of one"),
        ({"identity": [{"type": "a"}, {"type": "b"}]}, "identity", "two where one can be"),
        ({"authentication": "password"}, "authentication", "no object at all"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_version_has_is_refused_by_its_path(wanted, field, why):
    with pytest.raises(SchemaViolation, match=f"spec.forProvider.{field} "):
        normal(SERVER, wanted)


def test_what_is_switched_off_is_not_filled_in():
    off = {
        "sku": {"name": "Standard_X", "tier": "Hyper"},
        "identity": {"type": "None"},
        "properties": {
            "highAvailability": {"mode": "Disabled"},
            "maintenanceWindow": {"customWindow": "Disabled", "dayOfWeek": 0},
            "dataEncryption": {"type": "SystemManaged"},
        },
    }
    assert late(SERVER, {}, described(SERVER, off)) == {"skuName": "Hyper_Standard_X"}


def test_an_update_says_whole_objects_and_nothing_besides():
    wanted = {
        "backupRetentionDays": 7,
        "geoRedundantBackupEnabled": False,
        "skuName": "B_Standard_B1ms",
        "version": "16",
    }
    body = changed_body(SERVER, wanted, [Difference("backupRetentionDays", 7, 8)])
    assert body == {"properties": {"backup": {"backupRetentionDays": 7, "geoRedundantBackup": "Disabled"}}}
    assert changed_body(SERVER, wanted, [Difference("skuName", "x", "y")]) == {
        "sku": {"name": "Standard_B1ms", "tier": "Burstable"}
    }


def test_a_word_that_is_none_is_refused():
    with pytest.raises(ValueError, match="is no field"):
        _field(SERVER, "", "disk size=")


IDS = [
    ("/subscriptions/s/resourceGroups/g/providers/Microsoft.DBforPostgreSQL/flexibleServers/pg", True, "as it is"),
    (
        "/SUBSCRIPTIONS/s/resourcegroups/g/providers/microsoft.dbforpostgresql/flexibleservers/pg",
        True,
        "in any letters",
    ),
    ("/subscriptions/s/resourceGroups/../providers/Microsoft.DBforPostgreSQL/flexibleServers/pg", False, "a way up"),
    ("/subscriptions/s/resourceGroups/g/providers/Microsoft.DBforPostgreSQL/flexibleServers/..", False, "at its end"),
    (
        "/subscriptions/s/resourceGroups/g/providers/MicrosoftXDBforPostgreSQL/flexibleServers/pg",
        False,
        "a dot is a dot",
    ),
    ("/subscriptions/s/resourceGroups/g/providers/Microsoft.DBforPostgreSQL/flexibleServers/a%2Fb", False, "encoded"),
    (
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.DBforPostgreSQL/flexibleServers/pg/databases/x",
        False,
        "a child",
    ),
]


@pytest.mark.parametrize(("text", "good", "why"), IDS, ids=[case[-1] for case in IDS])
def test_only_ids_of_the_right_type_are_ids(text, good, why):
    assert (parsed(SERVER, text) is not None) is good
    assert (parsed(postgresql.DATABASE, f"{text}/databases/x") is not None) is good


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_an_id_is_read_back_as_it_was_written_or_not_at_all(group, name):
    said = SERVER.identity.format(subscription="s", resourceGroupName=group, name=name)
    place = parsed(SERVER, said)
    assert place is None or (place["resourceGroupName"], place["name"]) == (group, name)
    assert alike(said, said.upper()) or said.casefold() != said.upper().casefold()
