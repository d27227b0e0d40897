from django.apps import AppConfig


class ProbesConfig(AppConfig):
    name = "probes"

    def ready(self) -> None:
        from probes.domain.pausing import tell_of_pause
        from registry.endpoints.signals import pause_changed

        pause_changed.connect(tell_of_pause)
