"""Requests and what AWS makes of them: service, operation, parameters, error code (empty: it is taken), why."""

from .aws import DATABASE


def _without(params, *names):
    return {name: value for name, value in params.items() if name not in names}


def _create(code, why, **changed):
    return ("rds", "CreateDBInstance", {**DATABASE, **changed}, code, why)


def _modify(code, why, name="orders", **changed):
    return ("rds", "ModifyDBInstance", {"DBInstanceIdentifier": name, **changed}, code, why)


VALUE, COMBINATION, STATE = "InvalidParameterValue", "InvalidParameterCombination", "InvalidDBInstanceState"

RDS = [
    _create("", "a database as it should be"),
    _create("", "the newest minor of a major version", EngineVersion="16"),
    _create("", "MySQL", Engine="mysql", EngineVersion="8.0.36", MasterUsername="admin"),
    _create("", "MariaDB", Engine="mariadb", EngineVersion="10.11.8"),
    _create("", "an engine of which only the name is known", Engine="oracle-ee", EngineVersion="19.0.0.0"),
    _create("", "Graviton", DBInstanceClass="db.r6g.large"),
    _create(
        "",
        "windows that do not meet",
        PreferredBackupWindow="03:00-04:00",
        PreferredMaintenanceWindow="mon:04:00-mon:05:00",
    ),
    _create("", "provisioned IOPS", StorageType="io1", Iops=3000, AllocatedStorage=100),
    (
        "rds",
        "CreateDBInstance",
        _without(DATABASE, "MasterUserPassword") | {"ManageMasterUserPassword": True},
        "",
        "AWS keeps the password",
    ),
    (
        "rds",
        "CreateDBInstance",
        {
            "DBInstanceIdentifier": "a",
            "DBInstanceClass": "db.serverless",
            "Engine": "aurora-postgresql",
            "DBClusterIdentifier": "c",
        },
        "",
        "a member of a cluster",
    ),
    ("rds", "CreateDBInstance", _without(DATABASE, "Engine"), "MissingParameter", "an engine is required by the model"),
    ("rds", "CreateDBInstance", _without(DATABASE, "AllocatedStorage"), VALUE, "storage is required"),
    ("rds", "CreateDBInstance", _without(DATABASE, "MasterUsername"), VALUE, "a user is required"),
    ("rds", "CreateDBInstance", _without(DATABASE, "MasterUserPassword"), VALUE, "a password is required"),
    _create(VALUE, "identifier begins with a digit", DBInstanceIdentifier="1orders"),
    _create(VALUE, "identifier ends with a hyphen", DBInstanceIdentifier="orders-"),
    _create(VALUE, "identifier with two hyphens", DBInstanceIdentifier="or--ders"),
    _create(VALUE, "identifier with an underscore", DBInstanceIdentifier="or_ders"),
    _create(VALUE, "identifier of 64", DBInstanceIdentifier="a" * 64),
    _create("", "identifier of 63", DBInstanceIdentifier="a" * 63),
    _create(VALUE, "no such engine", Engine="postgresql"),
    _create(COMBINATION, "no such major version", EngineVersion="9.6.1"),
    _create(COMBINATION, "no such minor version", EngineVersion="16.99"),
    _create(COMBINATION, "no version at all", EngineVersion="latest"),
    _create(COMBINATION, "no such version of MySQL", Engine="mysql", EngineVersion="8.1.0"),
    _create(VALUE, "no such class", DBInstanceClass="db.t3.huge"),
    _create(VALUE, "no such family", DBInstanceClass="db.q9.large"),
    _create(VALUE, "a class of EC2", DBInstanceClass="t3.micro"),
    _create(COMBINATION, "a class of the past", DBInstanceClass="db.t2.micro"),
    _create(VALUE, "too little storage", AllocatedStorage=5),
    _create(VALUE, "too much storage", AllocatedStorage=70_000),
    _create(VALUE, "too little for IOPS", StorageType="io1", Iops=1000, AllocatedStorage=50),
    _create(VALUE, "no such storage", StorageType="floppy"),
    _create("", "magnetic disks are small", StorageType="standard", AllocatedStorage=5),
    _create(COMBINATION, "IOPS where there are none", StorageType="gp2", Iops=3000),
    _create(COMBINATION, "IOPS not said", StorageType="io1", AllocatedStorage=100),
    _create(COMBINATION, "grows to less than it is", MaxAllocatedStorage=10),
    _create(VALUE, "admin is reserved by PostgreSQL", MasterUsername="admin"),
    _create(VALUE, "user is a word of SQL", MasterUsername="User"),
    _create(VALUE, "pg_ belongs to PostgreSQL", MasterUsername="pg_owner"),
    _create(VALUE, "a user begins with a letter", MasterUsername="1owner"),
    _create(VALUE, "a user has no dashes", MasterUsername="my-owner"),
    _create(VALUE, "a long user", MasterUsername="o" * 64),
    _create(VALUE, "rdsadmin is theirs", Engine="mysql", EngineVersion="8.0", MasterUsername="rdsadmin"),
    _create(VALUE, "short password", MasterUserPassword="canary7"),
    _create("", "long password", MasterUserPassword="c" * 128),
    _create(VALUE, "longer password", MasterUserPassword="c" * 129),
    _create(VALUE, "long for MySQL", Engine="mysql", EngineVersion="8.0", MasterUserPassword="c" * 42),
    _create(VALUE, "password with a slash", MasterUserPassword="canary/2026"),
    _create(VALUE, "password with an at", MasterUserPassword="canary@2026"),
    _create(VALUE, "password with a quote", MasterUserPassword='canary"2026'),
    _create(VALUE, "password with a space", MasterUserPassword="canary 2026"),
    _create(VALUE, "password beyond ASCII", MasterUserPassword="canäry-2026"),
    _create(COMBINATION, "two sources of the password", ManageMasterUserPassword=True),
    _create(VALUE, "retention", BackupRetentionPeriod=36),
    _create("", "no backups", BackupRetentionPeriod=0),
    _create(VALUE, "backup window spelled wrongly", PreferredBackupWindow="3:00-4:00"),
    _create(VALUE, "backup window too short", PreferredBackupWindow="03:00-03:15"),
    _create(VALUE, "maintenance window without days", PreferredMaintenanceWindow="03:00-04:00"),
    _create(
        VALUE, "windows meet", PreferredBackupWindow="03:00-04:00", PreferredMaintenanceWindow="mon:03:30-mon:04:30"
    ),
    _create(COMBINATION, "one zone for two", MultiAZ=True, AvailabilityZone="us-east-1a"),
    _create(VALUE, "port", Port=80),
    _create(VALUE, "name of the database begins with a digit", DBName="1orders"),
    _create(VALUE, "name of the database is a word of SQL", DBName="select"),
    _create("", "name of the database", DBName="orders"),
    _create(VALUE, "long name of a database", DBName="o" * 64),
    _create(COMBINATION, "a key, but no encryption", KmsKeyId="k", StorageEncrypted=False),
    _create(VALUE, "monitoring every 7 s", MonitoringInterval=7),
    _create(COMBINATION, "monitoring by nobody", MonitoringInterval=60),
    _create(VALUE, "tier", PromotionTier=16),
    _modify("", "larger", AllocatedStorage=200),
    _modify(COMBINATION, "smaller", AllocatedStorage=50),
    _modify("", "a minor upgrade", EngineVersion="16.4"),
    _modify("", "the same major version", EngineVersion="16"),
    _modify(COMBINATION, "a major upgrade by accident", EngineVersion="17.2"),
    _modify("", "a major upgrade on purpose", EngineVersion="17.2", AllowMajorVersionUpgrade=True),
    _modify(COMBINATION, "backwards", EngineVersion="15.5"),
    _modify(COMBINATION, "to nowhere", EngineVersion="16.99"),
    _modify(VALUE, "into the maintenance window", PreferredBackupWindow="05:30-06:30"),
    _modify(STATE, "while it is created", name="young", AllocatedStorage=200),
    (
        "rds",
        "CreateDBSnapshot",
        {"DBInstanceIdentifier": "young", "DBSnapshotIdentifier": "s"},
        STATE,
        "snapshot too early",
    ),
    (
        "rds",
        "CreateDBSnapshot",
        {"DBInstanceIdentifier": "orders", "DBSnapshotIdentifier": "s_1"},
        VALUE,
        "snapshot's name",
    ),
    ("rds", "DeleteDBInstance", {"DBInstanceIdentifier": "orders"}, COMBINATION, "no word about a snapshot"),
    ("rds", "DeleteDBInstance", {"DBInstanceIdentifier": "orders", "SkipFinalSnapshot": True}, "", "no snapshot"),
    (
        "rds",
        "DeleteDBInstance",
        {"DBInstanceIdentifier": "orders", "FinalDBSnapshotIdentifier": "last"},
        "",
        "a snapshot",
    ),
    (
        "rds",
        "DeleteDBInstance",
        {"DBInstanceIdentifier": "orders", "FinalDBSnapshotIdentifier": "last", "SkipFinalSnapshot": True},
        COMBINATION,
        "a snapshot and none",
    ),
    (
        "rds",
        "DeleteDBInstance",
        {"DBInstanceIdentifier": "guarded", "SkipFinalSnapshot": True},
        COMBINATION,
        "protected",
    ),
    ("rds", "DeleteDBInstance", {"DBInstanceIdentifier": "going", "SkipFinalSnapshot": True}, STATE, "deleted twice"),
    ("rds", "DeleteDBInstance", {"DBInstanceIdentifier": "member"}, "", "the cluster has the snapshot"),
    (
        "rds",
        "CreateDBCluster",
        {"DBClusterIdentifier": "c--c", "Engine": "aurora-postgresql"},
        VALUE,
        "name of a cluster",
    ),
    (
        "rds",
        "CreateDBCluster",
        {"DBClusterIdentifier": "c", "Engine": "aurora-postgresql", "BackupRetentionPeriod": 0},
        VALUE,
        "a cluster has backups",
    ),
    ("rds", "DeleteDBCluster", {"DBClusterIdentifier": "c"}, COMBINATION, "no word about a cluster's snapshot"),
    (
        "rds",
        "DeleteDBCluster",
        {"DBClusterIdentifier": "young", "SkipFinalSnapshot": True},
        "InvalidDBClusterStateFault",
        "cluster too early",
    ),
    (
        "rds",
        "CreateDBSubnetGroup",
        {"DBSubnetGroupName": "g", "DBSubnetGroupDescription": "g", "SubnetIds": ["subnet-a", "subnet-a2"]},
        "DBSubnetGroupDoesNotCoverEnoughAZs",
        "one zone",
    ),
    (
        "rds",
        "CreateDBSubnetGroup",
        {"DBSubnetGroupName": "g", "DBSubnetGroupDescription": "g", "SubnetIds": ["subnet-a", "subnet-b"]},
        "",
        "two zones",
    ),
]


