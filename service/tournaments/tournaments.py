"""Tournaments, as players and organisers use them: commands, lists, standings and the record.

Each command loads the tournament, lets `domain.tournaments.decisions` decide, and appends. If another process
has appended first, it decides again.
"""

import logging
import secrets as randomness
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from hashlib import sha256
from threading import Lock
from typing import Any, Final

from cachetools import LRUCache

from domain.errors import Malformed, NotNow, Unreadable
from domain.json_types import JsonObject
from domain.messages import Text, message, semicolon_list
from domain.options import range_faults
from domain.registry import rule_system_for
from domain.tournaments import byes, decisions, team_entries
from domain.tournaments.events import SYSTEM, Decided, TournamentEvent
from domain.tournaments.folding import fold_tournament
from domain.tournaments.tournament import (
    STATUS_CLAUSES,
    Tournament,
    TournamentStatus,
    can_see_tournament,
)
from ledger.envelope import is_timestamp
from ledger.keys import tournament_receipt_payload
from replay.tournaments.log import (
    PendingTournamentEvents,
    is_tournament_id,
    parse_event,
    tournament_header,
    write_tournament,
)
from service import wall_clock
from service.accounts.account_reader import ADMIN, ORGANISER, AccountReader
from service.clubs.clubs import Clubs
from service.errors import Forbidden, IdempotencyConflict, NotFound, Unavailable, log_text
from service.games.access import rating_fault
from service.games.game_settings import settings_faults
from service.games.requirements import Requirements
from service.keyring import Keyring
from service.tournaments.outbox import outbox_entries
from service.tournaments.store import (
    DRAW_SECRET,
    GAMES_SECRET,
    TournamentPage,
    TournamentStore,
    checked_events,
)
from service.transparency.proofs import Proofs
from service.wall_clock import TrustedClock

log = logging.getLogger(__name__)

MAX_ATTEMPTS: Final = 50
"""The number of times that a command is decided while other processes append, before it fails."""
MAX_REGISTRATIONS: Final = 5
"""The number of times that a player can register for one tournament, after having withdrawn."""
LONGEST_REGISTRATION: Final = timedelta(days=366)
"""The longest time for which registration can be open."""
MAX_PAGE: Final = 100
_CACHED: Final = 100
ONLY_ORGANISERS: Final = message(
    "only organisers and administrators create tournaments, and owners of clubs for their members"
)
_SECRET_BYTES: Final = 32
Handler = Callable[[Tournament, PendingTournamentEvents], None]
"""Adds the events of a command to the pending events, if there are any. It may run again."""


