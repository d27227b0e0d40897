"""The routes of accounts. Those named account_… and mfa_… are allauth's names, by which it links to them."""

from allauth.account import views as account
from django.contrib.auth.views import LogoutView
from django.urls import path, re_path

from registry.accounts import address_views, views

urlpatterns = [
    path("sign-in/", views.SignIn.as_view(), name="sign-in"),
    path("sign-in/", views.SignIn.as_view(), name="account_login"),
    path("sign-in/code/", views.SecondFactor.as_view(), name="mfa_authenticate"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("sign-up/", views.SignUp.as_view(), name="account_signup"),
    path(
        "sign-up/verify/", account.EmailVerificationSentView.as_view(), name="account_email_verification_sent"
    ),
    re_path(
        r"^sign-up/verify/(?P<key>[-:\w]+)/$",
        views.ConfirmEmail.as_view(),
        name="account_confirm_email",
    ),
    path("password/reset/", views.PasswordReset.as_view(), name="account_reset_password"),
    path("password/reset/sent/", account.PasswordResetDoneView.as_view(), name="account_reset_password_done"),
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        views.PasswordResetFromKey.as_view(),
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/done/",
        account.PasswordResetFromKeyDoneView.as_view(),
        name="account_reset_password_from_key_done",
    ),
    path("account/password/", views.PasswordChange.as_view(), name="account_change_password"),
    path("account/password/set/", views.PasswordSet.as_view(), name="account_set_password"),
    path("account/confirm/", views.Reauthenticate.as_view(), name="account_reauthenticate"),
    path("account/confirm/code/", views.SecondFactorAgain.as_view(), name="mfa_reauthenticate"),
    path("account/two-factor/", views.SecondFactors.as_view(), name="mfa_index"),
    path("account/two-factor/on/", views.TurnOn.as_view(), name="mfa_activate_totp"),
    path("account/two-factor/off/", views.TurnOff.as_view(), name="mfa_deactivate_totp"),
    path("account/two-factor/recovery/", views.RecoveryCodes.as_view(), name="mfa_view_recovery_codes"),
    path(
        "account/two-factor/recovery/new/",
        views.NewRecoveryCodes.as_view(),
        name="mfa_generate_recovery_codes",
    ),
    path("account/email/", address_views.ChangeAddress.as_view(), name="account_email"),
    re_path(
        r"^account/email/confirm/(?P<key>[-:\w]+)/$",
        address_views.ConfirmAddress.as_view(),
        name="account_email_confirm",
    ),
    path("account/sign-ins/", views.sign_ins, name="sign-ins"),
    path("account/close/", views.Close.as_view(), name="account-close"),
]
