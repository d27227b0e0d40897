"""All settings, read from the environment: embedded defaults, and loud errors for what is wrong.

Embedded means: bound to loopback and SITE_URL unset. Only then may secrets be generated, sign-in
links be printed and models on this machine be called without an operator's allow-list.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from cryptography.fernet import Fernet
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from registry.environment import (
    counts,
    fernet_keys,
    flag,
    is_origin,
    listed,
    mail_server,
    number,
    one_of,
    per_address,
    rate,
    text,
)

BASE_DIR = Path(__file__).resolve().parent.parent


def generated(name: str, make: Callable[[], str]) -> str:
    """The secret `name` from the environment, else one kept in PROBE_HOME (embedded only)."""
    if value := text(name):
        return value
    if not EMBEDDED:
        raise ImproperlyConfigured(f"{name} must be set: this registry is not bound to loopback only.")
    path = PROBE_HOME / f"{name.lower()}.txt"
    if not path.exists():
        keep(path, make())
    if not (value := path.read_text().strip()):
        raise ImproperlyConfigured(f"{path} is empty: put {name} back into it, or delete it for a new one.")
    return value


def keep(path: Path, secret: str) -> None:
    """Put a whole file at `path`, readable by its owner only, unless another process was first.

    A link is made or refused at once, so that nobody ever reads a file that is not yet written.
    """
    descriptor, written = tempfile.mkstemp(dir=path.parent)  # mode 0600
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            path.hardlink_to(written)
    finally:
        Path(written).unlink()


def made_home() -> Path:
    """The folder of what this registry keeps, for its owner only."""
    named = text("PROBE_HOME", str(BASE_DIR / "var"))
    try:
        home = Path(named).resolve()
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        home.chmod(0o700)
        with tempfile.TemporaryFile(dir=home):
            return home
    except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError before Python 3.13
        why = getattr(error, "strerror", "") or error
        raise ImproperlyConfigured(
            f"{named} cannot be used ({why}): set PROBE_HOME to a folder that you own and may write to."
        ) from None


# --- where it runs -------------------------------------------------------------------------------
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
BIND = text("BIND", "127.0.0.1")
PORT = number("PORT", 8000, 1, 65535)
SITE_URL = text("SITE_URL").rstrip("/")
EMBEDDED = BIND in LOOPBACK and not SITE_URL
if not EMBEDDED and not SITE_URL:
    raise ImproperlyConfigured(
        f"BIND={BIND} is reachable by others: set SITE_URL (https://…) and SECRET_KEY."
    )
if SITE_URL and not is_origin(SITE_URL):
    example = "https://probes.example.org"
    raise ImproperlyConfigured(f"SITE_URL={SITE_URL!r}: write an address such as {example}, without a path.")
SITE_ADDRESS = SITE_URL or f"http://{f'[{BIND}]' if ':' in BIND else BIND}:{PORT}"
"""Where a person's browser finds this registry: what links that leave the site begin with."""
PROBE_HOME = made_home()

SECRET_KEY = generated("SECRET_KEY", lambda: secrets.token_urlsafe(50))
ENDPOINT_KEYS = fernet_keys(generated("ENDPOINT_KEYS", lambda: Fernet.generate_key().decode()))
"""The first seals; the others still open what they sealed."""
DEBUG = False
ALLOWED_HOSTS = (
    [urlsplit(SITE_URL).hostname or ""] if SITE_URL else sorted(LOOPBACK | {"[::1]", "testserver"})
)
CSRF_TRUSTED_ORIGINS = [SITE_URL] if SITE_URL else []

