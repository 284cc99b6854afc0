"""The table's half of a hub: its logbook is the outbox, from which the hub learns everything, in order, once."""

from companion.outbox.membership import Membership, Place
from companion.outbox.post import Post

__all__ = ["Membership", "Place", "Post"]
