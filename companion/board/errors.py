"""The one exception for input that people can put right."""


class BadInputError(ValueError):
    """Input that cannot be used: the message names the thing, its value and what would be right.

    The command line prints it as one line and exits with status 2.
    """
