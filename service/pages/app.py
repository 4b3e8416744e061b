"""Creates the application of a web process: the HTTP API, and the pages."""

from typing import Final

from flask import Flask

from service.accounts.pages import accounts, email, players, programs
from service.administration.pages import announcements as admin_announcements
from service.administration.pages import backups as admin_backups
from service.administration.pages import deliveries as admin_deliveries
from service.administration.pages import games as admin_games
from service.administration.pages import keys as admin_keys
from service.administration.pages import log as admin_log
from service.administration.pages import overview as admin_overview
from service.administration.pages import players as admin_players
from service.administration.pages import reports as admin_reports
from service.administration.pages import settings as admin_settings
from service.analyses import pages as analyses
from service.bootstrap import Service
from service.chat import pages as chat
from service.clubs.pages import agenda as club_agenda
from service.clubs.pages import challenges as club_challenges
from service.clubs.pages import clubs
from service.conditional_actions import pages as conditional_actions
from service.disputes import pages as disputes
from service.explorer import pages as explorer
from service.games.pages import (
    clocks,
    home,
    invitations,
    lobby,
    people,
    play,
    proofs,
    quick_play,
    replay,
)
from service.http.access_log import Metrics
from service.http.api_docs import PREFIX
from service.http.app import create_app, reserve_words
from service.imports import pages as imports
from service.notifications import pages as notifications
from service.pages import (
    announcements,
    assets,
    blueprint,
    dictionaries,
    errors,
    installation,
    session,
    templating,
    theme,
)
from service.pages.rules import views as rules
from service.pictures import pages as pictures
from service.puzzles import pages as puzzles
from service.ratings import pages as club_ratings
from service.sandboxes import pages as sandboxes
from service.tournaments.pages import live, organiser, teams, tournaments

_VIEWS: Final = (
    home,
    players,
    installation,
    announcements,
    accounts,
    email,
    notifications,
    programs,
    quick_play,
    lobby,
    invitations,
    people,
    clubs,
    club_agenda,
    club_challenges,
    club_ratings,
    chat,
    play,
    replay,
    pictures,
    disputes,
    analyses,
    puzzles,
    explorer,
    conditional_actions,
    clocks,
    sandboxes,
    tournaments,
    organiser,
    teams,
    live,
    proofs,
    imports,
    rules,
    theme,
    assets,
    dictionaries,
    admin_overview,
    admin_players,
    admin_games,
    admin_reports,
    admin_deliveries,
    admin_announcements,
    admin_backups,
    admin_keys,
    admin_settings,
    admin_log,
)


def create_web_app(service: Service, metrics: Metrics | None = None) -> Flask:
    """Create the application of a web process for a service."""
    app = create_app(service, metrics)
    session.register(app, service.redis, f"{PREFIX}/")
    blueprint.register_protection(app)
    blueprint.register_compression(app)
    templating.register(app)
    pages = blueprint.create_pages()
    errors.register(app, pages)
    for module in _VIEWS:
        pages.register_blueprint(module.blueprint)
    app.register_blueprint(pages)
    reserve_words(app, service)
    return app
