"""What a user did wrong, as against what the program does wrong."""


class InputError(Exception):
    """Wrong input: the command line prints its one line and leaves with status 2."""