@dataclass(eq=False, repr=False)
class Tournaments:
    """The tournaments of a service. Thread-safe; every method raises Unavailable.

    Methods with the id of a tournament raise NotFound if there is none, or if the player may not see it.
    """

    _store: TournamentStore
    _clock: TrustedClock
    _keyring: Keyring
    _accounts: AccountReader
    _requirements: Requirements
    _proofs: Proofs
    _min_seconds_per_turn: int
    _clubs: Clubs
    _cache: LRUCache[str, Tournament] = field(init=False, default_factory=lambda: LRUCache(_CACHED))
    _lock: Lock = field(init=False, default_factory=Lock)

    def can_create(self, player: str, club: object = None) -> bool:
        """Return whether a player may create tournaments, of a club if it is given.

        It needs a role, or the club must be the player's.
        """
        if self._accounts.role(player) in (ADMIN, ORGANISER):
            return True
        return club is not None and self._clubs.is_owner(club, player)

    def create(
        self, player: str, body: Mapping[str, Any], idempotency_key: str | None = None
    ) -> Tournament:
        """Create a tournament from the fields of `CreateTournament`, and return it. With `clubs`, it is a
        match to which both have agreed, which needs no role.

        Raises Forbidden (no role), Malformed, which names every wrong field, and IdempotencyConflict.
        """
        if not body.get("clubs") and not self.can_create(player, body["options"].get("club")):
            raise Forbidden(ONLY_ORGANISERS)
        faults = self.faults(body)
        of_club = {**body["options"], "private": body["private"]}
        for name, fault in self._clubs.option_faults(of_club, player).items():
            faults["private" if name == "options.private" else name] = fault
        if faults:
            raise Malformed(faults)
        fields = dict(body)
        invited = [self._invitee(handle) for handle in fields.pop("invite")]
        secret, games_secret = (randomness.token_bytes(_SECRET_BYTES) for _ in range(2))
        decided = decisions.create(
            **fields, invited=invited, secret=secret, games_secret=games_secret
        )
        id = _tournament_id(player, idempotency_key)
        # A receipt and the record are signed, so the key must be public before there is a tournament.
        self._keyring.publish_key()
        pending = PendingTournamentEvents(id, None, self._clock.timestamp_after())
        created = pending.add(decided, {"player": player})
        stored = {DRAW_SECRET: secret.hex(), GAMES_SECRET: games_secret.hex()}
        self._store.set_due(id, wall_clock.parse(created.closes).timestamp())
        if not self._store.append(id, None, pending.lines, {}, stored):
            return self._repeated(id, decided)
        self._store.update_lists(created)
        self._store.set_due(id, self._clock.now().timestamp())
        return created

    def organise_again(self, id: str, organiser: str, name: str, closes: str) -> Tournament:
        """Create a tournament with the settings of another one, and return it; the same players are invited.

        What its organisers have changed apart from texts is not copied. Raises Forbidden (no organiser of the
        other one, no role), Malformed (name, closes, and settings that are not possible any more).
        """
        former = self.get(id, organiser)
        if organiser not in former.organisers or former.clubs:
            raise Forbidden.with_message("only the organiser of the tournament can do this")
        invited = self.handles(former.invited).values()
        body = {
            "name": name,
            "description": former.description,
            "contact": former.contact,
            "format": former.format.to_json(),
            "rules": former.rules,
            "options": dict(former.options),
            "clock": dict(former.clock),
            "private": former.private,
            "least": former.least,
            "most": former.most,
            "closes": closes,
            "round_seconds": former.round_seconds,
            "invite": [handle for handle in invited if handle is not None],
            **former.entry_rules.to_json(),
        }
        return self.create(organiser, body)

    def faults(self, body: Mapping[str, Any]) -> dict[str, Text]:
        """Return the faults of the clock and the dates of a new tournament, by field.

        `create` finds the faults of other fields.
        """
        options = body["options"]
        all_faults = settings_faults(
            body["rules"], 2, options, body["clock"], (), self._min_seconds_per_turn
        )
        faults = {
            name: why for name, why in all_faults.items() if name.partition(".")[0] == "clock"
        } | range_faults(options)
        if body["clock"] is None:
            faults["clock"] = message("is needed: the games of a tournament have a clock")
        if not is_timestamp(body["closes"]):
            faults["closes"] = message("must be a time such as 2026-12-31T18:00:00.000Z")
        elif wall_clock.parse(body["closes"]) <= self._clock.now():
            faults["closes"] = message("must be in the future")
        elif wall_clock.parse(body["closes"]) > self._clock.now() + LONGEST_REGISTRATION:
            faults["closes"] = message(
                "must be at most {days} days from now", days=LONGEST_REGISTRATION.days
            )
        return faults

    def _invitee(self, handle: str) -> str:
        try:
            return self._accounts.person_with_handle(handle).id
        except Malformed as error:
            raise Malformed({"invite": next(iter(error.fields.values()))}) from None

    def _repeated(self, id: str, decided: Decided) -> Tournament:
        """Return the tournament that an earlier request with the same key created."""
        first = parse_event(self._store.read(id)[0])
        chosen = {"commitment", "games_commitment"}
        expected: JsonObject = {**decided.data}
        if any(first["data"].get(name) != expected[name] for name in expected.keys() - chosen):
            raise IdempotencyConflict.with_message(
                "this Idempotency-Key was used before, for another request"
            )
        return self.load(id)

    def load(self, id: str) -> Tournament:
        """Return a tournament, which may be private. Raises NotFound, and Unreadable if damaged."""
        if not is_tournament_id(id):
            raise _not_found(id)
        with self._lock:
            cached = self._cache.get(id)
        if cached is None:
            return self._keep(_fold(id, self._store.read(id)))
        lines = self._store.read(id, cached.seq)
        if not lines or parse_event(lines[0])["hash"] != cached.hash:
            # The store has lost events that were cached.
            return self._keep(_fold(id, self._store.read(id)))
        if len(lines) == 1:
            return cached
        events = checked_events(id, lines[1:], cached.seq, cached.hash)
        return self._keep(fold_tournament(events, cached))

    def _keep(self, tournament: Tournament) -> Tournament:
        with self._lock:
            self._cache[tournament.id] = tournament
        return tournament

    def get(self, id: str, viewer: str | None) -> Tournament:
        """Return a tournament. Raises NotFound if the viewer (None: not logged in) may not see it."""
        tournament = self.load(id)
        if not self.can_see(tournament, viewer):
            raise _not_found(id)
        return tournament

    def can_see(self, tournament: Tournament, viewer: str | None) -> bool:
        """Return whether a viewer (None: not logged in) may see a tournament."""
        return can_see_tournament(tournament, viewer) or (
            viewer is not None
            and (tournament.club is not None or bool(tournament.clubs))
            and self.is_for(tournament, viewer)
        )

    def is_for(self, tournament: Tournament, player: str) -> bool:
        """Return whether a player is a member of a club of a tournament; True if it is of none."""
        clubs = tournament.clubs or ({tournament.club} if tournament.club is not None else ())
        return not clubs or any(self._clubs.is_member(club, player) for club in clubs)

    def page(
        self,
        statuses: Iterable[TournamentStatus] = (),
        viewer: str | None = None,
        member: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
        club: str | None = None,
    ) -> tuple[list[Tournament], str | None]:
        """Return a page of the tournaments that a player may see, newest first, and the next cursor.

        With `member`, the id of the viewer, those that this player organises or takes part in; with
        `club`, those of that club, the private ones if the viewer is a member. A club that the viewer may
        not see has none. Raises Malformed (cursor).
        """
        limit = min(limit, MAX_PAGE)
        for_member = False
        if club is not None:
            try:
                for_member = self._clubs.visible(club, viewer).relation(viewer) == "member"
            except NotFound:
                return [], None
        if club is None or member is not None:
            page = self._store.page(statuses, viewer, member, cursor, limit)
        else:
            page = self._store.page_of_club(club, statuses, cursor, limit, for_member=for_member)
        readable = _readable(page, lambda each: self.get(each, viewer))
        return [each for each in readable if club in (None, each.club, *each.clubs)], page.next

    def page_of_all(
        self, statuses: Iterable[TournamentStatus] = (), cursor: str | None = None, limit: int = 50
    ) -> tuple[list[Tournament], str | None]:
        """Return a page of all tournaments, private ones included, newest first, and the next cursor.

        Damaged ones are left out. Raises Malformed (cursor).
        """
        page = self._store.page_of_all(statuses, cursor, min(limit, MAX_PAGE))
        return list(_readable(page, self.load)), page.next

    def register(self, id: str, player: str, nonce: bytes = b"") -> tuple[Tournament, JsonObject]:
        """Register a player; once the tournament is in progress late, or as a substitute.

        Returns the tournament and the server's receipt, which covers the commitments and all earlier
        registrations. A player who takes part already gets a receipt for the current state. Raises Forbidden
        (requirements that the player does not meet, no member of its club), NotNow, Malformed (nonce).
        """

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            if tournament.takes_part(player):
                return
            self.require_allowed(tournament, player)
            decided = decisions.register(tournament, player, nonce, pending.at)
            pending.add(decided, {"player": player})

        tournament = self.command(id, handler, viewer=player)
        return tournament, self.receipt(tournament, player)

    def receipt(self, tournament: Tournament, player: str) -> JsonObject:
        """Return the server's receipt for taking part, which covers the log up to now."""
        return self._keyring.signing_key.sign(
            tournament_receipt_payload(
                tournament.id, tournament.seq, tournament.hash, player, tournament.at
            )
        )

    def require_allowed(self, tournament: Tournament, player: str) -> None:
        """Raise Forbidden or NotNow unless a player may register, apart from what the log decides: as a
        member of the club, as somebody who meets the requirements, and not too often.
        """
        if not self.is_for(tournament, player):
            raise Forbidden.with_message("only members of its club take part in this tournament")
        if fault := rating_fault(tournament.options, player, self._accounts):
            raise NotNow(None, fault)
        if player not in (tournament.creator, *tournament.invited):
            self._require(tournament, player)
        if _registrations_of(tournament, player) >= MAX_REGISTRATIONS:
            raise NotNow(None, message("this player has registered too often"))

    def can_register(self, tournament: Tournament, player: str) -> bool:
        """Return whether the tournament and its club would let a player register now."""
        if not self.is_for(tournament, player):
            return False
        try:
            decisions.register(tournament, player, b"", wall_clock.format(self._clock.now()))
        except NotNow:
            return False
        return True

    def _require(self, tournament: Tournament, player: str) -> None:
        """Raise Forbidden unless the player meets the requirements of the tournament."""
        rules = rule_system_for(tournament.rules, tournament.options)
        if missing := self._requirements.missing_for(tournament.options, rules, player):
            raise Forbidden.with_message(
                "you cannot take part: {reasons}", reasons=semicolon_list(missing)
            )

    def withdraw(self, id: str, player: str) -> Tournament:
        """Let a player withdraw; their games continue. Raises NotNow (over, or the player takes no part)."""

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            pending.add(decisions.withdraw(tournament, player), {"player": player})

        return self.command(id, handler, viewer=player)

    def request_bye(self, id: str, player: str, round: int) -> Tournament:
        """Ask for half a point instead of a table in a round. Raises NotNow (not in advance, too many)."""

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            decided = byes.request_bye(tournament, player, round, pending.at)
            pending.add(decided, {"player": player})

        return self.command(id, handler, viewer=player)

    def cancel_bye(self, id: str, player: str, round: int) -> Tournament:
        """Let a player play in a round after all. Raises NotNow (not in advance, not asked for)."""

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            decided = byes.cancel_bye(tournament, player, round, pending.at)
            pending.add(decided, {"player": player})

        return self.command(id, handler, viewer=player)

    def exclude(self, id: str, organiser: str, handle: str) -> Tournament:
        """Withdraw another player, for the organiser or an administrator.

        Raises Forbidden, NotNow, and Malformed for an unknown handle.
        """
        excluded = self._accounts.person_with_handle(handle).id

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            self._require_organiser(tournament, organiser)
            pending.add(decisions.withdraw(tournament, excluded), {"player": organiser})

        return self.command(id, handler, viewer=organiser)

    def invite(self, id: str, organiser: str, handle: str) -> Tournament:
        """Invite a player to a private tournament. Raises Forbidden, NotNow, Malformed (handle)."""
        invited = self._accounts.person_with_handle(handle).id

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            self._require_organiser(tournament, organiser)
            if invited not in tournament.invited:
                pending.add(decisions.invite(tournament, invited), {"player": organiser})

        return self.command(id, handler, viewer=organiser)

    def replace(self, id: str, organiser: str, entrant: str, substitute: str) -> Tournament:
        """Give the place of an entrant to a substitute who has registered, both by their handles.

        Raises Forbidden, NotNow, Malformed (handles).
        """
        players = self._accounts.by_handles([entrant, substitute])
        former, successor = players[entrant], players[substitute]

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            self._require_organiser(tournament, organiser)
            if tournament.status != "running":
                raise NotNow(None, STATUS_CLAUSES[tournament.status])
            if former is None or former.id not in tournament.entrants:
                raise Malformed({"entrant": message("is not the handle of an entrant")})
            if successor is None:
                raise Malformed({"substitute": message("is not the handle of a player")})
            number = tournament.entrants.index(former.id)
            decided = decisions.replace_entrant(tournament, number, successor.id)
            pending.add(decided, {"player": organiser})

        return self.command(id, handler, viewer=organiser)

    def cancel(self, id: str, organiser: str) -> Tournament:
        """Cancel a tournament; its games continue. Raises Forbidden, NotNow (over)."""

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            self._require_organiser(tournament, organiser)
            pending.add(decisions.cancel(tournament), {"player": organiser})

        return self.command(id, handler, viewer=organiser)

    def cancel_by_administrator(
        self, id: str, administrator: str, record: Callable[[], None]
    ) -> Tournament:
        """Cancel a tournament, which may be private; its games continue. Raises NotFound, NotNow (over).

        `record` is called once, after all checks and before the tournament is cancelled.
        """
        record_once = cache(record)

        def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            pending.add(decisions.cancel(tournament), {"player": administrator})
            record_once()

        return self.command(id, handler)

    def is_organiser(self, tournament: Tournament, player: str | None) -> bool:
        """Return whether a player may manage a tournament: its organisers and administrators may."""
        if player is None:
            return False
        return player in tournament.organisers or self._accounts.role(player) == ADMIN

    def _require_organiser(self, tournament: Tournament, player: str) -> None:
        if not self.is_organiser(tournament, player):
            raise Forbidden.with_message("only the organiser of the tournament can do this")

    def withdraw_everywhere(self, player: str) -> None:
        """Withdraw an erased player from all tournaments; skip damaged ones. Idempotent."""
        for status in ("open", "running"):
            cursor: str | None = None
            while True:
                page = self._store.page((status,), player, player, cursor, MAX_PAGE)
                for id in page.ids:

                    def handler(tournament: Tournament, pending: PendingTournamentEvents) -> None:
                        if not tournament.is_over and tournament.takes_part(player):
                            for decided in team_entries.leave_for_good(tournament, player):
                                pending.add(decided, SYSTEM)

                    try:
                        self.command(id, handler)
                    except Unreadable as error:
                        log.warning(
                            "nobody was withdrawn from tournament %s: %s", id, log_text(error)
                        )
                cursor = page.next
                if cursor is None:
                    break

    def reindex(self) -> None:
        """Rebuild the lists, and schedule all tournaments. Damaged tournaments are left out."""
        self._store.clear_lists()
        for id in set(self._store.ids()):
            self._store.set_due(id, self._clock.now().timestamp())
            try:
                self._store.update_lists(self.load(id))
            except Unreadable as error:
                log.warning("tournament %s is not listed: %s", id, log_text(error))

    def events(
        self, id: str, viewer: str | None, after: int = 0, limit: int = MAX_PAGE
    ) -> list[TournamentEvent]:
        """Return the events after event `after`, at most `limit` and MAX_PAGE."""
        self.get(id, viewer)
        lines = self._store.read(id, after + 1, min(limit, MAX_PAGE))
        return checked_events(id, lines, after)

    def record(self, id: str, viewer: str | None) -> Iterator[bytes]:
        """Return the lines of the signed record of a tournament.

        Raises NotFound, and Unreadable for a damaged event, before the first line.
        """
        tournament = self.get(id, viewer)
        lines = self._store.read(id)[: tournament.seq]
        checked_events(id, lines)
        named = (player for team in tournament.teams.values() for player in team.roster)
        people = [*tournament.organisers, *tournament.invited, *tournament.members, *named]
        players: list[JsonObject] = [
            {"id": player, "handle": handle} for player, handle in self.handles(people).items()
        ]
        header = tournament_header(
            tournament,
            self._keyring.public_keys(),
            self._keyring.sign_head,
            players,
            self._proofs.inclusion_of(tournament.id, tournament.seq, lambda seq: lines[seq - 1]),
            self._proofs.log_name(),
        )
        return write_tournament(header, lines)

    def handles(self, players: Sequence[str]) -> dict[str, str | None]:
        """Return the handles of players by id; None for one who was erased."""
        ids = list(dict.fromkeys(players))
        accounts = self._accounts.get(ids)
        return {
            id: None if account is None else account.handle
            for id, account in zip(ids, accounts, strict=True)
        }

    def execute(self, id: str, handler: Handler) -> tuple[Tournament, bool]:
        """Run a handler, and append its events, with their outbox entries.

        Returns the tournament, and whether anything was appended.
        """
        for _ in range(MAX_ATTEMPTS):
            tournament = self.load(id)
            pending = PendingTournamentEvents(
                id, tournament, self._clock.timestamp_after(tournament.at)
            )
            handler(tournament, pending)
            if not pending.events:
                return tournament, False
            if self._store.append(id, tournament, pending.lines, outbox_entries(pending), {}):
                after = self._keep(pending.tournament)
                if _listing(after) != _listing(tournament):
                    self._store.update_lists(after)
                return after, True
        raise Unavailable.with_message(
            "too many requests write to this tournament at the same time"
        )

    def command(self, id: str, handler: Handler, viewer: str | None = None) -> Tournament:
        """Run the handler of a command; with a `viewer`, who must be allowed to see the tournament.

        A worker is called afterwards, which logs the head in the transparency log.
        """

        def checked(tournament: Tournament, pending: PendingTournamentEvents) -> None:
            if viewer is not None and not self.can_see(tournament, viewer):
                raise _not_found(id)
            handler(tournament, pending)

        tournament, has_appended = self.execute(id, checked)
        if has_appended:
            self._store.set_due(id, self._clock.now().timestamp())
        return tournament


