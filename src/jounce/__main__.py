"""What the command ``jounce`` and ``python -m jounce`` call."""

import sys


def main() -> int:
    """Run one command; Ctrl-C ends it in one line also while its modules are still being imported."""
    try:
        from jounce.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("jounce: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