# --- what it is made of --------------------------------------------------------------------------
INSTALLED_APPS = [
    "registry.apps.RegistryConfig",
    "registry.teams.apps.TeamsConfig",
    "registry.audit.apps.AuditConfig",
    "registry.endpoints.apps.EndpointsConfig",
    "registry.web.apps.WebConfig",
    "probes.apps.ProbesConfig",
    "ladder.apps.LadderConfig",
    "allauth.account",
    "allauth.mfa",
    "registry.accounts.apps.AccountsConfig",  # after allauth's, whose admin pages it takes away
    "csp",
    "django_htmx",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "registry.web.middleware.response_headers",
    "registry.web.legible.legible_requests",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "registry.web.middleware.method_pages",
]
ROOT_URLCONF = "registry.urls"
ASGI_APPLICATION = "registry.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]
AUTH_USER_MODEL = "teams.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False

# --- accounts ------------------------------------------------------------------------------------
SIGN_UP = one_of("SIGN_UP", ("closed", "invitation", "open"))
"""Who may make an account by themselves: nobody, who holds an invitation, or everybody."""
EMAIL_URL = text("EMAIL_URL")
MAIL = "sent" if EMAIL_URL else "printed" if EMBEDDED else "none"
"""Without a server, mail is printed where the registry was started; on a site with a name, it is not."""
if SIGN_UP != "closed" and MAIL == "none":
    raise ImproperlyConfigured(
        f"SIGN_UP={SIGN_UP} needs EMAIL_URL (smtp+tls://user:password@host:587): addresses are verified."
    )
EMAIL_BACKEND = f"registry.accounts.mail.{'Printed' if MAIL == 'printed' else 'Refused'}"
if EMAIL_URL:
    globals().update(mail_server(EMAIL_URL))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = text("MAIL_FROM", f"no-reply@{urlsplit(SITE_ADDRESS).hostname}")
SIGN_IN_RATE = rate("SIGN_IN_RATE", "30/minute")
SIGN_UP_RATE = rate("SIGN_UP_RATE", "20/hour")
"""Tries of one address. Wrong passwords and codes for one account are counted besides."""
ACCOUNT_ADAPTER = "registry.accounts.adapter.Accounts"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Probe Registry] "
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_REAUTHENTICATION_TIMEOUT = 900
ACCOUNT_RATE_LIMITS = {
    "login": per_address(SIGN_IN_RATE),
    "login_failed": "10/m/ip,5/5m/key",
    "signup": per_address(SIGN_UP_RATE),
    "reset_password": "20/h/ip,5/h/key",
    "reset_password_from_key": per_address(SIGN_IN_RATE),
    "confirm_email": "1/3m/key",
    "manage_email": "5/h/user,5/h/key",
}
MFA_ADAPTER = "registry.accounts.adapter.SecondFactors"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Probe Registry"
MFA_TOTP_TOLERANCE = 1
MFA_RECOVERY_CODES_SHOW_ONCE = True