def _bucket(name, code, why):
    return ("s3", "CreateBucket", {"Bucket": name}, code, why)


def _bucket_policy(text, code, why):
    return ("s3", "PutBucketPolicy", {"Bucket": "b", "Policy": text}, code, why)


S3 = [
    _bucket("orders-2026", "", "a name"),
    _bucket("orders.example.org", "", "a domain"),
    _bucket("ab", "InvalidBucketName", "too short"),
    _bucket("a" * 64, "InvalidBucketName", "too long"),
    _bucket("Orders", "InvalidBucketName", "a capital"),
    _bucket("orders_2026", "InvalidBucketName", "an underscore"),
    _bucket("-orders", "InvalidBucketName", "begins with a hyphen"),
    _bucket("orders-", "InvalidBucketName", "ends with a hyphen"),
    _bucket("or..ders", "InvalidBucketName", "two dots"),
    _bucket("192.168.5.4", "InvalidBucketName", "an address"),
    _bucket("xn--orders", "InvalidBucketName", "reserved beginning"),
    _bucket("orders-s3alias", "InvalidBucketName", "reserved end"),
    (
        "s3",
        "CreateBucket",
        {"Bucket": "orders", "CreateBucketConfiguration": {"LocationConstraint": "us-east-1"}},
        "InvalidLocationConstraint",
        "the first region is not said",
    ),
    (
        "s3",
        "PutBucketVersioning",
        {"Bucket": "b", "VersioningConfiguration": {"Status": "On"}},
        "MalformedXML",
        "no such status",
    ),
    ("s3", "PutBucketVersioning", {"Bucket": "b", "VersioningConfiguration": {"Status": "Enabled"}}, "", "status"),
    (
        "s3",
        "PutBucketEncryption",
        {
            "Bucket": "b",
            "ServerSideEncryptionConfiguration": {
                "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "rot13"}}]
            },
        },
        "MalformedXML",
        "no such algorithm",
    ),
    (
        "s3",
        "PutBucketTagging",
        {"Bucket": "b", "Tagging": {"TagSet": [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]}},
        "InvalidTag",
        "a tag twice",
    ),
    (
        "s3",
        "PutBucketTagging",
        {"Bucket": "b", "Tagging": {"TagSet": [{"Key": "aws:a", "Value": "1"}]}},
        "InvalidTag",
        "a tag of theirs",
    ),
    (
        "s3",
        "PutBucketTagging",
        {"Bucket": "b", "Tagging": {"TagSet": [{"Key": str(n), "Value": ""} for n in range(51)]}},
        "InvalidTag",
        "51 tags",
    ),
    _bucket_policy("{", "MalformedPolicy", "not JSON"),
    _bucket_policy(
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}',
        "MalformedPolicy",
        "nobody is allowed",
    ),
    _bucket_policy(
        '{"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":"*","Action":"s3:*","Resource":"*"}}',
        "",
        "a policy of a bucket",
    ),
]


