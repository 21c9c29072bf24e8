"""Topics and who gets their messages."""

from typing import Final

from plumbline.kube.names import GroupKind
from plumbline.managed.kinds import Reference
from plumbline.providers.aws.table import Call, Read, Table, Tags, Update

_TOPIC: Final = GroupKind("sns.aws.upbound.io", "Topic")
_FEEDBACK: Final = tuple(
    f"{protocol}{outcome}" for protocol in ("application", "firehose", "http", "lambda", "sqs")
    for outcome in ("SuccessFeedbackRoleArn", "SuccessFeedbackSampleRate", "FailureFeedbackRoleArn")
)  # fmt: skip

TOPIC: Final = Table(
    service="sns", kind="Topic", plural="topics", arn="TopicArn", arn_form="arn:$partition:sns:$region:$account:$name",
    create=Call("CreateTopic", {"Name": "$name"}), within="Attributes",
    reads=(Read("GetTopicAttributes", {"TopicArn": "$arn"}, at="Attributes"),),
    updates=(Update("SetTopicAttributes", {"TopicArn": "$arn", "AttributeName": "$field", "AttributeValue": "$value"}, form="each"),),
    delete=Call("DeleteTopic", {"TopicArn": "$arn"}),
    settable="displayName kmsMasterKeyId policy deliveryPolicy contentBasedDeduplication signatureVersion tracingConfig archivePolicy"
    f" fifoThroughputScope {' '.join(_FEEDBACK)}",
    fixed="fifoTopic", switches="fifoTopic contentBasedDeduplication",
    numbers="signatureVersion " + " ".join(name for name in _FEEDBACK if name.endswith("SampleRate")),
    names={name: f"HTTP{name[4:]}" for name in _FEEDBACK if name.startswith("http")},
    same={"policy": "document", "deliveryPolicy": "document", "archivePolicy": "document"},
    tags=Tags(read=Read("ListTagsForResource", {"ResourceArn": "$arn"}, at="Tags", into="Tags"),
              write=Call("TagResource", {"ResourceArn": "$arn", "Tags": "$tags"}),
              erase=Call("UntagResource", {"ResourceArn": "$arn", "TagKeys": "$keys"})),
    extra={"owner": "Owner"}, connection={"arn": "_.arn"},
    references=(Reference("kmsMasterKeyId", GroupKind("kms.aws.upbound.io", "Key")),),
)  # fmt: skip

SUBSCRIPTION: Final = Table(
    service="sns", kind="TopicSubscription", plural="topicsubscriptions", external_name="assigned", called="SubscriptionArn",
    find=Read("ListSubscriptionsByTopic", {"TopicArn": "$.topicArn"}, at="Subscriptions",
              match={"Protocol": "$.protocol", "Endpoint": "$.endpoint"}, pick="starts_with(SubscriptionArn, 'arn:') && SubscriptionArn || `null`"),
    create=Call("Subscribe", {"ReturnSubscriptionArn": True}), within="Attributes",
    reads=(Read("GetSubscriptionAttributes", {"SubscriptionArn": "$name"}, at="Attributes"),),
    updates=(Update("SetSubscriptionAttributes", {"SubscriptionArn": "$name", "AttributeName": "$field", "AttributeValue": "$value"}, form="each"),),
    delete=Call("Unsubscribe", {"SubscriptionArn": "$name"}),
    settable="deliveryPolicy filterPolicy filterPolicyScope rawMessageDelivery redrivePolicy replayPolicy subscriptionRoleArn",
    fixed="topicArn protocol endpoint", required="protocol", switches="rawMessageDelivery",
    same={"deliveryPolicy": "document", "filterPolicy": "document", "redrivePolicy": "document", "replayPolicy": "document"},
    arn="SubscriptionArn", extra={"ownerId": "Owner", "pendingConfirmation": "PendingConfirmation == 'true'"},
    references=(Reference("topicArn", _TOPIC, extract="status.atProvider.arn"),
                Reference("endpoint", GroupKind("sqs.aws.upbound.io", "Queue"), extract="status.atProvider.arn")),
)  # fmt: skip

TABLES: Final = (TOPIC, SUBSCRIPTION)
