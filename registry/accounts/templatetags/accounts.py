"""What pages and mails say about mail, and where the site is."""

from __future__ import annotations

from django import template
from django.conf import settings

from registry.web.address import site_address

register = template.Library()


@register.simple_tag
def mail_goes() -> str:
    """`sent`, `printed` where the registry was started, or `none`."""
    return str(settings.MAIL)


@register.simple_tag
def sign_up_for() -> str:
    """Who may make an account: what SIGN_UP says."""
    return str(settings.SIGN_UP)


@register.simple_tag
def mail_home() -> str:
    return site_address()
