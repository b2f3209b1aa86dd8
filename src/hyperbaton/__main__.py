"""The program ``hyperbaton``, also as ``python -m hyperbaton``."""

import gc
import os
import signal
import sys

GARBAGE_THRESHOLD = 100_000  # objects


def main() -> int:
    """Run the command line; Ctrl-C is as quiet while it starts and ends as it is in between."""
    # NumPy's OpenBLAS would start a thread per core when it is imported. That takes longer than to
    # score a small file, and nothing here multiplies large matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Modules stay until the end. Python would look through them for unreachable objects many times
    # while they are imported, and again at the end, which takes a fifth of a short run.
    gc.set_threshold(GARBAGE_THRESHOLD)
    try:
        from hyperbaton.cli import main as run_command_line

        return run_command_line()
    except KeyboardInterrupt:
        return 130
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python would print a traceback
        gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
