"""``python -m artoo ARGUMENTS`` is ``artoo ARGUMENTS``: the program takes the place of this process."""

import os
import sys

from ._program import ArtooError, find_binary

try:
    program = find_binary()
    os.execv(program, [program, *sys.argv[1:]])
except (ArtooError, OSError) as error:
    sys.exit(f"error: {error}")
