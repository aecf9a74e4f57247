"""``python -m artoo ARGUMENTS`` is ``artoo ARGUMENTS``: the program takes the place of this process."""

import os
import sys

from ._binary import find_binary
from ._errors import ArtooError


def main() -> None:
    """Replaces this process by the program."""
    try:
        program = find_binary()
        os.execv(program, [program, *sys.argv[1:]])
    except ArtooError as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        sys.exit(f"error: cannot start artoo: {error}")


if __name__ == "__main__":
    main()
