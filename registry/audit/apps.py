from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "registry.audit"
    label = "audit"
