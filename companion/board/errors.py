"""The exceptions for input that people can put right."""


class BadInputError(ValueError):
    """Input that cannot be used: the message names the thing, its value and what would be right, in English.

    The command line prints it as one line and exits with status 2. `code` is given to what people meet in usual use,
    so that it can be said in their language (companion.words), with the names and numbers of `facts`; "" for what only
    a program gets wrong.
    """

    def __init__(self, message: str, code: str = "", **facts: object) -> None:
        super().__init__(message)
        self.code, self.facts = code, facts


class NotNowError(BadInputError):
    """Input that cannot be used now, and perhaps in a minute: the command line exits with status 75 (EX_TEMPFAIL)."""
