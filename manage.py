#!/usr/bin/env python3
"""Django's command line for the registry."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from probes.core.terminal import exit_status, open_closed_streams


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:  # it says what to set: a traceback would bury that
        sys.exit(str(error))


if __name__ == "__main__":
    open_closed_streams()
    sys.exit(exit_status(main))
