from django.apps import AppConfig


class LadderConfig(AppConfig):
    name = "ladder"

    def ready(self) -> None:
        from ladder.domain.evidence import about
        from ladder.views.live import KIND, replay
        from probes.domain.evidence import ABOUT
        from registry.web.hub import hub

        hub.register(KIND, replay)
        ABOUT.append(about)
