"""Pub/Sub: topics."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.providers.gcp.tables import Place, Table


def _keys(_found: JsonObject, place: Place) -> dict[str, str]:
    return {
        "id": f"projects/{place['project']}/topics/{place['name']}",
        "topic": place["name"],
        "project": place["project"],
    }


TOPIC: Final = Table(
    api="pubsub.v1",
    resource="Topic",
    collection="projects.topics",
    create="create",
    mask="body",
    wrap="topic",
    params={
        "name": "projects/{project}/topics/{name}",
        "topic": "projects/{project}/topics/{name}",
    },
    identity="projects/{project}/topics/{name}",
    fields={
        "": "kmsKeyName labels messageRetentionDuration",
        "ingestionDataSourceSettings.awsKinesis": "awsRoleArn consumerArn gcpServiceAccount streamArn",
        "ingestionDataSourceSettings.cloudStorage": "bucket matchGlob minimumObjectCreateTime",
        "ingestionDataSourceSettings.cloudStorage.textFormat": "delimiter",
        "ingestionDataSourceSettings": "",
        "ingestionDataSourceSettings.platformLogsSettings": "severity",
        "messageStoragePolicy": "allowedPersistenceRegions enforceInTransit",
        "schemaSettings": "encoding schema",
    },
    keys=_keys,
)

TABLES: Final = (TOPIC,)
