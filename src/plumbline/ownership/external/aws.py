"""What names things in AWS."""

from typing import Final

from plumbline.ownership.external.shape import Rule, Scope

_GLOBAL, _ACCOUNT, _REGION = Scope.GLOBAL, Scope.ACCOUNT, Scope.REGION


def _kind(service_and_kind: str) -> str:
    service, _, kind = service_and_kind.partition(" ")
    return f"{kind}.{service}.aws.upbound.io" if kind else ""


def _chosen(type_: str, name: str, kind: str, arn: str, scope: Scope = _REGION, *, fold: bool = False) -> Rule:
    """People choose its name, and Crossplane's external name is that name."""
    return Rule(type_, scope, (name,), _kind(kind), external_name=True, arn=arn, fold=fold)


def _named(type_: str, name: str, kind: str, arn: str = "", scope: Scope = _REGION, *, fold: bool = False) -> Rule:
    """A field holds its name, and Crossplane's external name is something that AWS assigned."""
    return Rule(type_, scope, (name,), _kind(kind), arn=arn, fold=fold)


def _assigned(type_: str, kind: str, arn: str = "", scope: Scope = _REGION) -> Rule:
    """AWS gives it an id, and nothing that people write tells one from another."""
    return Rule(type_, scope, (), _kind(kind), arn=arn)


RULES: Final = (
    _named("aws_db_instance", "identifier", "rds Instance", "rds:db:", fold=True),
    _chosen("aws_rds_cluster_instance", "identifier", "rds ClusterInstance", "", fold=True)._replace(
        same_as="aws_db_instance"
    ),
    _chosen("aws_rds_cluster", "cluster_identifier", "rds Cluster", "rds:cluster:", fold=True),
    _chosen("aws_db_subnet_group", "name", "rds SubnetGroup", "rds:subgrp:", fold=True),
    _chosen("aws_db_parameter_group", "name", "rds ParameterGroup", "rds:pg:", fold=True),
    _chosen("aws_s3_bucket", "bucket", "s3 Bucket", "s3:", _GLOBAL),
    _named("aws_s3_bucket_versioning", "bucket", "s3 BucketVersioning", scope=_GLOBAL),
    _named(
        "aws_s3_bucket_server_side_encryption_configuration",
        "bucket",
        "s3 BucketServerSideEncryptionConfiguration",
        scope=_GLOBAL,
    ),
    _named("aws_s3_bucket_public_access_block", "bucket", "s3 BucketPublicAccessBlock", scope=_GLOBAL),
    _named("aws_s3_bucket_policy", "bucket", "s3 BucketPolicy", scope=_GLOBAL),
    _named("aws_sqs_queue", "name", "sqs Queue", "sqs:"),
    _chosen("aws_sns_topic", "name", "sns Topic", "sns:"),
    _chosen("aws_dynamodb_table", "name", "dynamodb Table", "dynamodb:table/"),
    _chosen(
        "aws_elasticache_replication_group",
        "replication_group_id",
        "elasticache ReplicationGroup",
        "elasticache:replicationgroup:",
        fold=True,
    ),
    _chosen("aws_iam_role", "name", "iam Role", "iam:role/", _ACCOUNT, fold=True),
    _chosen("aws_iam_policy", "name", "iam Policy", "iam:policy/", _ACCOUNT, fold=True),
    _chosen("aws_iam_user", "name", "iam User", "iam:user/", _ACCOUNT, fold=True),
    _chosen("aws_iam_group", "name", "iam Group", "iam:group/", _ACCOUNT, fold=True),
    _chosen("aws_iam_instance_profile", "name", "iam InstanceProfile", "iam:instance-profile/", _ACCOUNT, fold=True),
    _assigned("aws_iam_openid_connect_provider", "iam OpenIDConnectProvider", "iam:oidc-provider/", _ACCOUNT),
    _assigned("aws_iam_access_key", "iam AccessKey", scope=_ACCOUNT),
    Rule(
        "aws_iam_role_policy_attachment",
        _ACCOUNT,
        ("role", "policy_arn"),
        _kind("iam RolePolicyAttachment"),
        joint="/",
    ),
    _assigned("aws_vpc", "ec2 VPC", "ec2:vpc/"),
    _assigned("aws_subnet", "ec2 Subnet", "ec2:subnet/"),
    _assigned("aws_security_group", "ec2 SecurityGroup", "ec2:security-group/"),
    _assigned("aws_security_group_rule", "ec2 SecurityGroupRule"),
    _assigned("aws_vpc_security_group_ingress_rule", "ec2 SecurityGroupIngressRule"),
    _assigned("aws_vpc_security_group_egress_rule", "ec2 SecurityGroupEgressRule"),
    _assigned("aws_route_table", "ec2 RouteTable", "ec2:route-table/"),
    _assigned("aws_internet_gateway", "ec2 InternetGateway", "ec2:internet-gateway/"),
    _assigned("aws_nat_gateway", "ec2 NATGateway", "ec2:natgateway/"),
    _assigned("aws_eip", "ec2 EIP", "ec2:elastic-ip/"),
    _assigned("aws_instance", "ec2 Instance", "ec2:instance/"),
    _assigned("aws_ebs_volume", "ec2 EBSVolume", "ec2:volume/"),
    _chosen("aws_eks_cluster", "name", "eks Cluster", "eks:cluster/"),
    Rule(
        "aws_eks_node_group",
        _REGION,
        ("cluster_name", "node_group_name"),
        _kind("eks NodeGroup"),
        external_name=True,
        arn="eks:nodegroup/",
    ),
    Rule(
        "aws_eks_addon",
        _REGION,
        ("cluster_name", "addon_name"),
        _kind("eks Addon"),
        arn="eks:addon/",
    ),
    _assigned("aws_kms_key", "kms Key", "kms:key/"),
    _named("aws_secretsmanager_secret", "name", "secretsmanager Secret", "secretsmanager:secret:"),
    _assigned("aws_secretsmanager_secret_version", "secretsmanager SecretVersion"),
    _assigned("aws_route53_zone", "route53 Zone", "route53:hostedzone/", _GLOBAL),
    Rule(
        "aws_route53_record",
        _GLOBAL,
        ("zone_id", "name", "type"),
        _kind("route53 Record"),
        joint="_",
        fold=True,
    ),
    _chosen("aws_lambda_function", "function_name", "lambda Function", "lambda:function:"),
    _chosen("aws_ecr_repository", "name", "ecr Repository", "ecr:repository/"),
    _chosen("aws_cloudwatch_log_group", "name", "cloudwatchlogs Group", "logs:log-group:"),
)