def _queue(code, why, name="jobs", **attributes):
    return ("sqs", "CreateQueue", {"QueueName": name, "Attributes": attributes}, code, why)


SQS = [
    _queue("", "a queue"),
    _queue("", "a FIFO queue", name="jobs.fifo", FifoQueue="true"),
    _queue(VALUE, "a dot", name="jo.bs"),
    _queue(VALUE, "81 letters", name="j" * 81),
    _queue(VALUE, "FIFO by name only", name="jobs.fifo"),
    _queue(VALUE, "FIFO by attribute only", FifoQueue="true"),
    _queue("InvalidAttributeValue", "flag", FifoQueue="maybe", name="jobs"),
    _queue("InvalidAttributeValue", "visibility", VisibilityTimeout="43201"),
    _queue("InvalidAttributeValue", "delay", DelaySeconds="901"),
    _queue("InvalidAttributeValue", "retention", MessageRetentionPeriod="59"),
    _queue("InvalidAttributeValue", "size", MaximumMessageSize="100"),
    _queue("InvalidAttributeValue", "waiting", ReceiveMessageWaitTimeSeconds="21"),
    _queue("InvalidAttributeValue", "a word for a number", DelaySeconds="soon"),
    _queue("InvalidAttributeValue", "redrive is not JSON", RedrivePolicy="{"),
    _queue("InvalidAttributeValue", "redrive without a count", RedrivePolicy='{"deadLetterTargetArn":"a"}'),
    _queue("", "redrive", RedrivePolicy='{"deadLetterTargetArn":"a","maxReceiveCount":"3"}'),
    _queue("InvalidAttributeValue", "policy is no object", Policy="[]"),
    _queue("InvalidAttributeName", "no such attribute", Colour="blue"),
    _queue("", "a key", KmsMasterKeyId="alias/aws/sqs"),
    ("sqs", "CreateQueue", {}, "MissingParameter", "a name is required"),
    (
        "sqs",
        "SetQueueAttributes",
        {"QueueUrl": "u", "Attributes": {"DelaySeconds": "-1"}},
        "InvalidAttributeValue",
        "later",
    ),
    ("sns", "CreateTopic", {"Name": "news"}, "", "a topic"),
    ("sns", "CreateTopic", {"Name": "ne ws"}, "InvalidParameter", "a space"),
    (
        "sns",
        "CreateTopic",
        {"Name": "news", "Attributes": {"FifoTopic": "true"}},
        "InvalidParameter",
        "FIFO by attribute only",
    ),
]

