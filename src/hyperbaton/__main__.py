"""The program ``hyperbaton``, also as ``python -m hyperbaton``."""

import sys


def main() -> int:
    """Run the command line; Ctrl-C is as quiet while it starts as it is later."""
    try:
        from hyperbaton.cli import main as run_command_line
    except KeyboardInterrupt:
        return 130
    return run_command_line()


if __name__ == "__main__":
    sys.exit(main())
