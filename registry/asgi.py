"""What an ASGI server serves; `manage.py serve` starts one."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
application = get_asgi_application()
