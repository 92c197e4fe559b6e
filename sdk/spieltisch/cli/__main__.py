"""`python -m spieltisch.cli`."""

import sys

from spieltisch.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
