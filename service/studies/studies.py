"""Studies: who makes, reads and changes them. Several authors write at the same time and lose nothing.

A study reveals nothing: only who may see its game reads it, whatever its link, and only finished games, which
have no secrets any more, are studied. A study of a game that has lost events in a restore is read by nobody.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from domain.errors import Malformed, NotNow
from domain.game import Game
from domain.messages import Text, message, plural_message
from replay.study import MAX_CHARACTERS, checked_steps, checked_text, played_steps
from service import wall_clock
from service.accounts.account_reader import AccountReader
from service.accounts.mutes import Mutes
from service.bounds import Bounds
from service.errors import Forbidden, NotFound, StudyConflict, TooManyStudies, Unavailable
from service.games.dispute_view import statement_fault
from service.games.loader import GameLoader
from service.studies.model import PRIVATE, Sharing, StoredStudy, StudyEntry
from service.studies.store import StudyStore, no_study

MAX_VARIATIONS_OF_EVENT: Final = 10
"""The most variations after one event, which a page plays to show them."""
MAX_STEPS_OF_VARIATION: Final = 50
_TRIALS: Final = 20
"""How often a change is made again because another author was quicker."""


@dataclass(frozen=True, slots=True)
class ShownStudy:
    """A study as a reader sees it, with its game. Entries of authors whom the reader has muted are hidden."""

    study: StoredStudy
    game: Game
    muted: frozenset[str]
    may_write: bool
    is_owner: bool

    @property
    def entries(self) -> list[StudyEntry]:
        """The entries that the reader sees, in the order of the events."""
        shown = [each for each in self.study.entries if each.author not in self.muted]
        return sorted(shown, key=lambda each: (each.seq, each.number))

    def may_change(self, entry: StudyEntry, reader: str | None) -> bool:
        """Return whether a reader may change an entry: only its author, so that nobody speaks for another."""
        return self.may_write and entry.author == reader


class Studies:
    """The studies of a service. Thread-safe; raises Unavailable if Redis does not respond.

    Methods raise NotFound for a study that does not exist or that the player may not see, and Forbidden for
    what only its owner, or only its authors, may do.
    """

    def __init__(
        self,
        loader: GameLoader,
        accounts: AccountReader,
        mutes: Mutes,
        store: StudyStore,
        bounds: Bounds,
    ) -> None:
        self._loader = loader
        self._accounts = accounts
        self._mutes = mutes
        self._store = store
        self._bounds = bounds

    def create(self, player: str, game_id: str, title: object) -> StoredStudy:
        """Make a private study of a game, without entries.

        Raises NotFound (the game), NotNow (it is not finished), Forbidden (a guest), Malformed, and
        TooManyStudies.
        """
        game = self._finished_game(game_id, player)
        self._require_member(player)
        faults: dict[str, Text] = {}
        checked = _checked_title(title, faults)
        if faults:
            raise Malformed(faults)
        now = wall_clock.format(wall_clock.now())
        return self._store.add(StoredStudy("", player, game.id, game.hash, checked, now))

    def read(self, study_id: str, reader: str | None) -> ShownStudy:
        """Return a study as a reader sees it (None: a visitor)."""
        study = self._store.get(study_id)
        may_write = reader in study.writers
        if not may_write and study.sharing == PRIVATE:
            raise no_study()
        game = self._game_of(study, reader)
        return ShownStudy(
            study, game, self._muted(study, reader), may_write, is_owner=reader == study.owner
        )

    def of_player(self, player: str) -> list[StoredStudy]:
        """Return the studies that a player can write in, the newest first.

        Those of owners whom the player has muted are left out, and those of games that they may not see any
        more, unless they are the player's own, which can still be deleted.
        """
        studies = self._store.of_player(player)
        muted = self._mutes.has_muted(player, [study.owner for study in studies])
        return [
            study
            for study in studies
            if study.owner == player or (study.owner not in muted and self._is_seen(study, player))
        ]

    def of_game(self, game_id: str, reader: str | None) -> list[StoredStudy]:
        """Return the studies that are listed on a game, the newest first, without those of muted players.

        Raises NotFound for a game that the reader may not see.
        """
        game = self._loader.visible_game(game_id, reader)
        studies = [each for each in self._store.of_game(game_id) if each.head == game.hash]
        owners = [study.owner for study in studies]
        muted = frozenset() if reader is None else self._mutes.has_muted(reader, owners)
        return [study for study in studies if study.owner not in muted]

    def describe(self, study_id: str, player: str, title: object) -> StoredStudy:
        """Give a study another title, by language, as its owner. Raises Malformed."""
        faults: dict[str, Text] = {}
        checked = _checked_title(title, faults)

        def change(study: StoredStudy) -> StoredStudy:
            _require_owner(study, player)
            if faults:
                raise Malformed(faults)
            return replace(study, title=checked)

        return self._change(study_id, player, change)

    def share(self, study_id: str, player: str, sharing: Sharing) -> StoredStudy:
        """Say who reads a study, as its owner. Raises TooManyStudies if no other can be listed."""

        def change(study: StoredStudy) -> StoredStudy:
            _require_owner(study, player)
            return replace(study, sharing=sharing)

        return self._change(study_id, player, change)

    def write(
        self, study_id: str, player: str, seq: int, text: object, steps: object = ()
    ) -> StudyEntry:
        """Add a note on an event, or with `steps` a variation after it, and return it.

        `steps` are actions in short form, which the rules must allow. Raises Malformed, TooManyStudies and
        StudyConflict (its size).
        """

        def change(study: StoredStudy) -> StoredStudy:
            checked = self._checked_entry(study, player, seq, text, steps)
            if len(study.entries) >= self._bounds.max_study_entries:
                raise TooManyStudies.with_message("the study has as many entries as are allowed")
            if checked[1]:
                _require_room_for_variation(study, seq)
            return study.with_entry(player, seq, *checked)

        return self._change(study_id, player, change).entries[-1]

    def rewrite(
        self,
        study_id: str,
        player: str,
        number: int,
        version: int,
        text: object,
        steps: object = (),
    ) -> StudyEntry:
        """Change an entry of the player, of which they have read this version, and return it.

        Raises what `write` does, and StudyConflict if it has another version.
        """

        def change(study: StoredStudy) -> StoredStudy:
            entry = _own_entry(study, player, number, version)
            new_text, new_steps = self._checked_entry(study, player, entry.seq, text, steps)
            if new_steps and not entry.steps:
                _require_room_for_variation(study, entry.seq)
            return study.with_changed(
                replace(entry, text=new_text, steps=new_steps, version=version + 1)
            )

        changed = self._change(study_id, player, change).entry(number)
        assert changed is not None, "it was stored"
        return changed

    def remove(self, study_id: str, player: str, number: int) -> None:
        """Delete an entry, as its author or as the owner of the study."""

        def change(study: StoredStudy) -> StoredStudy:
            entry = _require_entry(study, number)
            if player not in (entry.author, study.owner):
                raise Forbidden.with_message("only its author or the owner of the study deletes it")
            return study.without_entry(number)

        self._change(study_id, player, change)

    def add_author(self, study_id: str, player: str, handle: str) -> StoredStudy:
        """Let another player write in a study, as its owner. Nobody sees their name before they have written.

        Raises Malformed (`handle`: no person, a guest, or somebody who may not see the game), TooManyStudies.
        """

        def change(study: StoredStudy) -> StoredStudy:
            _require_owner(study, player)
            author = self._accounts.person_with_handle(handle)
            if author.is_guest or not self._is_seen(study, author.id):
                raise Malformed({"handle": message("this player cannot write in the study")})
            if author.id in study.writers:
                return study
            most = self._bounds.max_study_authors
            if len(study.authors) >= most:
                raise TooManyStudies(
                    plural_message(
                        "a study can have one other author",
                        "a study can have {count} other authors",
                        count=most,
                    )
                )
            return replace(study, authors=(*study.authors, author.id))

        return self._change(study_id, player, change)

    def remove_author(self, study_id: str, player: str, author: str) -> None:
        """Let an author write no more, as the owner, or as this author. What they have written stays."""

        def change(study: StoredStudy) -> StoredStudy:
            if player not in (study.owner, author):
                raise _not_the_owner()
            return replace(study, authors=tuple(each for each in study.authors if each != author))

        # Also of a game that the author may not see any more.
        self._change(study_id, player, change, must_see_game=False)

    def delete(self, study_id: str, player: str) -> None:
        """Delete a study with all that its authors have written, as its owner; also if its game is hidden."""
        for _ in range(_TRIALS):
            study = self._store.get(study_id)
            if player not in study.writers:
                self.read(study_id, player)
            _require_owner(study, player)
            if self._store.delete(study):
                return
        raise _too_busy()

    def erase_all_of(self, player: str) -> None:
        """Remove a player from all studies, with all that they have written. Idempotent."""
        for listed in self._store.naming(player):
            for _ in range(_TRIALS):
                try:
                    study = self._store.get(listed.id)
                except NotFound:
                    break
                after = study.without_player(player)
                if (
                    self._store.delete(study)
                    if after is None
                    else self._store.replace(study, after)
                ):
                    break
            else:
                raise _too_busy()
        self._store.forget_lists(player)

    def writers(self, players: Sequence[str]) -> list[str]:
        """Return the players, of these, who are in studies."""
        return self._store.writers(players)

    def _change(
        self,
        study_id: str,
        player: str,
        change: Callable[[StoredStudy], StoredStudy],
        *,
        must_see_game: bool = True,
    ) -> StoredStudy:
        """Change a study as one of its authors. The change is made again if another one comes between."""
        for _ in range(_TRIALS):
            before = self._store.get(study_id)
            if player not in before.writers:
                # Readers learn that they may not change it, and others nothing.
                self.read(study_id, player)
                raise Forbidden.with_message("only its authors can change a study")
            if must_see_game:
                self._game_of(before, player)
            after = change(before)
            stored = before if after == before else self._store.replace(before, after)
            if stored is not None:
                return stored
        raise _too_busy()

    def _checked_entry(
        self, study: StoredStudy, player: str, seq: int, text: object, steps: object
    ) -> tuple[Mapping[str, str], tuple[str, ...]]:
        """Return the text and the steps of an entry. Raises Malformed."""
        faults: dict[str, Text] = {}
        game = self._game_of(study, player)
        if not 1 <= seq <= game.seq:
            faults["seq"] = message("must be {first} to {last}", first=1, last=game.seq)
        texts = _checked_texts(text, "text", faults)
        actions = checked_steps(steps, "steps", faults) if steps else []
        if len(actions) > MAX_STEPS_OF_VARIATION:
            faults["steps"] = message(
                "must be a list of 1 to {count} actions in short form", count=MAX_STEPS_OF_VARIATION
            )
        if not texts and not actions and not faults:
            faults["text"] = message("must not be empty")
        if faults:
            raise Malformed(faults)
        if not actions:
            return texts, ()
        played = played_steps(self._loader.game_at(study.game, seq), actions, "steps")
        return texts, tuple(step.action for step in played)

    def _finished_game(self, game_id: str, player: str) -> Game:
        game = self._loader.visible_game(game_id, player)
        if game.status != "finished":
            raise NotNow(None, message("only finished games can be studied"))
        return game

    def _game_of(self, study: StoredStudy, reader: str | None) -> Game:
        """Return the game of a study. Raises NotFound, which does not tell a hidden game from no study."""
        try:
            game = self._loader.visible_game(study.game, reader)
        except NotFound:
            raise no_study() from None
        if game.hash != study.head:
            raise no_study()
        return game

    def _is_seen(self, study: StoredStudy, player: str) -> bool:
        try:
            self._game_of(study, player)
        except NotFound:
            return False
        return True

    def _muted(self, study: StoredStudy, reader: str | None) -> frozenset[str]:
        if reader is None:
            return frozenset()
        authors = {study.owner, *(each.author for each in study.entries)}
        return self._mutes.has_muted(reader, sorted(authors))

    def _require_member(self, player: str) -> None:
        (account,) = self._accounts.get([player])
        if account is not None and account.is_guest:
            raise Forbidden.with_message(
                "guests cannot make studies: choose a handle and a password"
            )


def _checked_title(title: object, faults: dict[str, Text]) -> Mapping[str, str]:
    return _checked_texts(title, "title", faults)


def _checked_texts(value: Any, path: str, faults: dict[str, Text]) -> Mapping[str, str]:
    """Return a text by language, in which nothing is hidden or changes the text around it."""
    texts = checked_text(value, path, faults)
    for language, text in texts.items():
        name = f"{path}.{language}"
        if name not in faults and (fault := statement_fault(text, MAX_CHARACTERS)):
            faults[name] = fault
    return texts


def _require_owner(study: StoredStudy, player: str) -> None:
    if study.owner != player:
        raise _not_the_owner()


def _require_room_for_variation(study: StoredStudy, seq: int) -> None:
    if (
        sum(1 for each in study.entries if each.steps and each.seq == seq)
        >= MAX_VARIATIONS_OF_EVENT
    ):
        raise TooManyStudies.with_message("the event has as many variations as are allowed")


def _require_entry(study: StoredStudy, number: int) -> StudyEntry:
    entry = study.entry(number)
    if entry is None:
        raise NotFound.with_message("the study has no entry {number}", number=number)
    return entry


def _own_entry(study: StoredStudy, player: str, number: int, version: int) -> StudyEntry:
    """Return an entry of the player. Raises NotFound, Forbidden, and StudyConflict for another version."""
    entry = _require_entry(study, number)
    if entry.author != player:
        raise Forbidden.with_message("only its author can change it")
    if entry.version != version:
        raise StudyConflict(message("it has been changed meanwhile: read it again"))
    return entry


def _not_the_owner() -> Forbidden:
    return Forbidden.with_message("only the owner of the study can do this")


def _too_busy() -> Unavailable:
    return Unavailable(message("too many changes of the study arrive at the same time"), 1)
