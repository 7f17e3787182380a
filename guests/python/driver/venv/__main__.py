import sys

from venv import main

try:
    main()
except (OSError, ValueError) as error:
    print("Error:", error, file=sys.stderr)
    sys.exit(1)