TRUST = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}'
ALLOW = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'


def _role(code, why, name="reader", policy=TRUST, **more):
    return ("iam", "CreateRole", {"RoleName": name, "AssumeRolePolicyDocument": policy, **more}, code, why)


def _policy(code, why, text=ALLOW, name="read"):
    return ("iam", "CreatePolicy", {"PolicyName": name, "PolicyDocument": text}, code, why)


IAM = [
    _role("", "a role"),
    _role("ValidationError", "a space in a name", name="my reader"),
    _role("ValidationError", "65 letters", name="r" * 65),
    _role("ValidationError", "a session of a minute", MaxSessionDuration=60),
    _role("MalformedPolicyDocument", "not JSON", policy="{"),
    _role("MalformedPolicyDocument", "a list", policy="[]"),
    _role(
        "MalformedPolicyDocument",
        "resources in a trust policy",
        policy=TRUST.replace('"Action"', '"Resource":"*","Action"'),
    ),
    _role(
        "MalformedPolicyDocument",
        "trusts nobody",
        policy=TRUST.replace('"Principal":{"Service":"ec2.amazonaws.com"},', ""),
    ),
    _role("LimitExceeded", "a long trust policy", policy=TRUST.replace("ec2", "e" * 2100)),
    _role("InvalidInput", "a tag twice", Tags=[{"Key": "a", "Value": "1"}, {"Key": "A", "Value": "2"}]),
    (
        "iam",
        "UpdateAssumeRolePolicy",
        {"RoleName": "r", "PolicyDocument": ALLOW},
        "MalformedPolicyDocument",
        "not a trust policy",
    ),
    _policy("", "a policy"),
    (
        "iam",
        "DeletePolicy",
        {"PolicyArn": "arn:aws:iam::123456789012:policy/used"},
        "DeleteConflict",
        "a policy in use",
    ),
    ("iam", "DeletePolicy", {"PolicyArn": "arn:aws:iam::123456789012:policy/free"}, "", "a policy that nobody uses"),
    _policy("MalformedPolicyDocument", "a version of tomorrow", text=ALLOW.replace("2012", "2042")),
    _policy("MalformedPolicyDocument", "no statement", text='{"Version":"2012-10-17"}'),
    _policy("MalformedPolicyDocument", "maybe", text=ALLOW.replace("Allow", "Maybe")),
    _policy("MalformedPolicyDocument", "no action", text=ALLOW.replace('"Action":"s3:*",', "")),
    _policy("MalformedPolicyDocument", "no resource", text=ALLOW.replace(',"Resource":"*"', "")),
    _policy("MalformedPolicyDocument", "a principal", text=ALLOW.replace('"Action"', '"Principal":"*","Action"')),
    _policy("MalformedPolicyDocument", "an unknown field", text=ALLOW.replace('"Action"', '"Colour":"blue","Action"')),
    _policy("LimitExceeded", "a long policy", text=ALLOW.replace("s3:*", "s3:" + "x" * 6200)),
    (
        "iam",
        "PutRolePolicy",
        {"RoleName": "r", "PolicyName": "p", "PolicyDocument": "{}"},
        "MalformedPolicyDocument",
        "empty",
    ),
]


