"""A game of the logbook in the forms in which it is given out."""

from companion.exporting.giving import files_of, name_of, record_of, write_zip

__all__ = ["files_of", "name_of", "record_of", "write_zip"]
