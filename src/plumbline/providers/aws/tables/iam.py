"""Who may do what."""

from collections.abc import Mapping
from typing import Final

from plumbline.kube.names import GroupKind
from plumbline.managed.external import Difference
from plumbline.managed.kinds import Reference
from plumbline.providers.aws.engine.scene import Scene
from plumbline.providers.aws.table import Call, Key, Read, Table, Tags, Update

_ROLE: Final = {"RoleName": "$name"}
_USER: Final = {"UserName": "$name"}
_POLICY_ARN: Final = Reference("policyArn", GroupKind("iam.aws.upbound.io", "Policy"), extract="status.atProvider.arn")
_BOUNDARY: Final = {"permissionsBoundary": "PermissionsBoundary.PermissionsBoundaryArn"}
_MOST_VERSIONS: Final = 5


async def _change_attached(scene: Scene, differences: Mapping[str, Difference]) -> None:
    changed = differences["managedPolicyArns"]
    wanted, found = changed.wanted or [], changed.found or []
    for arn in (arn for arn in found if arn not in wanted):
        await scene.call("DetachRolePolicy", {"RoleName": scene.name, "PolicyArn": arn})
    for arn in (arn for arn in wanted if arn not in found):
        await scene.call("AttachRolePolicy", {"RoleName": scene.name, "PolicyArn": arn})


async def _detach_all(scene: Scene) -> None:
    """A role goes only without policies: those that were attached here, and all others where `forceDetachPolicies` says so."""
    wanted = scene.wanted
    if not wanted.get("forceDetachPolicies") and not wanted.get("managedPolicyArns"):
        return
    attached = await scene.account.pages("iam", "ListAttachedRolePolicies", {"RoleName": scene.name})
    for policy in attached.get("AttachedPolicies", ()):
        if wanted.get("forceDetachPolicies") or policy["PolicyArn"] in wanted["managedPolicyArns"]:
            await scene.call("DetachRolePolicy", {"RoleName": scene.name, "PolicyArn": policy["PolicyArn"]})
    if wanted.get("forceDetachPolicies"):
        inline = await scene.account.pages("iam", "ListRolePolicies", {"RoleName": scene.name})
        for name in inline.get("PolicyNames", ()):
            await scene.call("DeleteRolePolicy", {"RoleName": scene.name, "PolicyName": name})


ROLE: Final = Table(
    service="iam", kind="Role", plural="roles", regional=False,
    create=Call("CreateRole", _ROLE), created_at="Role",
    reads=(Read("GetRole", _ROLE, at="Role"), Read("ListAttachedRolePolicies", _ROLE, when="managedPolicyArns")),
    updates=(Update("UpdateAssumeRolePolicy", _ROLE, fields="assumeRolePolicy", names={"assumeRolePolicy": "PolicyDocument"}),
             Update("UpdateRole", _ROLE, fields="description maxSessionDuration", form="whole"),
             Update("PutRolePermissionsBoundary", _ROLE, fields="permissionsBoundary")),
    change=_change_attached, changed="managedPolicyArns",
    delete=Call("DeleteRole", _ROLE), before_delete=_detach_all,
    settable="assumeRolePolicy description maxSessionDuration permissionsBoundary managedPolicyArns", fixed="path",
    texts="managedPolicyArns", required="assumeRolePolicy", local="forceDetachPolicies", switches="forceDetachPolicies",
    names={"assumeRolePolicy": "AssumeRolePolicyDocument"}, same={"assumeRolePolicy": "document"},
    found=_BOUNDARY | {"managedPolicyArns": "AttachedPolicies[].PolicyArn"},
    tags=Tags(write=Call("TagRole", _ROLE | {"Tags": "$tags"}), erase=Call("UntagRole", _ROLE | {"TagKeys": "$keys"})),
    arn="Arn", extra={"uniqueId": "RoleId", "createDate": "CreateDate"},
    references=(Reference("permissionsBoundary", GroupKind("iam.aws.upbound.io", "Policy"), extract="status.atProvider.arn"),),
)  # fmt: skip


async def _new_version(scene: Scene, differences: Mapping[str, Difference]) -> None:
    """AWS keeps five versions of a policy: the oldest makes room."""
    arn = await scene.arn()
    versions = (await scene.account.pages("iam", "ListPolicyVersions", {"PolicyArn": arn})).get("Versions", [])
    if len(versions) >= _MOST_VERSIONS:
        oldest = min(
            (version for version in versions if not version["IsDefaultVersion"]),
            key=lambda version: version["CreateDate"],
        )
        await scene.call("DeletePolicyVersion", {"PolicyArn": arn, "VersionId": oldest["VersionId"]})
    document = differences["policy"].wanted
    await scene.call("CreatePolicyVersion", {"PolicyArn": arn, "PolicyDocument": document, "SetAsDefault": True})


