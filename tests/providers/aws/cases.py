"""One case for each table: what is wanted, what is changed, who else must exist, and what somebody does behind our back."""

import json
from collections.abc import Callable
from typing import Any

import msgspec

from plumbline.providers.aws.table import Table
from plumbline.providers.aws.tables import (
    dynamodb,
    ec2,
    eks,
    elasticache,
    iam,
    kms,
    rds,
    route53,
    s3,
    secretsmanager,
    sns,
    sqs,
)


class Case(msgspec.Struct, frozen=True, kw_only=True):
    table: Table
    wanted: dict[str, Any]
    change: dict[str, Any]
    """Fields with other values than wanted."""
    calls: int
    """Of one observe."""
    given: Callable[[Any], dict[str, Any]] = lambda _: {}
    """Makes what has to be there already, and says how it is referred to."""
    drift: Callable[[Any, str], None] | None = None
    """Changes it from outside, given its external name."""
    settles: int = 1
    """How often an update is needed until nothing differs."""
    lost: bool = False
    """AWS tells nothing that it could be found again by."""
    lingers: bool = False
    """moto without rules goes on deleting it for ever."""
    plain: bool = False
    """On moto alone: the sandbox loses it."""
    untagged: bool = False
    """moto cannot change its tags."""
    stays: bool = False
    """moto cannot delete it."""
    once: bool = False
    """Creating it again makes another one: AWS knows it by nothing but its tags or content."""


def document(**statement: Any) -> str:
    return json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Resource": "*", **statement}]}
    )


def permission(action: str) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": "*"}]})


def a_bucket(cloud):
    cloud.outside("s3").create_bucket(Bucket="shared")
    return {"bucket": "shared"}


def a_topic(cloud):
    return {"topicArn": cloud.outside("sns").create_topic(Name="shared")["TopicArn"]}


def a_key(cloud):
    return {"targetKeyId": cloud.outside("kms").create_key()["KeyMetadata"]["Arn"]}


def subnets(cloud):
    ec2 = cloud.outside("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    made = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.9.{index}.0/24", AvailabilityZone=f"us-east-1{zone}")["Subnet"][
            "SubnetId"
        ]
        for index, zone in enumerate("ab")
    ]
    return {"subnetIds": made}


def a_cluster(cloud):
    cloud.outside("rds").create_db_cluster(
        DBClusterIdentifier="shared",
        Engine="aurora-postgresql",
        MasterUsername="root",
        MasterUserPassword="hunter22hunter",
    )
    return {"clusterIdentifier": "shared"}


def a_secret(cloud):
    cloud.secrets.values["", "value", "v"] = "s3cr3t"
    return {"secretId": cloud.outside("secretsmanager").create_secret(Name="shared")["ARN"]}


def a_vpc(cloud):
    return {"vpcId": cloud.outside("ec2").create_vpc(CidrBlock="10.7.0.0/16")["Vpc"]["VpcId"]}


def a_group(cloud):
    made = cloud.outside("ec2").create_security_group(GroupName="shared", Description="d", VpcId=a_vpc(cloud)["vpcId"])
    return {"securityGroupId": made["GroupId"]}


