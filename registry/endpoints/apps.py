from django.apps import AppConfig


class EndpointsConfig(AppConfig):
    name = "registry.endpoints"
    label = "endpoints"
