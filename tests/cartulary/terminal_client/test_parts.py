"""The parts of the terminal client that need no server: URLs, tokens, and the completion of short forms."""

import stat
from pathlib import Path

import pytest

from cartulary.addresses import Address, InvalidAddress
from cartulary.terminal_client.console import LineConsole, is_beginning, next_words
from cartulary.terminal_client.tokens import VARIABLE, TokensError, TokensFile
from domain.registry import rule_system_for
from ledger.record import read
from replay.history.timeline import game_at

GAMES = Path(__file__).parents[2] / "games"
FORMS = ("place 0,0", "place 0,1", "move 0,0>1,0", "move 0,0>1,0 2,0>1,0", "pass")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", ("place", "move", "pass")),
        ("p", ("place", "pass")),
        ("place", ("place",)),
        ("place ", ("0,0", "0,1")),
        ("place 0,1", ("0,1",)),
        ("move  0,0>1,0 ", ("2,0>1,0",)),
        ("pass ", ()),
        ("x", ()),
    ],
)
def test_the_next_word_is_completed_from_the_legal_actions(typed: str, words: tuple[str]) -> None:
    assert next_words(typed, FORMS) == words


def test_whole_words_begin_a_form_that_has_more() -> None:
    assert [text for text in ("", "place", "move 0,0>1,0", "pla", "pass") if is_beginning(text, FORMS)] == [
        "", "place", "move 0,0>1,0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "duke-of-three",
        "sorcery-movement",
        "sorcery-recruitment",
        "sorcery-construction",
        "baron-five",
    ],
)
def test_every_legal_action_has_a_unique_short_form(name: str) -> None:
    with (GAMES / f"{name}.jsonl").open("rb") as file:
        record = read(file)
    checked = 0
    for seq in range(6, len(record.events), 9):
        game = game_at(record, seq)
        if game.to_act is None:
            continue
        rules = game.rules
        actions = rules.legal_actions(game.state, game.to_act)[:400]
        forms = [rules.action_text(action) for action in actions]
        assert [rules.parse_action_text(form) for form in forms] == list(actions)
        assert len(set(forms)) == len(forms)
        checked += len(forms)
    assert checked > 50


@pytest.mark.parametrize(
    ("rules", "typed", "form"),
    [
        ("barony", "recruit 0,0 2", "recruit 2 at 0,0"),
        ("barony", "recruit 2 0,0", "recruit 2 at 0,0"),
        ("barony", "build 1,0 village stronghold 2,0", "build village 1,0 stronghold 2,0"),
        ("baron", "place vineyard 1,0", "lay vineyard 1,0"),
        ("baron", "lay 1,0 vineyard", "lay vineyard 1,0"),
        ("baron", "place 1,0", "keep 1,0"),
        ("baron", "pass", "end"),
    ],
)
def test_other_orders_of_words_are_understood(rules: str, typed: str, form: str) -> None:
    system = rule_system_for(rules, {})
    assert system.action_text(system.parse_action_text(typed)) == form


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:8000", Address("http://127.0.0.1:8000")),
        ("127.0.0.1:8000/", Address("http://127.0.0.1:8000")),
        ("https://x.example/games/abc", Address("https://x.example", game="abc")),
        ("https://x.example/games/abc/events/7?x#y", Address("https://x.example", game="abc")),
        ("https://x.example/api/v1/games/a%2Db", Address("https://x.example", game="a-b")),
        ("https://x.example/invitations/t", Address("https://x.example", invitation="t")),
    ],
)
def test_a_url_leads_to_a_server_a_game_or_an_invitation(url: str, address: Address) -> None:
    assert Address.parse(url) == address


@pytest.mark.parametrize(
    "url",
    ["", "ftp://x", "http://", "http://x:99999", "http://x/rules", "http://u:p@x/", "http://[x"],
)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(InvalidAddress):
        Address.parse(url)


def test_tokens_are_kept_by_server_in_a_file_that_only_the_user_can_read(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "tokens.json"
    file = TokensFile({VARIABLE: str(path)})
    assert file.token("http://a") is None
    file.keep("http://a", "1")
    file.keep("http://b", "2")
    file.keep("http://a", "3")
    assert (file.token("http://a"), file.token("http://b")) == ("3", "2")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    file.keep("http://a", None)
    assert file.token("http://a") is None
    assert [entry.name for entry in path.parent.iterdir()] == ["tokens.json"]


@pytest.mark.parametrize("content", ["[]", "{", '{"http://a": 1}'])
def test_a_file_that_is_no_file_of_tokens_is_an_error_and_stays(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(content)
    file = TokensFile({VARIABLE: str(path)})
    with pytest.raises(TokensError, match="not a file of tokens"):
        file.token("http://a")
    with pytest.raises(TokensError):
        file.keep("http://a", "1")
    assert path.read_text() == content


def test_nothing_that_is_shown_controls_the_terminal_but_its_colours(
    capsys: pytest.CaptureFixture[str],
) -> None:
    LineConsole().show("\x1b[1mBold\x1b[0m\n/games/\x1b]52;c;cm0=\x07\x1b[2J\x9b2J\rx")
    shown = capsys.readouterr().out
    assert shown == "\x1b[1mBold\x1b[0m\n/games/\ufffd]52;c;cm0=\ufffd\ufffd[2J\ufffd2J\ufffdx\n"
