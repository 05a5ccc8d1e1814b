"""`python -m viz_transformer app | translate | train | evaluate`, which is what `viz-transformer` runs."""

import sys

from viz_transformer.cli.main import main

sys.exit(main())
