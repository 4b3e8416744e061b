"""Studies: what their authors write together, who reads them, what an erasure leaves, and their bounds."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from domain.errors import Malformed, NotNow
from replay.study import checked_study
from service.bootstrap import Service, build
from service.errors import Forbidden, NotFound, StudyConflict, TooManyStudies
from service.studies.model import StoredStudy
from service.studies.studies import MAX_STEPS_OF_VARIATION, MAX_VARIATIONS_OF_EVENT
from tests.support.service_games import play_out, start_game, take_action
from tests.support.stored_games import recorded_game, store_game

PLAYED = "courtesy"
SEQ = 9
"""An event after which `STEPS` are possible."""
STEPS = ["place 1,-4"]
TITLE = {"en": "Cities by lakes", "fr": "Des villes au bord des lacs"}
NOTE = {"en": "Far from the lake."}


@pytest.fixture
def game(service: Service) -> str:
    return store_game(service, recorded_game(PLAYED), game_id=PLAYED)


@pytest.fixture
def study(service: Service, game: str) -> StoredStudy:
    """A study that ada has made, in which bea writes too."""
    made = service.studies.create("ada", game, TITLE)
    register(service, "bea")
    return service.studies.add_author(made.id, "ada", "bea")


def register(service: Service, handle: str, **changes: Any) -> str:
    """Register a player, whose id is not their handle."""
    return service.accounts.players.register(handle, "correct horse", **changes)[0].id


def private_game(service: Service) -> str:
    """A finished private game of ada and bea."""
    game = start_game(service, round_limit=1, private=True).id
    play_out(service, game)
    while service.games.queries.game(game).status != "finished":
        service.games.commands.score(game)
    return game


def id_of(service: Service, handle: str) -> str:
    player = service.accounts.players.by_handle(handle)
    assert player is not None
    return player.id


class TestWriting:
    def test_authors_write_notes_and_variations_that_are_played_by_rule(
        self, service: Service, study: StoredStudy
    ) -> None:
        bea = id_of(service, "bea")
        note = service.studies.write(study.id, "ada", 10, NOTE)
        variation = service.studies.write(study.id, bea, SEQ, {}, STEPS)
        assert (note.number, variation.number) == (1, 2)
        shown = service.studies.read(study.id, bea)
        assert [each.number for each in shown.entries] == [2, 1]
        assert [each.author for each in shown.entries] == [bea, "ada"]
        # The command reads the very file.
        file = shown.study.as_file()
        checked = checked_study(file, recorded_game(PLAYED))
        assert checked.as_json() == file
        assert file["title"] == TITLE
        assert file["variations"] == [{"seq": SEQ, "steps": STEPS, "text": {}}]

    @pytest.mark.parametrize(
        ("seq", "text", "steps", "field"),
        [
            (0, NOTE, (), "seq"),
            (10**6, NOTE, (), "seq"),
            (SEQ, {}, (), "text"),
            (SEQ, {"de": "x"}, (), "text"),
            (SEQ, "x", (), "text"),
            (SEQ, {"en": " "}, (), "text.en"),
            (SEQ, {"en": "x" * 4001}, (), "text.en"),
            (SEQ, {"en": "dlrow \u202eolleh"}, (), "text.en"),
            (SEQ, {"en": "\x1b[31m"}, (), "text.en"),
            (SEQ, {"en": 1}, (), "text.en"),
            (SEQ, NOTE, ["place 99,0"], "steps.0"),
            (SEQ, NOTE, ["place 1,-4", "nonsense"], "steps.1"),
            (SEQ, NOTE, "place", "steps"),
            (SEQ, NOTE, ["place 1,-4"] * (MAX_STEPS_OF_VARIATION + 1), "steps"),
            (1, NOTE, STEPS, "steps"),
        ],
    )
    def test_faulty_entries_are_refused_and_change_nothing(
        self, service: Service, study: StoredStudy, seq: int, text: object, steps: Any, field: str
    ) -> None:
        with pytest.raises(Malformed) as refused:
            service.studies.write(study.id, "ada", seq, text, steps)
        assert [*refused.value.fields] == [field]
        assert service.studies.read(study.id, "ada").entries == []

    def test_two_processes_lose_no_note_of_two_authors(
        self, service: Service, study: StoredStudy
    ) -> None:
        writers = {"ada": service, id_of(service, "bea"): build(service.settings)}

        def write(player: str) -> None:
            for number in range(15):
                text = {"en": f"{player} {number}"}
                writers[player].studies.write(study.id, player, 10, text)

        with ThreadPoolExecutor() as pool:
            list(pool.map(write, writers))
        entries = service.studies.read(study.id, "ada").entries
        expected = {f"{player} {number}" for player in writers for number in range(15)}
        assert {each.text["en"] for each in entries} == expected
        assert [each.number for each in entries] == [*range(1, 31)]
        writers.popitem()[1].redis.close()

    def test_nobody_overwrites_what_they_have_not_read(
        self, service: Service, study: StoredStudy
    ) -> None:
        studies = service.studies
        note = studies.write(study.id, "ada", 10, NOTE)
        changed = studies.rewrite(study.id, "ada", note.number, 1, {"en": "By the lake."})
        assert (changed.version, changed.seq) == (2, 10)
        with pytest.raises(StudyConflict):
            studies.rewrite(study.id, "ada", note.number, 1, {"en": "In the hills."})
        (entry,) = studies.read(study.id, "ada").entries
        assert entry.text == {"en": "By the lake."}

    def test_nobody_speaks_for_another_and_the_owner_deletes(
        self, service: Service, study: StoredStudy
    ) -> None:
        studies, bea = service.studies, id_of(service, "bea")
        first = studies.write(study.id, "ada", 10, NOTE)
        second = studies.write(study.id, bea, 10, NOTE)
        with pytest.raises(Forbidden):
            studies.rewrite(study.id, "ada", second.number, 1, {"en": "x"})
        with pytest.raises(Forbidden):
            studies.remove(study.id, bea, first.number)
        studies.remove(study.id, "ada", second.number)
        with pytest.raises(NotFound):
            studies.remove(study.id, "ada", second.number)
        third = studies.write(study.id, bea, 10, NOTE)
        assert third.number == 3, "no number is used twice"
        shown = studies.read(study.id, bea)
        assert [shown.may_change(each, bea) for each in shown.entries] == [False, True]
        for refused in (
            lambda: studies.share(study.id, bea, "listed"),
            lambda: studies.describe(study.id, bea, TITLE),
            lambda: studies.add_author(study.id, bea, "bea"),
            lambda: studies.remove_author(study.id, bea, "ada"),
            lambda: studies.delete(study.id, bea),
        ):
            with pytest.raises(Forbidden):
                refused()


class TestReaders:
    def test_only_authors_read_a_private_study(self, service: Service, study: StoredStudy) -> None:
        for reader in (None, "cid"):
            with pytest.raises(NotFound):
                service.studies.read(study.id, reader)
            assert service.studies.of_game(study.game, reader) == []
        service.studies.share(study.id, "ada", "link")
        assert service.studies.read(study.id, None).study.title == TITLE
        assert service.studies.of_game(study.game, None) == []
        with pytest.raises(Forbidden):
            service.studies.write(study.id, "cid", 10, NOTE)
        service.studies.share(study.id, "ada", "listed")
        (listed,) = service.studies.of_game(study.game, None)
        assert listed.id == study.id
        service.studies.share(study.id, "ada", "private")
        assert service.studies.of_game(study.game, None) == []
        with pytest.raises(NotFound):
            service.studies.read(study.id, None)

    def test_a_link_opens_no_private_game(self, service: Service) -> None:
        game = private_game(service)
        study = service.studies.create("ada", game, {})
        service.studies.share(study.id, "ada", "listed")
        assert service.studies.read(study.id, "bea").game.id == game
        eve = register(service, "eve")
        with pytest.raises(Malformed) as refused:
            service.studies.add_author(study.id, "ada", "eve")
        assert [*refused.value.fields] == ["handle"]
        with pytest.raises(NotFound) as missing:
            service.studies.read("none", eve)
        unknown = str(missing.value)
        for reader in (None, eve):
            with pytest.raises(NotFound) as hidden:
                service.studies.read(study.id, reader)
            assert str(hidden.value) == unknown
            with pytest.raises(NotFound):
                service.studies.of_game(game, reader)
        for refused_change in (
            lambda: service.studies.write(study.id, eve, 10, NOTE),
            lambda: service.studies.delete(study.id, eve),
            lambda: service.studies.remove_author(study.id, eve, eve),
        ):
            with pytest.raises(NotFound):
                refused_change()

    def test_an_author_who_may_not_see_the_game_any_more_can_only_leave(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        game = private_game(service)
        study = service.studies.create("ada", game, TITLE)
        bea = service.accounts.players
        monkeypatch.setattr(bea, "person_with_handle", lambda _: _Person("bea"))
        service.studies.add_author(study.id, "ada", "bea")
        service.studies.write(study.id, "bea", 10, NOTE)
        # As one who has left the club of the game.
        visible = service.games.repository.visible_game

        def without_bea(game_id: str, player: str | None) -> Any:
            return visible(game_id, None if player == "bea" else player)

        monkeypatch.setattr(service.games.repository, "visible_game", without_bea)
        assert service.studies.of_player("bea") == []
        for refused in (
            lambda: service.studies.read(study.id, "bea"),
            lambda: service.studies.write(study.id, "bea", 10, NOTE),
        ):
            with pytest.raises(NotFound):
                refused()
        service.studies.remove_author(study.id, "bea", "bea")
        shown = service.studies.read(study.id, "ada")
        assert shown.study.authors == ()
        assert [each.author for each in shown.entries] == ["bea"]

    def test_an_author_who_is_removed_reads_a_private_study_no_more(
        self, service: Service, study: StoredStudy
    ) -> None:
        bea = id_of(service, "bea")
        assert [each.id for each in service.studies.of_player(bea)] == [study.id]
        service.studies.remove_author(study.id, "ada", bea)
        assert service.studies.of_player(bea) == []
        with pytest.raises(NotFound):
            service.studies.read(study.id, bea)

    def test_running_and_abandoned_games_and_guests(self, service: Service, game: str) -> None:
        running = start_game(service).id
        take_action(service, running)
        abandoned = start_game(service).id
        service.administration.abandon("operator", abandoned, "a test")
        for unfinished in (running, abandoned):
            with pytest.raises(NotNow):
                service.studies.create("ada", unfinished, {})
        with pytest.raises(NotFound):
            service.studies.create("ada", "no-game", {})
        guest = service.accounts.players.create_guest()[0]
        with pytest.raises(Forbidden):
            service.studies.create(guest.id, game, {})
        study = service.studies.create("ada", game, {})
        with pytest.raises(Malformed):
            service.studies.add_author(study.id, "ada", guest.handle)

    def test_readers_do_not_see_whom_they_have_muted(
        self, service: Service, study: StoredStudy
    ) -> None:
        bea = id_of(service, "bea")
        service.studies.share(study.id, "ada", "listed")
        service.studies.write(study.id, "ada", 10, NOTE)
        service.studies.write(study.id, bea, 10, NOTE)
        service.accounts.mutes.add("cid", bea)
        assert [each.author for each in service.studies.read(study.id, "cid").entries] == ["ada"]
        service.accounts.mutes.add("dan", "ada")
        assert service.studies.of_game(study.game, "dan") == []
        service.accounts.mutes.add(bea, "ada")
        assert service.studies.of_player(bea) == []


class TestErasure:
    def test_what_an_erased_player_has_written_goes_and_the_rest_stays(
        self, service: Service, study: StoredStudy
    ) -> None:
        bea = id_of(service, "bea")
        service.studies.write(study.id, "ada", 10, NOTE)
        service.studies.write(study.id, bea, 10, {"en": "By the lake."})
        own = service.studies.create("ada", study.game, TITLE)
        assert service.studies.writers(["ada", "cid", bea]) == ["ada", bea]
        service.studies.erase_all_of("ada")
        shown = service.studies.read(study.id, bea)
        assert (shown.study.owner, shown.study.authors, shown.study.title) == (bea, (), {})
        assert [each.author for each in shown.entries] == [bea]
        with pytest.raises(NotFound):
            service.studies.read(own.id, "ada")
        assert service.studies.writers(["ada", bea]) == [bea]
        service.studies.erase_all_of(bea)
        assert list(service.redis.scan_iter("cartulary:stud*")) == []

    def test_notes_of_one_who_has_left_are_found(
        self, service: Service, study: StoredStudy
    ) -> None:
        bea = id_of(service, "bea")
        service.studies.write(study.id, bea, 10, NOTE)
        service.studies.remove_author(study.id, "ada", bea)
        service.accounts.erasure.erase_without_password(bea)
        assert service.studies.read(study.id, "ada").entries == []


class TestBounds:
    @pytest.fixture
    def bounded(self, service: Service) -> Callable[..., Service]:
        def bounded(**bounds: int) -> Service:
            settings = replace(service.settings, bounds=replace(service.settings.bounds, **bounds))
            return build(settings)

        return bounded

    def test_of_a_player_and_of_a_game(self, bounded: Callable[..., Service], game: str) -> None:
        service = bounded(max_studies_per_player=2, max_studies_per_game=1)
        register(service, "bea")
        first, second = (service.studies.create("ada", game, {}) for _ in range(2))
        with pytest.raises(TooManyStudies):
            service.studies.create("ada", game, {})
        service.studies.share(first.id, "ada", "listed")
        service.studies.share(first.id, "ada", "listed")
        with pytest.raises(TooManyStudies):
            service.studies.share(second.id, "ada", "listed")
        service.studies.share(first.id, "ada", "link")
        service.studies.share(second.id, "ada", "listed")
        for study in (first, second, service.studies.create("cid", game, {})):
            if study.owner == "ada":
                service.studies.add_author(study.id, "ada", "bea")
            else:
                with pytest.raises(TooManyStudies):
                    service.studies.add_author(study.id, "cid", "bea")
        service.studies.delete(first.id, "ada")
        service.studies.add_author(study.id, "cid", "bea")
        service.studies.create("ada", game, {})
        service.redis.close()

    def test_of_a_study(self, bounded: Callable[..., Service], game: str) -> None:
        service = bounded(max_study_entries=2, max_study_bytes=32 * 1024, max_study_authors=1)
        study = service.studies.create("ada", game, {})
        for handle in ("bea", "cid"):
            register(service, handle)
        service.studies.add_author(study.id, "ada", "bea")
        with pytest.raises(TooManyStudies):
            service.studies.add_author(study.id, "ada", "cid")
        long = dict.fromkeys(("en", "es", "fr"), "é" * 4000)
        service.studies.write(study.id, "ada", 10, long)
        with pytest.raises(StudyConflict):
            service.studies.write(study.id, "ada", 10, long)
        service.studies.write(study.id, "ada", 10, NOTE)
        with pytest.raises(TooManyStudies):
            service.studies.write(study.id, "ada", 10, NOTE)
        service.redis.close()

    def test_of_an_event(self, service: Service, study: StoredStudy) -> None:
        for _ in range(MAX_VARIATIONS_OF_EVENT):
            service.studies.write(study.id, "ada", SEQ, {}, STEPS)
        note = service.studies.write(study.id, "ada", SEQ, NOTE)
        with pytest.raises(TooManyStudies):
            service.studies.write(study.id, "ada", SEQ, {}, STEPS)
        with pytest.raises(TooManyStudies):
            service.studies.rewrite(study.id, "ada", note.number, 1, NOTE, STEPS)


def test_members_of_later_versions_are_kept(service: Service, study: StoredStudy) -> None:
    key = f"cartulary:study:{study.id}"
    stored = service.redis.get(key)
    assert isinstance(stored, bytes)
    service.redis.set(key, stored.replace(b'{"', b'{"later":1,"', 1))
    service.studies.write(study.id, "ada", 10, NOTE)
    assert b'"later":1' in repr(service.redis.get(key)).encode()


class _Person:
    """An account of a player whose id is the handle."""

    is_guest = False

    def __init__(self, id: str) -> None:
        self.id = id