def _subnet(block, code, why, vpc="vpc-1"):
    return ("ec2", "CreateSubnet", {"VpcId": vpc, "CidrBlock": block}, code, why)


def _ingress(code, why, **permission):
    return ("ec2", "AuthorizeSecurityGroupIngress", {"GroupId": "sg-1", "IpPermissions": [permission]}, code, why)


def _group(code, why, **changed):
    return ("ec2", "CreateSecurityGroup", {"GroupName": "web", "Description": "web", **changed}, code, why)


EC2 = [
    ("ec2", "CreateVpc", {"CidrBlock": "10.0.0.0/16"}, "", "a network"),
    ("ec2", "CreateVpc", {"CidrBlock": "10.0.3.7/16"}, "", "bits of a host are cut off"),
    ("ec2", "CreateVpc", {"CidrBlock": "10.0.0.0/8"}, "InvalidVpc.Range", "too large"),
    ("ec2", "CreateVpc", {"CidrBlock": "10.0.0.0/29"}, "InvalidVpc.Range", "too small"),
    ("ec2", "CreateVpc", {"CidrBlock": "10.0.0.0"}, VALUE, "an address"),
    ("ec2", "CreateVpc", {"CidrBlock": "10.0.0.300/16"}, VALUE, "no address"),
    ("ec2", "CreateVpc", {}, "", "a network from a pool"),
    _subnet("10.0.1.0/24", "", "a subnet"),
    _subnet("10.0.1.0/24", "", "a network that moto does not find either", vpc="vpc-gone"),
    _subnet("10.1.0.0/24", "InvalidSubnet.Range", "outside"),
    _subnet("10.0.0.0/15", "InvalidSubnet.Range", "too large"),
    _subnet("10.0.0.128/25", "InvalidSubnet.Conflict", "taken"),
    ("ec2", "CreateSubnet", {"CidrBlock": "10.0.1.0/24"}, "MissingParameter", "of which network?"),
    _group("", "a group"),
    _group(VALUE, "the name of an id", GroupName="sg-web"),
    _group(VALUE, "a long name", GroupName="w" * 256),
    _group(VALUE, "a description beyond ASCII", Description="wéb"),
    _ingress("", "ports", IpProtocol="tcp", FromPort=80, ToPort=81, IpRanges=[{"CidrIp": "0.0.0.0/0"}]),
    _ingress("", "everything", IpProtocol="-1"),
    _ingress(VALUE, "ports backwards", IpProtocol="tcp", FromPort=81, ToPort=80),
    _ingress(VALUE, "port 70000", IpProtocol="tcp", FromPort=80, ToPort=70000),
    _ingress(VALUE, "no ports", IpProtocol="tcp"),
    _ingress(VALUE, "no such protocol", IpProtocol="pigeon"),
    _ingress(VALUE, "no such block", IpProtocol="-1", IpRanges=[{"CidrIp": "10.0.0.0/40"}]),
    (
        "ec2",
        "AuthorizeSecurityGroupIngress",
        {"GroupId": "sg-1", "IpProtocol": "tcp", "FromPort": 1, "ToPort": 2, "CidrIp": "here"},
        VALUE,
        "in the old spelling",
    ),
    ("ec2", "DeleteVpc", {"VpcId": "vpc-1"}, "DependencyViolation", "there are subnets"),
    ("ec2", "DeleteVpc", {"VpcId": "vpc-empty"}, "", "there are none"),
]

