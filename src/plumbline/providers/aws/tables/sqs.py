"""Message queues."""

from typing import Final

from plumbline.kube.names import GroupKind
from plumbline.managed.kinds import Reference
from plumbline.providers.aws.table import Call, Key, Read, Table, Tags, Update

QUEUE: Final = Table(
    service="sqs", kind="Queue", plural="queues", external_name="assigned",
    key=Key("name", limit=80, suffix=lambda wanted: ".fifo" if wanted.get("fifoQueue") else ""),
    find=Read("GetQueueUrl", {"QueueName": "$key"}, at="QueueUrl"), called="QueueUrl",
    create=Call("CreateQueue", {"QueueName": "$key"}), within="Attributes",
    reads=(Read("GetQueueAttributes", {"QueueUrl": "$name", "AttributeNames": ["All"]}, at="Attributes"),),
    updates=(Update("SetQueueAttributes", {"QueueUrl": "$name"}, within="Attributes", form="whole"),),
    delete=Call("DeleteQueue", {"QueueUrl": "$name"}),
    settable="delaySeconds maxMessageSize messageRetentionSeconds receiveWaitTimeSeconds visibilityTimeoutSeconds kmsMasterKeyId"
    " kmsDataKeyReusePeriodSeconds sqsManagedSseEnabled policy redrivePolicy redriveAllowPolicy contentBasedDeduplication"
    " deduplicationScope fifoThroughputLimit",
    fixed="fifoQueue",
    numbers="delaySeconds maxMessageSize messageRetentionSeconds receiveWaitTimeSeconds visibilityTimeoutSeconds kmsDataKeyReusePeriodSeconds",
    switches="fifoQueue sqsManagedSseEnabled contentBasedDeduplication",
    names={
        "maxMessageSize": "MaximumMessageSize", "messageRetentionSeconds": "MessageRetentionPeriod",
        "receiveWaitTimeSeconds": "ReceiveMessageWaitTimeSeconds", "visibilityTimeoutSeconds": "VisibilityTimeout",
    },
    same={"policy": "document", "redrivePolicy": "document", "redriveAllowPolicy": "document"},
    tags=Tags(member="tags", form="map", read=Read("ListQueueTags", {"QueueUrl": "$name"}, at="Tags", into="Tags"),
              write=Call("TagQueue", {"QueueUrl": "$name", "Tags": "$tags"}), erase=Call("UntagQueue", {"QueueUrl": "$name", "TagKeys": "$keys"})),
    arn="QueueArn", extra={"url": "_.name"}, connection={"url": "_.name"},
    references=(Reference("kmsMasterKeyId", GroupKind("kms.aws.upbound.io", "Key")),),
    holds="a message queue",
)  # fmt: skip

TABLES: Final = (QUEUE,)
