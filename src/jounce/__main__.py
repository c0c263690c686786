"""``python -m jounce``: the same as the command ``jounce``."""

import sys

from jounce.cli import main

sys.exit(main())