def _listing(tournament: Tournament) -> object:
    """Return what the lists of tournaments depend on."""
    return tournament.status, tournament.viewers, tournament.organisers, tournament.members


def _fold(id: str, lines: Sequence[bytes]) -> Tournament:
    if not lines:
        raise _not_found(id)
    return fold_tournament(checked_events(id, lines))


def _readable(page: TournamentPage, load: Callable[[str], Tournament]) -> Iterator[Tournament]:
    """Yield the tournaments of a page, except those that are damaged, or hidden from the viewer."""
    for id in page.ids:
        with suppress(NotFound, Unreadable):
            yield load(id)


def _registrations_of(tournament: Tournament, player: str) -> int:
    return sum(registered == player for registered, _ in tournament.registrations) + (
        tournament.volunteer_counts.get(player, 0)
    )


def _tournament_id(player: str, idempotency_key: str | None) -> str:
    """Return the id of a new tournament: the same one for the same key."""
    if idempotency_key is None:
        return f"t{randomness.token_hex(8)}"
    return "t" + sha256(f"{player}/tournament/{idempotency_key}".encode()).hexdigest()[:16]


def _not_found(id: str) -> NotFound:
    """Return the error for a tournament that does not exist or is hidden, which is the same for both."""
    return NotFound.with_message("there is no tournament {id}", id=id[:64])
