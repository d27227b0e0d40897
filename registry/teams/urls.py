from django.urls import path

from registry.teams import invitation_views, team_views, views

urlpatterns = [
    path("account/", views.account, name="account"),
    path("account/tokens/", views.token_list, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", views.token_revoke, name="token-revoke"),
    path("roles/", views.roles, name="roles"),
    path("invitation/", invitation_views.invitation, name="invitation"),
    path("invitation/accept/", invitation_views.invitation_accept, name="invitation-accept"),
    path("teams/new/", team_views.team_new, name="team-new"),
    path("teams/<slug:team>/", team_views.team, name="team"),
    path("teams/<slug:team>/name/", team_views.team_rename, name="team-rename"),
    path("teams/<slug:team>/invite/", team_views.team_invite, name="team-invite"),
    path("teams/<slug:team>/transfer/", team_views.team_transfer, name="team-transfer"),
    path("teams/<slug:team>/leave/", team_views.team_leave, name="team-leave"),
    path(
        "teams/<slug:team>/invitations/<int:pk>/revoke/",
        team_views.invitation_revoke,
        name="invitation-revoke",
    ),
    path("teams/<slug:team>/members/<int:pk>/role/", team_views.member_role, name="member-role"),
    path("teams/<slug:team>/members/<int:pk>/remove/", team_views.member_remove, name="member-remove"),
]
