from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "registry.accounts"
    label = "accounts"

    def ready(self) -> None:
        from registry.accounts import receivers  # noqa: F401 - connects them
