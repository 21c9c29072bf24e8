"""Values for rendering that live in the cluster: outputs in Secrets and ConfigMaps, named by an annotation of the Application.

    plumbline.dev/values-from: terraform/networking, secret/db-outputs

`ValueSources` finds them, for whoever may have them; `Following` watches just the objects that somebody uses and wakes just
those whose values changed; nothing that is secret is told to anybody.
"""

from plumbline.delivery.valuesfrom.finding import Terms, ValueSources
from plumbline.delivery.valuesfrom.following import Following
from plumbline.delivery.valuesfrom.reading import Reading
from plumbline.delivery.valuesfrom.references import VALUES_FROM

__all__ = ["VALUES_FROM", "Following", "Reading", "Terms", "ValueSources"]