KMS_POLICY = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"kms:*","Resource":"*"}]}'

KMS = [
    ("kms", "CreateKey", {"Policy": KMS_POLICY}, "", "a key"),
    ("kms", "CreateKey", {"Policy": "{}"}, "MalformedPolicyDocumentException", "no policy"),
    ("kms", "CreateKey", {"KeyUsage": "DECORATION"}, "ValidationException", "no such use"),
    ("kms", "ScheduleKeyDeletion", {"KeyId": "on", "PendingWindowInDays": 3}, "ValidationException", "too soon"),
    ("kms", "ScheduleKeyDeletion", {"KeyId": "on", "PendingWindowInDays": 7}, "", "in a week"),
    ("kms", "ScheduleKeyDeletion", {"KeyId": "1234"}, "KMSInvalidStateException", "twice"),
    ("kms", "EnableKey", {"KeyId": "arn:aws:kms:us-east-1:1:key/1234"}, "KMSInvalidStateException", "too late"),
    ("kms", "CancelKeyDeletion", {"KeyId": "1234"}, "", "taken back"),
    ("kms", "CancelKeyDeletion", {"KeyId": "on"}, "KMSInvalidStateException", "nothing to take back"),
    ("kms", "Encrypt", {"KeyId": "off", "Plaintext": b"x"}, "DisabledException", "switched off"),
    ("kms", "EnableKeyRotation", {"KeyId": "on", "RotationPeriodInDays": 90}, "", "rotation"),
]

SECRETS = [
    ("secretsmanager", "CreateSecret", {"Name": "app/db"}, "", "a secret"),
    ("secretsmanager", "CreateSecret", {"Name": "app db"}, "ValidationException", "a space"),
    (
        "secretsmanager",
        "CreateSecret",
        {"Name": "gone"},
        "InvalidRequestException",
        "a deletion that can be taken back",
    ),
    ("secretsmanager", "CreateSecret", {"Name": "there"}, "", "moto knows what exists"),
    (
        "secretsmanager",
        "CreateSecret",
        {"Name": "a", "SecretString": "s", "SecretBinary": b"s"},
        "InvalidParameterException",
        "two values",
    ),
    (
        "secretsmanager",
        "DeleteSecret",
        {"SecretId": "a", "RecoveryWindowInDays": 3},
        "InvalidParameterException",
        "too soon",
    ),
    ("secretsmanager", "DeleteSecret", {"SecretId": "a", "RecoveryWindowInDays": 7}, "", "in a week"),
    (
        "secretsmanager",
        "DeleteSecret",
        {"SecretId": "a", "RecoveryWindowInDays": 7, "ForceDeleteWithoutRecovery": True},
        "InvalidParameterException",
        "at once and in a week",
    ),
    (
        "secretsmanager",
        "PutResourcePolicy",
        {"SecretId": "a", "ResourcePolicy": "{}"},
        "MalformedPolicyDocumentException",
        "no policy",
    ),
]


def _table(code, why, **changed):
    params = {
        "TableName": "orders",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
        **changed,
    }
    return ("dynamodb", "CreateTable", params, code, why)


_INDEX = {
    "IndexName": "i",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
_SCHEMA = [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}]
_BOTH = [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "at", "AttributeType": "N"}]
INVALID = "ValidationException"

DYNAMODB = [
    _table("", "a table"),
    _table("", "hash and range", KeySchema=_SCHEMA, AttributeDefinitions=_BOTH),
    _table(
        "",
        "capacity",
        BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
    ),
    _table(INVALID, "a short name", TableName="ab"),
    _table(INVALID, "a name with a space", TableName="or ders"),
    _table(INVALID, "an attribute that is not defined", KeySchema=_SCHEMA),
    _table(INVALID, "an attribute that is not used", AttributeDefinitions=_BOTH),
    _table(INVALID, "a key of range only", KeySchema=[{"AttributeName": "id", "KeyType": "RANGE"}]),
    _table(
        INVALID,
        "hash and range are one",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "RANGE"}],
    ),
    _table(INVALID, "no such type", AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "X"}]),
    _table(INVALID, "capacity not said", BillingMode="PROVISIONED"),
    _table(
        INVALID,
        "capacity of what is not provisioned",
        ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
    ),
    _table(INVALID, "a local index without range", LocalSecondaryIndexes=[_INDEX]),
    _table(INVALID, "21 indexes", GlobalSecondaryIndexes=[{**_INDEX, "IndexName": f"index{n}"} for n in range(21)]),
    _table("", "an index", GlobalSecondaryIndexes=[{**_INDEX, "IndexName": "by-id"}]),
    ("dynamodb", "DeleteTable", {"TableName": "young"}, "ResourceInUseException", "too early"),
    ("dynamodb", "DeleteTable", {"TableName": "orders"}, "", "moto knows what exists"),
]


