"""allauth's own tables are not for the admin: they hold sealed secrets, or follow from a person's row."""

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from django.contrib import admin

for model in (EmailAddress, EmailConfirmation, Authenticator):
    if admin.site.is_registered(model):
        admin.site.unregister(model)
