#!/usr/bin/env python3
"""Django's command line for the registry."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:  # it says what to set: a traceback would bury that
        sys.exit(str(error))