def _record(code, why, **record):
    record = {"Name": "www.example.org", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "10.0.0.1"}], **record}
    record = {name: value for name, value in record.items() if value is not None}
    batch = {"Changes": [{"Action": "UPSERT", "ResourceRecordSet": record}]}
    return ("route53", "ChangeResourceRecordSets", {"HostedZoneId": "Z1", "ChangeBatch": batch}, code, why)


def _values(*values):
    return [{"Value": value} for value in values]


_ALIAS = {"HostedZoneId": "Z2", "DNSName": "lb.example.net", "EvaluateTargetHealth": False}

ROUTE53 = [
    ("route53", "CreateHostedZone", {"Name": "example.org", "CallerReference": "1"}, "", "a zone"),
    ("route53", "CreateHostedZone", {"Name": "-example.org", "CallerReference": "1"}, "InvalidDomainName", "a hyphen"),
    ("route53", "CreateHostedZone", {"Name": "exa mple.org", "CallerReference": "1"}, "InvalidDomainName", "a space"),
    ("route53", "CreateHostedZone", {"Name": "a..org", "CallerReference": "1"}, "InvalidDomainName", "two dots"),
    ("route53", "CreateHostedZone", {"Name": "example.org"}, "InvalidInput", "a reference is required"),
    _record("", "an address"),
    _record("", "a wildcard", Name="*.example.org"),
    _record("", "six", Type="AAAA", ResourceRecords=_values("::1")),
    _record("", "mail", Name="example.org", Type="MX", ResourceRecords=_values("10 mail.example.org")),
    _record("", "a service", Type="SRV", ResourceRecords=_values("1 2 3 a.example.org")),
    _record("", "text", Type="TXT", ResourceRecords=_values('"v=spf1 -all"')),
    _record("", "authorities", Type="CAA", ResourceRecords=_values('0 issue "ca.example.net"')),
    _record("", "an alias", TTL=None, ResourceRecords=None, AliasTarget=_ALIAS),
    _record("InvalidChangeBatch", "an alias with records", AliasTarget=_ALIAS),
    _record("InvalidChangeBatch", "elsewhere", Name="www.example.com"),
    _record("InvalidChangeBatch", "a name with a space", Name="w w.example.org"),
    _record("InvalidChangeBatch", "no address", ResourceRecords=_values("10.0.0.300")),
    _record("InvalidChangeBatch", "no address of six", Type="AAAA", ResourceRecords=_values("10.0.0.1")),
    _record(
        "InvalidChangeBatch", "CNAME of the zone", Name="example.org", Type="CNAME", ResourceRecords=_values("a.org")
    ),
    _record("InvalidChangeBatch", "two CNAMEs", Type="CNAME", ResourceRecords=_values("a.org", "b.org")),
    _record("InvalidChangeBatch", "the same twice", ResourceRecords=_values("10.0.0.1", "10.0.0.1")),
    _record("InvalidChangeBatch", "text without quotes", Type="TXT", ResourceRecords=_values("v=spf1")),
    _record("InvalidInput", "no TTL", TTL=None),
    _record("InvalidInput", "negative TTL by the model", TTL=-1),
    _record("InvalidInput", "no such type", Type="Q"),
]

_CLUSTER = {
    "name": "main",
    "roleArn": "arn:aws:iam::123456789012:role/eks",
    "version": "1.33",
    "resourcesVpcConfig": {"subnetIds": ["subnet-a", "subnet-b"]},
}
_NODES = {
    "clusterName": "main",
    "nodegroupName": "n",
    "subnets": ["subnet-a"],
    "nodeRole": "arn:aws:iam::123456789012:role/nodes",
}


def _cluster(code, why, **changed):
    return ("eks", "CreateCluster", {**_CLUSTER, **changed}, code, why)


