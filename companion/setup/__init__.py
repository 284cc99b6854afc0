"""A table is set up: from photographs and four dragged corners to a folder that the reader is taught from."""
