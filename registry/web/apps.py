from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "registry.web"
    label = "web"