# --- where rows live -----------------------------------------------------------------------------
def sqlite(path: Path) -> dict[str, Any]:
    """IMMEDIATE: a read-then-write transaction waits for the lock instead of failing at once."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
                "PRAGMA recursive_triggers=ON;"
                "PRAGMA secure_delete=ON;"  # in the main file; of its log see `write_ahead`
            ),
        },
        "TEST": {"NAME": PROBE_HOME / "test.sqlite3"},
    }


DATABASE_ADDRESS = "DATABASE_URL: write postgres://user:password@host/name or sqlite:///path"


def postgres(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    try:
        port = str(parts.port or "")
    except ValueError:
        how = "in the password, / ? # and @ are written %2F %3F %23 %40"
        raise ImproperlyConfigured(f"{DATABASE_ADDRESS}; {how}.") from None
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": port,
        "CONN_MAX_AGE": 0,
        "TEST": {"NAME": text("TEST_DATABASE_NAME", "test_probe_registry")},
    }


def database(url: str) -> dict[str, Any]:
    if not url:
        return sqlite(PROBE_HOME / "registry.sqlite3")
    if url.startswith(("postgres://", "postgresql://")):
        return postgres(url)
    if url.startswith("sqlite:///"):
        return sqlite(Path(url.removeprefix("sqlite:///")))
    raise ImproperlyConfigured(f"{DATABASE_ADDRESS}.")


DATABASES = {"default": database(text("DATABASE_URL"))}
LISTEN_URL = text("LISTEN_URL", text("DATABASE_URL"))
"""Where the hub LISTENs; differs from DATABASE_URL behind a pooler in transaction mode."""
CACHES = {"default": counts(shared=DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql")}

# --- how work is done ----------------------------------------------------------------------------
BROKER_URL = text("BROKER_URL")
CELERY_BROKER_URL = BROKER_URL
CELERY_TASK_DEFAULT_QUEUE = text("TASK_QUEUE", "probes")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
LEASE_SECONDS = number("LEASE_SECONDS", 60, 2, 3600)
SWEEP_SECONDS = number("SWEEP_SECONDS", 5, 1, 3600)
DRAIN_SECONDS = number("DRAIN_SECONDS", 60, 1, 3600)
MAX_IN_FLIGHT = number("MAX_IN_FLIGHT", 128, 1, 512)
PRACTICE_DELAY_MS = number("PRACTICE_DELAY_MS", 1200, 0, 60_000)
EGRESS_ALLOW = listed("EGRESS_ALLOW")
"""host:port pairs that may be called although their address is not public, e.g. localhost:11434."""

# --- what a browser is told ----------------------------------------------------------------------
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "registry" / "static"]
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = False
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
HTTPS = SITE_URL.startswith("https://")
SECURE_SSL_REDIRECT = False  # the proxy in front ends TLS; HSTS and secure cookies are ours
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if flag("BEHIND_PROXY") else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "registry.web.errors.csrf_failure"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
SILENCED_SYSTEM_CHECKS = ["security.W008"]  # see SECURE_SSL_REDIRECT

# --- the API -------------------------------------------------------------------------------------
API_RATE_ADDRESS = rate("API_RATE_ADDRESS", "120/minute")
API_RATE_PERSON = rate("API_RATE_PERSON", "600/minute")
"""Requests that an address may make without a token that opens, and a person with all of theirs."""
START_RATE_PERSON = rate("START_RATE_PERSON", "30/minute")
START_RATE_ADDRESS = rate("START_RATE_ADDRESS", "60/minute")
"""Runs, races and calls by hand that a person may start, and all people at one address together."""
TRY_IT_RATE = rate("TRY_IT_RATE", "120/minute")
"""Pasted outputs that are checked for a signed-in person, and for an address of people who are not."""
STREAMS_PERSON = number("STREAMS_PERSON", 30, 1, 10_000)
STREAMS_ADDRESS = number("STREAMS_ADDRESS", 100, 1, 10_000)
"""Live views that one person, and all people at one address, have open at once in a web process."""
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "registry.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["registry.api.permissions.InScope"],
    "DEFAULT_THROTTLE_CLASSES": [
        "registry.api.throttles.AddressThrottle",
        "registry.api.throttles.PersonThrottle",
    ],
    "DEFAULT_PAGINATION_CLASS": "registry.api.pagination.KeysetPagination",
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "registry.api.negotiation.Negotiation",
    "DEFAULT_FILTER_BACKENDS": ["registry.api.filters.StatedFilters"],
    "DEFAULT_SCHEMA_CLASS": "registry.api.schema.Operations",
    "EXCEPTION_HANDLER": "registry.api.problems.answer_exception",
    "URL_FORMAT_OVERRIDE": None,
    "NUM_PROXIES": number("PROXIES", 1 if flag("BEHIND_PROXY") else 0, 0, 10),
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Probe Registry",
    "VERSION": "1",
    "DESCRIPTION": "Probes, their published rubrics, and every verdict with what it was given for.",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "State": "probes.models.State",
        "TrialState": "probes.models.Trial.State",
        "Visibility": "probes.models.Visibility",
        "Outcome": "probes.models.Outcome",
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "class": "registry.web.logs.LineFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": text("LOG_LEVEL", "INFO")},
    "loggers": {"httpx": {"level": "WARNING"}, "uvicorn": {"level": "WARNING"}},
}
