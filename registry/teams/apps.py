from django.apps import AppConfig


class TeamsConfig(AppConfig):
    name = "registry.teams"
    label = "teams"
