"""The subcommands of `cartulary`: arguments, output and exit status. The packages below do the work.

A command imports what it needs when it is called, so that `--help` is quick. The context's object says
whether records of live games can be read, too.
"""

from typing import Final

import click

from cartulary.commands.admin import admin
from cartulary.commands.analyse import analyse
from cartulary.commands.archive import archive, recall
from cartulary.commands.arena import arena
from cartulary.commands.audit import audit
from cartulary.commands.check_game import check_game
from cartulary.commands.compare import compare
from cartulary.commands.doctor import doctor
from cartulary.commands.events import inspect, log
from cartulary.commands.key import key
from cartulary.commands.new_game import new_game
from cartulary.commands.play import play
from cartulary.commands.positions import diff, replay
from cartulary.commands.ratings import ratings
from cartulary.commands.receipts import receipts
from cartulary.commands.records import export, import_command, playout
from cartulary.commands.sandbox import sandbox
from cartulary.commands.service import (
    backup,
    bounce,
    health,
    new_epoch,
    projections,
    reindex,
    repair,
    replies,
    restore,
    retire_key,
    scheduled_backup,
    scheduler,
    serve,
    web,
    worker,
)
from cartulary.commands.study import study
from cartulary.commands.timeline import timeline
from cartulary.commands.tournament import tournament
from cartulary.commands.trust import trust
from cartulary.commands.witness import witness

RECORD_COMMANDS: Final[tuple[click.Command, ...]] = (
    play,
    replay,
    log,
    inspect,
    diff,
    analyse,
    audit,
    ratings,
    tournament,
    compare,
    trust,
    export,
    receipts,
    playout,
    arena,
    check_game,
    new_game,
    sandbox,
    study,
    timeline,
    key,
    witness,
)
"""The commands that play on a server elsewhere, look back at games, or sign actions: they need no service."""

SERVICE_COMMANDS: Final[tuple[click.Command, ...]] = (
    serve,
    web,
    worker,
    scheduler,
    replies,
    doctor,
    health,
    backup,
    scheduled_backup,
    restore,
    archive,
    recall,
    reindex,
    projections,
    new_epoch,
    repair,
    import_command,
    retire_key,
    admin,
    bounce,
)
"""The commands that run a service, or work on one that runs."""
