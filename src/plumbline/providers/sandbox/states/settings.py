"""Settings that moto takes and forgets: kept on its own objects, where its answers look for them."""

from typing import Final

from plumbline.providers.sandbox.backend import store
from plumbline.providers.sandbox.calls import Call

_OPERATIONS: Final = frozenset({("rds", "CreateDBInstance"), ("rds", "ModifyDBInstance")})
_ATTRIBUTES: Final = {
    "BackupTarget": "backup_target",
    "DatabaseInsightsMode": "database_insights_mode",
    "DedicatedLogVolume": "dedicated_log_volume",
    "EnablePerformanceInsights": "performance_insights_enabled",
    "EngineLifecycleSupport": "engine_lifecycle_support",
    "NetworkType": "network_type",
    "PerformanceInsightsKMSKeyId": "performance_insights_kms_key_id",
    "PerformanceInsightsRetentionPeriod": "performance_insights_retention_period",
    "PromotionTier": "promotion_tier",
}
"""Parameters, and what moto would call them if it told."""


def remember(call: Call) -> None:
    """Have later answers tell what an accepted *call* has set."""
    if (call.service, call.operation) not in _OPERATIONS:
        return
    thing = store("rds", call.account, call.region, "databases").get(str(call["DBInstanceIdentifier"]))
    for parameter, attribute in _ATTRIBUTES.items():
        value = call[parameter]
        if thing is not None and value is not None:
            setattr(thing, attribute, value)
