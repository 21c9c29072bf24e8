"""What the page about AWS says of a kind, as its table has it."""

from plumbline.providers.aws.catalogue import connection_keys, tables
from plumbline.providers.aws.table import Table

NAMES = {
    (
        "rds",
        "Instance",
    ): "the identifier: `identifier`, or derived from the object's name; upstream's `db-…` ids are understood",
    ("sqs", "Queue"): "the URL; found by `name`, or a name derived from the object's",
    ("secretsmanager", "Secret"): "the ARN; found by `name`, or a name derived from the object's",
    ("secretsmanager", "SecretVersion"): "`ARN|version`; always the current one",
    ("kms", "Key"): "the key's id; found by tags",
    ("kms", "Alias"): "without `alias/`",
    ("sns", "TopicSubscription"): "the ARN; found by topic, protocol and endpoint",
    ("ec2", "RouteTableAssociation"): "the association's id; found by route table and subnet",
    ("iam", "AccessKey"): "the key's id; **not found again**: after a lost reply somebody has to look",
    ("route53", "Zone"): "the zone's id; found by name and tags",
}


def external_name(table: Table) -> str:
    known = NAMES.get((table.service, table.kind))
    if known:
        return known
    if table.external_name == "chosen":
        return "the name in AWS"
    if table.key.joined:
        return "made of its fields; AWS has no name for it"
    if table.key.field and table.find is None:
        return f"`{table.key.field}`"
    return "the id that AWS gives; found by tags"


def words(names: str) -> str:
    return " ".join(f"`{name}`" for name in names.split())


def section(table: Table) -> str:
    lines = [
        f"### {table.api_group} {table.kind}",
        "",
        f"{', '.join(table.versions)}. External name: {external_name(table)}.",
        "",
    ]
    unread = table.unread.split()
    rows = (
        ("changes in place", words(" ".join(name for name in table.settable.split() if name not in unread))),
        ("cannot change", words(" ".join(name for name in table.fixed.split() if name not in unread))),
        ("said at creation and never compared", words(table.unread)),
        ("says how", words(table.local)),
        ("secrets", words(" ".join([*table.secrets, *([table.master.reference] if table.master else [])]))),
        ("connection Secret", words(" ".join(connection_keys(table)))),
        ("holds", table.holds),
    )
    lines += [f"- {title}: {text}" for title, text in rows if text]
    return "\n".join(lines) + "\n"


def sections() -> str:
    return "\n".join(section(table) for table in tables())