def _nodes(code, why, **changed):
    return ("eks", "CreateNodegroup", {**_NODES, **changed}, code, why)


def _sizes(low, wanted, high):
    return {"minSize": low, "desiredSize": wanted, "maxSize": high}


PARAMETER = "InvalidParameterException"

EKS = [
    _cluster("", "a cluster"),
    _cluster(PARAMETER, "no such version", version="1.99"),
    _cluster(PARAMETER, "no such role", roleArn="admin"),
    _cluster(PARAMETER, "one zone", resourcesVpcConfig={"subnetIds": ["subnet-a", "subnet-a2"]}),
    _cluster(PARAMETER, "no such subnet", resourcesVpcConfig={"subnetIds": ["subnet-a", "subnet-z"]}),
    _cluster(PARAMETER, "a name with a dot", name="ma.in"),
    ("eks", "UpdateClusterVersion", {"name": "main", "version": "1.32"}, "", "one up"),
    ("eks", "UpdateClusterVersion", {"name": "main", "version": "1.33"}, PARAMETER, "two up"),
    ("eks", "UpdateClusterVersion", {"name": "main", "version": "1.30"}, PARAMETER, "down"),
    ("eks", "UpdateClusterVersion", {"name": "young", "version": "1.32"}, "ResourceInUseException", "too early"),
    ("eks", "UpdateClusterVersion", {"name": "gone", "version": "1.32"}, "", "moto knows what exists"),
    ("eks", "DeleteCluster", {"name": "young"}, "ResourceInUseException", "deleted too early"),
    ("eks", "DeleteCluster", {"name": "main"}, "", "deleted"),
    _nodes("", "nodes", scalingConfig=_sizes(1, 2, 3)),
    _nodes(PARAMETER, "least above most", scalingConfig=_sizes(4, 4, 3)),
    _nodes(PARAMETER, "more than the most", scalingConfig=_sizes(1, 4, 3)),
    _nodes(PARAMETER, "fewer than the least", scalingConfig=_sizes(2, 1, 3)),
    _nodes(PARAMETER, "no role", nodeRole="nodes"),
    _nodes("InvalidRequestException", "nodes too early", clusterName="young"),
]


def _group_of_caches(code, why, **changed):
    params = {
        "ReplicationGroupId": "cache",
        "ReplicationGroupDescription": "cache",
        "CacheNodeType": "cache.t3.micro",
        **changed,
    }
    return ("elasticache", "CreateReplicationGroup", params, code, why)


ELASTICACHE = [
    _group_of_caches("", "a group"),
    _group_of_caches("", "Valkey", Engine="valkey", EngineVersion="8.0"),
    _group_of_caches(VALUE, "a name with an underscore", ReplicationGroupId="my_cache"),
    _group_of_caches(VALUE, "41 letters", ReplicationGroupId="c" * 41),
    _group_of_caches(VALUE, "memcached has none", Engine="memcached"),
    _group_of_caches(COMBINATION, "no such version", Engine="redis", EngineVersion="9.9"),
    _group_of_caches(VALUE, "no such class", CacheNodeType="cache.t3.huge"),
    _group_of_caches(VALUE, "many", NumCacheClusters=7),
    _group_of_caches(VALUE, "many replicas", ReplicasPerNodeGroup=6),
    _group_of_caches(COMBINATION, "failover of one", AutomaticFailoverEnabled=True, NumCacheClusters=1),
    _group_of_caches("", "failover of two", AutomaticFailoverEnabled=True, NumCacheClusters=2),
    _group_of_caches(COMBINATION, "zones without failover", MultiAZEnabled=True, NumCacheClusters=2),
    _group_of_caches(COMBINATION, "a token in the open", AuthToken="canary-canary-2026"),
    _group_of_caches("", "a token", AuthToken="canary-canary-2026", TransitEncryptionEnabled=True),
    _group_of_caches(VALUE, "a short token", AuthToken="canary", TransitEncryptionEnabled=True),
    _group_of_caches(VALUE, "retention", SnapshotRetentionLimit=36),
    ("elasticache", "CreateReplicationGroup", {"ReplicationGroupId": "c"}, VALUE, "a description is required"),
    (
        "elasticache",
        "DeleteReplicationGroup",
        {"ReplicationGroupId": "young"},
        "InvalidReplicationGroupState",
        "deleted too early",
    ),
]

CASES = [*RDS, *S3, *SQS, *IAM, *EC2, *KMS, *SECRETS, *DYNAMODB, *ROUTE53, *EKS, *ELASTICACHE]
