"""What names things inside database servers. The account is the server, by whatever name one goes for it."""

from typing import Final

from plumbline.ownership.external.shape import Rule, Scope


def _chosen(type_: str, kind: str, names: tuple[str, ...] = ("name",)) -> Rule:
    engine, _, plain = kind.partition(" ")
    return Rule(
        type_, Scope.SERVER, names, f"{plain}.{engine}.sql.crossplane.io", external_name=True, joint="/", place=""
    )


RULES: Final = (
    _chosen("postgresql_database", "postgresql Database"),
    _chosen("postgresql_role", "postgresql Role"),
    _chosen("postgresql_schema", "postgresql Schema", ("database", "name")),
    _chosen("postgresql_extension", "postgresql Extension", ("database", "name")),
    Rule("postgresql_grant", Scope.SERVER, kind="Grant.postgresql.sql.crossplane.io", place=""),
    _chosen("mysql_database", "mysql Database"),
    _chosen("mysql_user", "mysql User"),
    Rule("mysql_grant", Scope.SERVER, kind="Grant.mysql.sql.crossplane.io", place=""),
)
