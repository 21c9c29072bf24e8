"""Brokers and their objects: Kafka of three makers, RabbitMQ, ZooKeeper."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, conditions, mapping, number, text
from plumbline.kube.health.rules import (
    Rule,
    all_true,
    by_condition,
    by_field,
    degraded,
    healthy,
    on,
    progressing,
    unknown,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE

_SCALED = frozenset({"GracefulUpscaleSucceeded", "GracefulDownscaleSucceeded"})


def _strimzi(noun: str, **unless: str) -> Rule:
    return (
        by_condition(on("NotReady", "True", degraded(MESSAGE), **unless), on("Ready", "True", healthy())),
        progressing(f"Waiting for {noun}"),
    )


def _confluent(noun: str) -> Rule:
    return (
        by_field(
            "status.phase",
            {"RUNNING": healthy(f"{noun} running"), "PROVISIONING": progressing(f"{noun} provisioning")},
        ),
        progressing(f"Waiting for {noun}"),
    )


def _connector(obj: JsonObject) -> Health | None:
    status = mapping(obj, "status")
    state, failed = text(status, "state"), at(status, "failedTasksCount")
    if state == "CREATED" and at(status, "connectorState") == "RUNNING" and failed is None:
        return Health(Status.HEALTHY, "Connector running")
    if state == "ERROR":
        first = next(conditions(obj), None)
        return Health(Status.DEGRADED, "No conditions available" if first is None else text(first, "message"))
    if state and number(status, "failedTasksCount") > 0:
        return Health(Status.DEGRADED, "Connector has failed tasks")
    return None


def _rabbitmq(noun: str) -> Rule:
    return (
        by_condition(
            on("Ready", "True", healthy(f"RabbitMQ {noun} ready"), reason="SuccessfulCreateOrUpdate"),
            on(
                "Ready",
                "False",
                degraded(f"RabbitMQ {noun} failed to be created or updated"),
                reason="FailedCreateOrUpdate",
            ),
        ),
        unknown(f"RabbitMQ {noun} status is unknown"),
    )


def _brokers(obj: JsonObject) -> Health | None:
    status = mapping(obj, "status")
    if at(status, "state") == "ClusterRollingUpgrading":
        return Health(Status.PROGRESSING, "Kafka Cluster is Rolling Upgrading.")
    if not isinstance(at(status, "brokersState"), dict):
        return None
    if not all(map(_in_sync, mapping(status, "brokersState").values())):
        said = "Broker Config is out of Sync or CruiseControlState is not Ready"
        return Health(Status.DEGRADED, said)
    topic, state = at(status, "cruiseControlTopicStatus"), at(status, "state")
    absent = topic is None or topic == "CruiseControlTopicNotReady"
    if topic == "CruiseControlTopicReady" and state == "ClusterRunning":
        return Health(Status.HEALTHY, "Kafka Brokers, CruiseControl and cluster are in Healthy State.")
    if absent and state == "ClusterReconciling":
        return Health(Status.PROGRESSING, "Kafka Cluster is Reconciling.")
    return None


def _in_sync(broker: object) -> bool:
    scaled = text(broker, "gracefulActionState", "cruiseControlState") in _SCALED
    return scaled and at(broker, "configurationState") == "ConfigInSync"


def _ensemble(obj: JsonObject) -> Health | None:
    ready = number(obj, "status", "readyReplicas")
    if ready and ready == number(obj, "status", "replicas"):
        return Health(Status.HEALTHY, "All ZK Nodes have joined the ensemble")
    return None


RULES: Mapping[str, Rule] = {
    "kafka.banzaicloud.io/KafkaCluster": (_brokers, progressing("Waiting for KafkaCluster")),
    "kafka.strimzi.io/Kafka": _strimzi("Kafka Cluster", reason="!Creating"),
    "kafka.strimzi.io/KafkaBridge": _strimzi("KafkaBridge"),
    "kafka.strimzi.io/KafkaConnect": _strimzi("Kafka Connect"),
    "kafka.strimzi.io/KafkaConnector": _strimzi("KafkaConnector"),
    "kafka.strimzi.io/KafkaTopic": _strimzi("Kafka Topic"),
    "kafka.strimzi.io/KafkaUser": _strimzi("Kafka User"),
    "platform.confluent.io/Connect": _confluent("Connect"),
    "platform.confluent.io/Connector": (_connector, progressing("Waiting for Kafka Connector")),
    "platform.confluent.io/ControlCenter": _confluent("ControlCenter"),
    "platform.confluent.io/Kafka": _confluent("Kafka"),
    "platform.confluent.io/KsqlDB": _confluent("KsqlDB"),
    "platform.confluent.io/SchemaRegistry": _confluent("SchemaRegistry"),
    "platform.confluent.io/Zookeeper": _confluent("Zookeeper"),
    "rabbitmq.com/Binding": _rabbitmq("binding"),
    "rabbitmq.com/Exchange": _rabbitmq("exchange"),
    "rabbitmq.com/Permission": _rabbitmq("permission"),
    "rabbitmq.com/Policy": _rabbitmq("policy"),
    "rabbitmq.com/Queue": _rabbitmq("queue"),
    "rabbitmq.com/Shovel": _rabbitmq("shovel"),
    "rabbitmq.com/User": _rabbitmq("user"),
    "rabbitmq.com/Vhost": _rabbitmq("vhost"),
    # While the cluster forms, the operator has these conditions Unknown for a moment: that is work, not trouble.
    "rabbitmq.com/RabbitmqCluster": (
        by_condition(on("ReconcileSuccess", "False", degraded(MESSAGE))),
        by_condition(
            on(
                "ClusterAvailable|AllReplicasReady",
                "Unknown",
                progressing("Waiting for RabbitMQ cluster readiness (conditions unknown)"),
            )
        ),
        by_condition(on("ClusterAvailable", "False", progressing("Waiting for RabbitMQ cluster formation"))),
        by_condition(on("AllReplicasReady", "False", progressing("Waiting for RabbitMQ instances ready"))),
        all_true("ClusterAvailable", "AllReplicasReady", then=healthy("RabbitMQ cluster ready")),
        progressing("Waiting for RabbitMQ Operator"),
    ),
    "zookeeper.pravega.io/ZookeeperCluster": (
        _ensemble,
        progressing("Waiting for ZK Nodes to join the ensemble"),
    ),
}
