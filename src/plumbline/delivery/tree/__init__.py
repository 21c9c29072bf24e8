"""What stands behind the objects of an application: those that they own, and those that these own.

`tree_of` reads it from the cluster, and is all of this that does; `portrait` and `hosts` say what people see of it.
"""

from plumbline.delivery.tree.growing import WHOLE, Reach, tree_of
from plumbline.delivery.tree.hosts import hosts_of
from plumbline.delivery.tree.nodes import Node, Tree, Unread
from plumbline.delivery.tree.portraits import portrait

__all__ = ["WHOLE", "Node", "Reach", "Tree", "Unread", "hosts_of", "portrait", "tree_of"]
