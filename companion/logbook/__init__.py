"""The logbook: every event and position of every game in SQLite, and the pictures of each ruling."""

from companion.logbook.book import Resumed
from companion.logbook.folder import Trouble, data_folder
from companion.logbook.writing import Logbook

__all__ = ["Logbook", "Resumed", "Trouble", "data_folder"]