def a_route_table(cloud):
    network = cloud.outside("ec2")
    vpc = a_vpc(cloud)["vpcId"]
    gateway = network.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    network.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    return {"routeTableId": network.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"], "gatewayId": gateway}


def a_subnet(cloud):
    vpc = a_vpc(cloud)["vpcId"]
    subnet = cloud.outside("ec2").create_subnet(VpcId=vpc, CidrBlock="10.7.1.0/24")["Subnet"]["SubnetId"]
    return {"subnetId": subnet}


def a_table_and_a_subnet(cloud):
    network = cloud.outside("ec2")
    vpc = a_vpc(cloud)["vpcId"]
    subnet = network.create_subnet(VpcId=vpc, CidrBlock="10.7.1.0/24")["Subnet"]["SubnetId"]
    return {"routeTableId": network.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"], "subnetId": subnet}


def trust(service: str) -> str:
    said = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": f"{service}.amazonaws.com"}}
    return json.dumps({"Version": "2012-10-17", "Statement": [said]})


def policies(cloud):
    """moto knows AWS's own policies only when asked to load them all."""
    for name in ("reads", "writes"):
        cloud.outside("iam").create_policy(PolicyName=name, PolicyDocument=permission(f"s3:{name}"))
    return {}


def a_role_and_a_policy(cloud):
    roles = cloud.outside("iam")
    roles.create_role(RoleName="shared", AssumeRolePolicyDocument=trust("ec2"))
    return {
        "role": "shared",
        "policyArn": roles.create_policy(PolicyName="shared", PolicyDocument=permission("s3:*"))["Policy"]["Arn"],
    }


def a_user(cloud):
    cloud.outside("iam").create_user(UserName="shared")
    return {"user": "shared"}


def a_zone(cloud):
    made = cloud.outside("route53").create_hosted_zone(Name="example.org", CallerReference="x")
    return {"zoneId": made["HostedZone"]["Id"].rpartition("/")[2]}


def a_network(cloud):
    return {"vpcConfig": {"subnetIds": subnets(cloud)["subnetIds"]}, "roleArn": "arn:aws:iam::123456789012:role/eks"}


def a_kubernetes(cloud):
    network = a_network(cloud)
    cloud.outside("eks").create_cluster(
        name="shared", roleArn=network["roleArn"], resourcesVpcConfig=network["vpcConfig"]
    )
    return {
        "clusterName": "shared",
        "subnetIds": network["vpcConfig"]["subnetIds"],
        "nodeRoleArn": "arn:aws:iam::123456789012:role/node",
    }


def tagged_from_outside(cloud, name):
    cloud.outside("ec2").create_tags(Resources=[name], Tags=[{"Key": "team", "Value": "theirs"}])


CASES = (
    Case(
        table=rds.INSTANCE, calls=1,
        wanted={"instanceClass": "db.t3.medium", "engine": "postgres", "engineVersion": "15.4", "allocatedStorage": 100,
                "storageEncrypted": True, "multiAz": True, "skipFinalSnapshot": True, "applyImmediately": True},
        change={"multiAz": False, "backupRetentionPeriod": 7},
        drift=lambda cloud, name: cloud.outside("rds").modify_db_instance(
            DBInstanceIdentifier=name, DBInstanceClass="db.r6g.large", ApplyImmediately=True),
    ),
    Case(
        table=rds.CLUSTER, calls=1,
        wanted={"engine": "aurora-postgresql", "engineVersion": "15.4", "databaseName": "app", "backupRetentionPeriod": 2, "skipFinalSnapshot": True,
                "serverlessv2ScalingConfiguration": {"minCapacity": 0.5, "maxCapacity": 4}, "applyImmediately": True},
        change={"backupRetentionPeriod": 5},
        drift=lambda cloud, name: cloud.outside("rds").modify_db_cluster(DBClusterIdentifier=name, BackupRetentionPeriod=3),
    ),
    Case(
        table=rds.CLUSTER_INSTANCE, calls=1, given=a_cluster,
        wanted={"engine": "aurora-postgresql", "instanceClass": "db.r6g.large", "promotionTier": 1},
        change={"instanceClass": "db.r6g.xlarge"},
        drift=lambda cloud, name: cloud.outside("rds").modify_db_instance(DBInstanceIdentifier=name, DBInstanceClass="db.t3.medium"),
    ),
    Case(
        table=rds.SUBNET_GROUP, calls=2, plain=True, given=subnets, wanted={"description": "private ones"}, change={"description": "quiet ones"},
        drift=lambda cloud, name: cloud.outside("rds").modify_db_subnet_group(
            DBSubnetGroupName=name, DBSubnetGroupDescription="loud ones", SubnetIds=subnets(cloud)["subnetIds"]),
    ),
    Case(table=s3.BUCKET, calls=1, wanted={"tags": {"team": "alpha"}}, change={"tags": {"team": "beta"}},
         drift=lambda cloud, name: cloud.outside("s3").delete_bucket_tagging(Bucket=name)),
    Case(
        table=s3.VERSIONING, calls=1, given=a_bucket,
        wanted={"versioningConfiguration": {"status": "Enabled"}}, change={"versioningConfiguration": [{"status": "Suspended"}]},
        drift=lambda cloud, _: cloud.outside("s3").put_bucket_versioning(Bucket="shared", VersioningConfiguration={"Status": "Suspended"}),
    ),
    Case(
        table=s3.ENCRYPTION, calls=1, given=a_bucket,
        wanted={"rule": [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "aws:kms", "kmsMasterKeyId": "alias/a"}, "bucketKeyEnabled": True}]},
        change={"rule": [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "aws:kms", "kmsMasterKeyId": "alias/b"}}]},
        drift=lambda cloud, _: cloud.outside("s3").put_bucket_encryption(
            Bucket="shared", ServerSideEncryptionConfiguration={"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]}),
    ),
    Case(
        table=s3.PUBLIC_ACCESS, calls=1, given=a_bucket,
        wanted={"blockPublicAcls": True, "blockPublicPolicy": True}, change={"blockPublicAcls": False, "restrictPublicBuckets": True},
        drift=lambda cloud, _: cloud.outside("s3").put_public_access_block(
            Bucket="shared", PublicAccessBlockConfiguration={"BlockPublicAcls": False}),
    ),
    Case(
        table=s3.POLICY, calls=1, given=a_bucket, wanted={"policy": document(Action=["s3:GetObject"])},
        change={"policy": document(Action="s3:ListBucket")},
        drift=lambda cloud, _: cloud.outside("s3").put_bucket_policy(Bucket="shared", Policy=document(Action="s3:*")),
    ),
    Case(
        table=s3.LIFECYCLE, calls=1, given=a_bucket,
        wanted={"rule": [{
            "id": "logs", "status": "Enabled", "filter": {"and": {"prefix": "logs/", "tags": {"keep": "no", "kind": "log"}}},
            "expiration": {"days": 90}, "transition": [{"days": 30, "storageClass": "GLACIER"}], "noncurrentVersionExpiration": {"noncurrentDays": 7},
        }]},
        change={"rule": [{"id": "logs", "status": "Disabled", "filter": [{"prefix": "logs/"}], "expiration": [{"days": 60}]}]},
        drift=lambda cloud, _: cloud.outside("s3").put_bucket_lifecycle_configuration(Bucket="shared", LifecycleConfiguration={
            "Rules": [{"ID": "mine", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 1}}]}),
    ),
    Case(
        table=sqs.QUEUE, calls=2, wanted={"delaySeconds": 5, "messageRetentionSeconds": 3600, "policy": document(Action="sqs:SendMessage")},
        change={"delaySeconds": 0, "visibilityTimeoutSeconds": 60},
        drift=lambda cloud, name: cloud.outside("sqs").set_queue_attributes(QueueUrl=name, Attributes={"DelaySeconds": "9"}),
    ),
    Case(
        table=sns.TOPIC, calls=2, wanted={"displayName": "Alarms"}, change={"displayName": "Bells", "deliveryPolicy": '{"http": {}}'},
        drift=lambda cloud, name: cloud.outside("sns").set_topic_attributes(
            TopicArn=f"arn:aws:sns:us-east-1:123456789012:{name}", AttributeName="DisplayName", AttributeValue="x"),
    ),
    Case(
        table=sns.SUBSCRIPTION, calls=1, given=a_topic,
        wanted={"protocol": "sqs", "endpoint": "arn:aws:sqs:us-east-1:123456789012:q", "rawMessageDelivery": False},
        change={"rawMessageDelivery": True, "filterPolicy": '{"kind": ["a"]}'},
        drift=lambda cloud, name: cloud.outside("sns").set_subscription_attributes(
            SubscriptionArn=name, AttributeName="RawMessageDelivery", AttributeValue="true"),
    ),
    Case(
        table=dynamodb.TABLE, calls=4, settles=1,
        wanted={"hashKey": "id", "rangeKey": "at", "attribute": [{"name": "id", "type": "S"}, {"name": "at", "type": "N"}],
                "billingMode": "PAY_PER_REQUEST", "streamEnabled": True, "streamViewType": "NEW_IMAGE",
                "ttl": {"attributeName": "gone", "enabled": True}, "pointInTimeRecovery": [{"enabled": True}]},
        change={"billingMode": "PROVISIONED", "readCapacity": 5, "writeCapacity": 2, "ttl": {"enabled": False, "attributeName": "gone"}},
        drift=lambda cloud, name: cloud.outside("dynamodb").update_time_to_live(
            TableName=name, TimeToLiveSpecification={"Enabled": False, "AttributeName": "gone"}),
    ),
    Case(
        table=secretsmanager.SECRET, calls=1, wanted={"description": "a", "recoveryWindowInDays": 0}, change={"description": "b"},
        drift=lambda cloud, name: cloud.outside("secretsmanager").update_secret(SecretId=name, Description="x"),
    ),
    Case(
        table=secretsmanager.VERSION, calls=1, given=a_secret, wanted={"secretStringSecretRef": {"name": "value", "key": "v"}},
        change={}, once=True,
        drift=lambda cloud, name: cloud.outside("secretsmanager").put_secret_value(SecretId=name.split("|")[0], SecretString="other"),
    ),
    Case(
        table=kms.KEY, calls=4, once=True, wanted={"description": "a", "enableKeyRotation": True, "policy": document(Action="kms:*")},
        change={"description": "b", "enableKeyRotation": False, "policy": document(Action=["kms:Encrypt"])},
        drift=lambda cloud, name: cloud.outside("kms").disable_key_rotation(KeyId=name),
    ),
    Case(
        table=kms.ALIAS, calls=1, given=a_key, wanted={}, change={},
        drift=lambda cloud, name: cloud.outside("kms").update_alias(
            AliasName=f"alias/{name}", TargetKeyId=cloud.outside("kms").create_key()["KeyMetadata"]["KeyId"]),
    ),
    Case(
        table=ec2.VPC, calls=3, once=True, wanted={"cidrBlock": "10.1.0.0/16", "enableDnsHostnames": True, "enableDnsSupport": True},
        change={"enableDnsHostnames": False},
        drift=lambda cloud, name: cloud.outside("ec2").modify_vpc_attribute(VpcId=name, EnableDnsSupport={"Value": False}),
    ),
    Case(
        table=ec2.SUBNET, calls=1, once=True, given=a_vpc, wanted={"cidrBlock": "10.7.1.0/24", "availabilityZone": "us-east-1b", "mapPublicIpOnLaunch": True},
        change={"mapPublicIpOnLaunch": False},
        drift=lambda cloud, name: cloud.outside("ec2").modify_subnet_attribute(SubnetId=name, MapPublicIpOnLaunch={"Value": False}),
    ),
    Case(table=ec2.SECURITY_GROUP, calls=1, given=a_vpc, wanted={"description": "web", "tags": {"a": "b"}}, change={"tags": {"a": "c"}},
         drift=tagged_from_outside),
    Case(
        table=ec2.RULE, calls=1, given=a_group,
        wanted={"type": "ingress", "protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["10.0.0.0/8", "172.16.0.0/12"], "self": True},
        change={},
        drift=lambda cloud, name: cloud.outside("ec2").revoke_security_group_ingress(
            GroupId=name.split("_")[0], IpProtocol="tcp", FromPort=443, ToPort=443, CidrIp="10.0.0.0/8"),
    ),
    Case(table=ec2.INTERNET_GATEWAY, calls=1, once=True, given=a_vpc, wanted={}, change={}, drift=tagged_from_outside),
    Case(table=ec2.ROUTE_TABLE, calls=1, once=True, given=a_vpc, wanted={"tags": {"a": "b"}}, change={"tags": {"a": "c"}}, drift=tagged_from_outside),
    Case(table=ec2.ROUTE, calls=1, given=a_route_table, wanted={"destinationCidrBlock": "0.0.0.0/0"}, change={}),
    Case(table=ec2.ASSOCIATION, calls=1, given=a_table_and_a_subnet, wanted={}, change={}),
    Case(table=ec2.NAT_GATEWAY, calls=1, once=True, given=a_subnet, wanted={"connectivityType": "private", "tags": {"a": "b"}},
         change={"tags": {"a": "c"}}, drift=tagged_from_outside),
    Case(table=ec2.EIP, calls=1, once=True, wanted={"domain": "vpc", "tags": {"a": "b"}}, change={"tags": {"a": "c"}}, drift=tagged_from_outside),
    Case(
        table=iam.ROLE, calls=2, given=policies,
        wanted={"assumeRolePolicy": trust("ec2"), "description": "a", "maxSessionDuration": 7200, "managedPolicyArns": ["arn:aws:iam::123456789012:policy/reads"]},
        change={"description": "b", "managedPolicyArns": ["arn:aws:iam::123456789012:policy/writes"],
                "assumeRolePolicy": trust("lambda")},
        drift=lambda cloud, name: cloud.outside("iam").update_role(RoleName=name, MaxSessionDuration=3600),
    ),
    Case(
        table=iam.POLICY, calls=2, wanted={"policy": permission("s3:*")}, change={"policy": permission("sqs:*")},
        drift=lambda cloud, name: cloud.outside("iam").create_policy_version(
            PolicyArn=f"arn:aws:iam::123456789012:policy/{name}", PolicyDocument=permission("*"), SetAsDefault=True),
    ),
    Case(table=iam.ATTACHMENT, calls=1, given=a_role_and_a_policy, wanted={}, change={}),
    # moto forgets the tags of a user whose path changes, and has no boundaries.
    Case(table=iam.USER, calls=1, wanted={"path": "/people/"}, change={}),
    Case(table=iam.ACCESS_KEY, calls=1, once=True, lost=True, given=a_user, wanted={"status": "Active"}, change={"status": "Inactive"},
         drift=lambda cloud, name: cloud.outside("iam").update_access_key(UserName="shared", AccessKeyId=name, Status="Inactive")),
    Case(
        table=elasticache.REPLICATION_GROUP, calls=2, lingers=True,
        wanted={"description": "a", "engine": "redis", "nodeType": "cache.t3.small"},
        change={"description": "b"},
    ),
    Case(table=elasticache.SUBNET_GROUP, calls=2, stays=True, given=subnets, wanted={"description": "a"}, change={}),
    Case(
        table=route53.ZONE, calls=2, once=True, wanted={"name": "example.com", "comment": "a"}, change={"comment": "b"},
        drift=lambda cloud, name: cloud.outside("route53").update_hosted_zone_comment(Id=name, Comment="x"),
    ),
    Case(
        table=route53.RECORD, calls=1, given=a_zone, wanted={"name": "www.example.org", "type": "A", "ttl": 60, "records": ["10.0.0.1", "10.0.0.2"]},
        change={"ttl": 30, "records": ["10.0.0.3"]},
        drift=lambda cloud, name: cloud.outside("route53").change_resource_record_sets(HostedZoneId=name.split("_")[0], ChangeBatch={"Changes": [
            {"Action": "UPSERT", "ResourceRecordSet": {
                "Name": "www.example.org", "Type": "A", "TTL": 5, "ResourceRecords": [{"Value": "10.0.0.9"}]}}]}),
    ),
    Case(
        table=eks.CLUSTER, calls=1, given=a_network, wanted={"version": "1.30", "enabledClusterLogTypes": ["api"]},
        change={"enabledClusterLogTypes": ["api", "audit"]},
    ),
    Case(
        table=eks.NODE_GROUP, calls=1, given=a_kubernetes, untagged=True,
        wanted={"scalingConfig": {"desiredSize": 2, "minSize": 1, "maxSize": 3}, "instanceTypes": ["t3.large"], "labels": {"a": "b"}},
        change={"scalingConfig": [{"desiredSize": 3, "minSize": 1, "maxSize": 4}], "labels": {"c": "d"}},
    ),
)  # fmt: skip
