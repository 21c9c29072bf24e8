"""AWS Secrets Manager and Parameter Store.

The SDK is an extra and heavy: it is loaded when the first store of AWS is opened, and not before.
"""

from plumbline.base.aside import Aside, in_a_thread
from plumbline.kinds.externalsecrets.providers import AwsProvider
from plumbline.secrets.stores.aws.calls import Calls
from plumbline.secrets.stores.aws.identity import Taking, identity_of
from plumbline.secrets.stores.aws.parameterstore import ParameterStore
from plumbline.secrets.stores.aws.places import Places
from plumbline.secrets.stores.aws.secretsmanager import SecretsManager
from plumbline.secrets.stores.aws.sessions import Sessions
from plumbline.secrets.stores.store import Cluster, Store

__all__ = ["Places", "Sessions", "Taking", "opened"]


async def opened(
    spec: AwsProvider, cluster: Cluster, taking: Taking, *, own_identity: bool, aside: Aside = in_a_thread
) -> Store:
    """Signed in, all roles taken. *own_identity* says whether the store may be who this program is, if it says nobody else."""
    identity = await identity_of(spec, cluster, taking, own_identity=own_identity, aside=aside)
    places = taking.places
    if spec.service == "SecretsManager":
        return SecretsManager(Calls(identity, "secretsmanager", places, aside), spec.prefix, spec.secrets_manager)
    return ParameterStore(Calls(identity, "ssm", places, aside), spec.prefix)
