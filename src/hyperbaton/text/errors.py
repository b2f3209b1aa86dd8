"""What a user can put right, as against what the program does wrong."""


class InputError(ValueError):
    """Wrong input; the message is one line that says what is wrong and where."""


class MissingData(RuntimeError):  # noqa: N818 - the name is part of the public surface
    """Something a user asked for is not installed; the message says how to get it."""