async def _drop_versions(scene: Scene) -> None:
    arn = await scene.arn()
    for version in (await scene.account.pages("iam", "ListPolicyVersions", {"PolicyArn": arn})).get("Versions", ()):
        if not version["IsDefaultVersion"]:
            await scene.call("DeletePolicyVersion", {"PolicyArn": arn, "VersionId": version["VersionId"]})


POLICY: Final = Table(
    service="iam", kind="Policy", plural="policies", regional=False, defaults={"path": "/"},
    arn="Arn", arn_form="arn:$partition:iam::$account:policy$.path$name",
    create=Call("CreatePolicy", {"PolicyName": "$name"}), created_at="Policy",
    reads=(Read("GetPolicy", {"PolicyArn": "$arn"}, at="Policy"),
           Read("GetPolicyVersion", {"PolicyArn": "$arn", "VersionId": "$found.DefaultVersionId"}, at="PolicyVersion.Document", into="Document")),
    change=_new_version, changed="policy", delete=Call("DeletePolicy", {"PolicyArn": "$arn"}), before_delete=_drop_versions,
    settable="policy", fixed="path description", names={"policy": "PolicyDocument"}, found={"policy": "Document"}, same={"policy": "document"},
    required="policy",
    tags=Tags(write=Call("TagPolicy", {"PolicyArn": "$arn", "Tags": "$tags"}), erase=Call("UntagPolicy", {"PolicyArn": "$arn", "TagKeys": "$keys"})),
    extra={"policyId": "PolicyId", "attachmentCount": "AttachmentCount"},
)  # fmt: skip

_ATTACHED: Final = {"RoleName": "$.role", "PolicyArn": "$.policyArn"}

ATTACHMENT: Final = Table(
    service="iam", kind="RolePolicyAttachment", plural="rolepolicyattachments", regional=False,
    external_name="assigned", key=Key(joined="role policyArn"),
    create=Call("AttachRolePolicy", _ATTACHED),
    reads=(Read("ListAttachedRolePolicies", {"RoleName": "$.role"}, at="AttachedPolicies", match={"PolicyArn": "$.policyArn"}),),
    delete=Call("DetachRolePolicy", _ATTACHED),
    fixed="role policyArn", unread="role", names={"role": "RoleName"},
    references=(Reference("role", GroupKind("iam.aws.upbound.io", "Role")), _POLICY_ARN),
)  # fmt: skip


async def _strip_user(scene: Scene) -> None:
    """A user goes only without keys and policies; `forceDestroy` takes them away."""
    if not scene.wanted.get("forceDestroy"):
        return
    keys = await scene.account.pages("iam", "ListAccessKeys", {"UserName": scene.name})
    for key in keys.get("AccessKeyMetadata", ()):
        await scene.call("DeleteAccessKey", {"UserName": scene.name, "AccessKeyId": key["AccessKeyId"]})
    attached = await scene.account.pages("iam", "ListAttachedUserPolicies", {"UserName": scene.name})
    for policy in attached.get("AttachedPolicies", ()):
        await scene.call("DetachUserPolicy", {"UserName": scene.name, "PolicyArn": policy["PolicyArn"]})


USER: Final = Table(
    service="iam", kind="User", plural="users", regional=False,
    create=Call("CreateUser", _USER), created_at="User", reads=(Read("GetUser", _USER, at="User"),),
    updates=(Update("UpdateUser", _USER, fields="path", names={"path": "NewPath"}),
             Update("PutUserPermissionsBoundary", _USER, fields="permissionsBoundary")),
    delete=Call("DeleteUser", _USER), before_delete=_strip_user,
    settable="path permissionsBoundary", found=_BOUNDARY, local="forceDestroy", switches="forceDestroy",
    tags=Tags(write=Call("TagUser", _USER | {"Tags": "$tags"}), erase=Call("UntagUser", _USER | {"TagKeys": "$keys"})),
    arn="Arn", extra={"uniqueId": "UserId"},
)  # fmt: skip


ACCESS_KEY: Final = Table(
    service="iam", kind="AccessKey", plural="accesskeys", regional=False, external_name="assigned", called="AccessKeyId",
    create=Call("CreateAccessKey"), created_at="AccessKey",
    reads=(Read("ListAccessKeys", {"UserName": "$.user"}, at="AccessKeyMetadata", match={"AccessKeyId": "$name"}),),
    updates=(Update("UpdateAccessKey", {"UserName": "$.user", "AccessKeyId": "$name"}, fields="status"),),
    delete=Call("DeleteAccessKey", {"UserName": "$.user", "AccessKeyId": "$name"}),
    settable="status", fixed="user", names={"user": "UserName"}, extra={"createDate": "CreateDate"},
    connection={"username": "AccessKeyId"}, sealed={"password": "SecretAccessKey", "attribute.secret": "SecretAccessKey"},
    references=(Reference("user", GroupKind("iam.aws.upbound.io", "User")),),
)  # fmt: skip

TABLES: Final = (ROLE, POLICY, ATTACHMENT, USER, ACCESS_KEY)
