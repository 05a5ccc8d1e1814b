"""`python -m viz_transformer train | evaluate | translate`."""

import sys

from viz_transformer.cli.main import main

sys.exit(main())
