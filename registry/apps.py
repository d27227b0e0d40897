from django.apps import AppConfig


class RegistryConfig(AppConfig):
    """The ground floor: who may do what, where models answer, what every page shares."""

    name = "registry"

    def ready(self) -> None:
        from registry import immutability

        immutability.connect()
