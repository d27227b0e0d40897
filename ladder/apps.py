from django.apps import AppConfig


class LadderConfig(AppConfig):
    name = "ladder"

    def ready(self) -> None:
        from ladder.views.live import KIND, replay
        from registry.web.hub import hub

        hub.register(KIND, replay)
