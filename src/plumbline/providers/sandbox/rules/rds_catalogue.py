"""What RDS offers: engines and their versions, classes of instances, sizes of storage, names that are taken."""

from typing import Final

OPEN_ENGINES: Final = ("postgres", "mysql", "mariadb")
"""Those whose versions, classes and sizes are known here; of the others the name alone is looked at."""

ENGINES: Final = frozenset(
    {
        *OPEN_ENGINES,
        "aurora-mysql",
        "aurora-postgresql",
        "custom-oracle-ee",
        "custom-oracle-se2",
        "custom-sqlserver-ee",
        "custom-sqlserver-se",
        "custom-sqlserver-web",
        "db2-ae",
        "db2-se",
        "oracle-ee",
        "oracle-ee-cdb",
        "oracle-se2",
        "oracle-se2-cdb",
        "sqlserver-ee",
        "sqlserver-ex",
        "sqlserver-se",
        "sqlserver-web",
    }
)

# By major version, the first and the last minor one. Retired minors are among them: they still run.
VERSIONS: Final = {
    "postgres": {
        "11": (22, 22),
        "12": (7, 22),
        "13": (3, 23),
        "14": (1, 22),
        "15": (2, 17),
        "16": (1, 13),
        "17": (1, 9),
        "18": (1, 3),
    },
    "mysql": {"5.7": (33, 44), "8.0": (23, 45), "8.4": (3, 8)},
    "mariadb": {"10.4": (8, 34), "10.5": (8, 29), "10.6": (5, 25), "10.11": (4, 16), "11.4": (3, 10), "11.8": (3, 6)},
}

_BURST: Final = ("micro", "small", "medium", "large", "xlarge", "2xlarge")
_TO_16: Final = ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge")
_TO_24: Final = (*_TO_16, "24xlarge")
_TO_32: Final = (*_TO_24, "32xlarge")
_TO_48: Final = (*_TO_24, "48xlarge")

CLASSES: Final = {
    "t3": _BURST,
    "t4g": _BURST,
    "m5": _TO_24,
    "m5d": _TO_24,
    "m6g": _TO_16,
    "m6gd": _TO_16,
    "m6i": _TO_32,
    "m6id": _TO_32,
    "m6idn": _TO_32,
    "m6in": _TO_32,
    "m7g": _TO_16,
    "m7gd": _TO_16,
    "m7i": _TO_48,
    "m8g": _TO_48,
    "m8gd": _TO_48,
    "r5": _TO_24,
    "r5b": _TO_24,
    "r5d": _TO_24,
    "r6g": _TO_16,
    "r6gd": _TO_16,
    "r6i": _TO_32,
    "r6id": _TO_32,
    "r6idn": _TO_32,
    "r6in": _TO_32,
    "r7g": _TO_16,
    "r7gd": _TO_16,
    "r7i": _TO_48,
    "r8g": _TO_48,
    "r8gd": _TO_48,
    "x2g": _TO_16,
    "x2idn": ("16xlarge", "24xlarge", "32xlarge"),
    "x2iedn": ("xlarge", "2xlarge", "4xlarge", "8xlarge", "16xlarge", "24xlarge", "32xlarge"),
}

RETIRED: Final = frozenset({"m1", "m2", "m3", "m4", "r3", "r4", "t1", "t2"})
"""Generations that no new instance of a current version gets."""

STORAGE: Final = {
    "gp2": (20, 65536),
    "gp3": (20, 65536),
    "io1": (100, 65536),
    "io2": (100, 65536),
    "standard": (5, 3072),
}
"""GiB, of the engines above."""

PASSWORDS: Final = {"postgres": (8, 128), "aurora-postgresql": (8, 128), "mysql": (8, 41), "mariadb": (8, 41)}
USERNAMES: Final = {"postgres": 63, "aurora-postgresql": 63, "mysql": 32, "mariadb": 16}

_POSTGRES_WORDS: Final = """
admin all analyse analyze and any array as asc asymmetric authorization between binary both case cast check collate column
concurrently constraint create cross current_catalog current_date current_role current_schema current_time current_timestamp
current_user default deferrable desc distinct do else end except false fetch for foreign freeze from full grant group having
ilike in initially inner intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not
notnull null offset on only or order outer overlaps placing primary references replication returning right select session_user
similar some symmetric table then to trailing true union unique user using variadic verbose when where window with
rdsadmin rds_superuser rds_replication rdsrepladmin public none
"""
RESERVED: Final = {
    "postgres": frozenset(_POSTGRES_WORDS.split()),
    "aurora-postgresql": frozenset(_POSTGRES_WORDS.split()),
    "mysql": frozenset({"rdsadmin", "rdsrepladmin", "mysql", "mysql.sys", "mysql.session"}),
    "mariadb": frozenset({"rdsadmin", "rdsrepladmin", "mysql", "mariadb.sys"}),
}


def major(engine: str, version: str) -> str:
    """The part of a version that does not change without saying so: `16` of 16.3, `8.0` of 8.0.36."""
    parts = version.split(".")
    return parts[0] if engine.endswith(("postgres", "postgresql")) else ".".join(parts[:2])


def offered(engine: str, version: str) -> bool:
    """Whether there is such a version; a major one alone stands for its newest minor."""
    lines = VERSIONS.get(engine)
    if lines is None:
        return True
    line = major(engine, version)
    if line not in lines:
        return False
    rest = version[len(line) :].removeprefix(".").partition("-")[0]
    first, last = lines[line]
    return not rest or (rest.isdigit() and first <= int(rest) <= last)


def numbers(version: str) -> tuple[int, ...]:
    """For comparison."""
    return tuple(int(part) for part in version.partition("-")[0].split(".") if part.isdigit())
