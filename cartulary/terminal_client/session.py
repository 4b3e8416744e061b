"""Plays one game in the terminal: shows what happens, and does what the player types."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from cartulary.client import (
    Client,
    ClientError,
    Conflict,
    Event,
    Forbidden,
    MalformedRequest,
    Problem,
    RequestRefused,
    StreamReset,
)
from cartulary.terminal_client.console import Console, is_beginning, next_words
from cartulary.terminal_client.table import Table
from domain.errors import Malformed
from domain.event import ENDINGS
from domain.messages import Message, Text, comma_list, message
from domain.registry import rule_systems
from replay.render.styles import BOLD, Styler

MAX_SUGGESTIONS: Final = 40
"""Words that are suggested to go on with."""
MAX_LOG: Final = 500
LOG_LINES: Final = 20
COMMANDS: Final[Mapping[str, Message]] = {
    "help": message("show what you can type"),
    "board": message("show the board again"),
    "log": message("show the last events; `log 50` shows more"),
    "rules": message("show the clauses whose ids begin like this, such as `rules BY-MOV`"),
    "undo": message("ask to take back your last action, in a game with takebacks"),
    "takeback": message("answer an opponent who asks for that: `takeback yes` or `takeback no`"),
    "time": message(
        "give the player whose turn it is more time: `time 45m`, `time 12h` or `time 2d`"
    ),
    "quit": message("leave; the game goes on, and `cartulary play` continues it"),
}
_CERTAIN: Final = "resign"
_TIME: Final = re.compile(r"([0-9]{1,6}) ?([mhd])")
"""A time as it is typed: minutes, hours or days."""
_SECONDS: Final = {"m": 60, "h": 3600, "d": 86400}


class Session:
    """A game that is played at a console."""

    def __init__(
        self,
        client: Client,
        table: Table,
        console: Console,
        styler: Styler,
        width: Callable[[], int],
        server: str,
    ) -> None:
        """`width` returns the columns of the terminal, `server` is the URL of the server."""
        self._client = client
        self._table = table
        self._console = console
        self._styler = styler
        self._width = width
        self._server = server
        self._seq = table.summary.head.seq
        self._awaited_seq = self._seq
        self._lock = threading.RLock()
        self._is_left = False
        self._has_confirmed = ""

    def play(self) -> None:
        """Play until the game is over or the player leaves. Raises ClientError."""
        self._show_events(self._table.recent_events())
        self._show_turn()
        self._say(self._hint())
        events = self._client.stream(self._table.game, after=self._seq)
        if self._console.shows_events_while_editing:
            threading.Thread(target=self._follow, args=(events,), daemon=True).start()
        while not self._is_left:
            if not self._console.shows_events_while_editing:
                self._wait(events)
            if self._table.is_over:
                if not self._console.shows_events_while_editing:
                    # The table was read at the end of the game, maybe before its last events arrived.
                    for event in events:
                        self._receive(event)
                return
            line = self._console.ask(self._prompt, self._completions)
            if line is None:
                return
            with self._lock:
                self._run(line)

    def _hint(self) -> Text:
        form = next(iter(self._table.forms), None)
        if form is None:
            return message("`help` shows everything that you can type")
        return message(
            "type an action such as `{form}`, or only its first word to see how it can go on; `help` shows"
            " everything that you can type",
            form=form,
        )

    def _wait(self, events: Iterator[Event]) -> None:
        """Receive events until the player has something to do."""
        while not (
            self._seq >= self._awaited_seq
            and (
                self._table.is_over
                or self._table.can_act
                or self._table.takeback_to_answer is not None
            )
        ):
            event = next(events, None)
            if event is None:
                self._table.read()
                return
            self._receive(event)

    def _follow(self, events: Iterator[Event]) -> None:
        """Receive events in a separate thread while lines are read."""
        try:
            for event in events:
                with self._lock:
                    self._receive(event)
        except StreamReset as error:
            self._say(error.message)
        except ClientError as error:
            if not self._is_left:
                self._say(error.message)

    def _receive(self, event: Event) -> None:
        self._seq = event.seq
        could_act, asked = self._table.can_act, self._table.takeback_to_answer
        self._table.note(event)
        self._table.read()
        self._show_events([event])
        if event.type in ENDINGS or (
            self._table.can_act
            and self._seq >= self._awaited_seq
            # Other events, such as the score of a round, change nothing of what the player sees.
            and (not could_act or self._table.is_own(event))
        ):
            self._show_turn()
        elif (takeback := self._table.takeback_to_answer) is not None and takeback != asked:
            self._say(_takeback_question(takeback))

    def _show_events(self, events: Sequence[Event]) -> None:
        lines = [self._table.event_line(event, self._styler) for event in events]
        if lines:
            self._console.show("\n".join(lines))

    def _show_turn(self) -> None:
        """Show the board, whose turn it is, and what the player can do."""
        table = self._table
        parts = ["", table.board(self._styler, self._width()), ""]
        if lessons := table.lesson_lines(self._styler, self._width()):
            parts += [lessons, ""]
        parts.append(table.state_line(self._styler))
        if table.can_act:
            parts.append(table.actions_overview(self._styler))
        elif table.is_over:
            parts.append(f"{self._server}/games/{table.game}")
        if (takeback := table.takeback_to_answer) is not None:
            parts.append(table.render.sentence(_takeback_question(takeback)))
        self._console.show("\n".join(parts))

    def _prompt(self) -> str:
        return "> " if self._table.can_act else ". "

    def _completions(self, typed: str) -> list[str]:
        """Return the words that can stand where a text ends: commands, actions and clauses."""
        words = [*next_words(typed, self._table.forms), *next_words(typed, COMMANDS)]
        clauses = (f"rules {clause}" for clause in self._table.rules.CLAUSES)
        return [*words, *(word for word in next_words(typed, clauses) if word != "rules")]

    def _run(self, line: str) -> None:
        """Do what the player typed."""
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        match word.lower():
            case "":
                return
            case "help" | "?":
                self._show_help()
            case "board":
                self._show_turn()
            case "log":
                self._show_log(rest)
            case "rules":
                self._show_rules(rest.upper())
            case "undo":
                self._submit(lambda: self._client.request_takeback(self._table.game).events)
            case "takeback" if rest in {"yes", "no"}:
                self._answer_takeback(agree=rest == "yes")
            case "time":
                self._give_time(rest.lower())
            case "quit" | "exit":
                self._is_left = True
            case _:
                self._act(line)

    def _act(self, line: str) -> None:
        """Submit the action that a line is the short form of, or show how to go on."""
        table = self._table
        form = " ".join(line.split())
        if form == _CERTAIN and self._has_confirmed != form:
            self._has_confirmed = form
            self._say(message("this ends the game for you: type `resign` again to confirm it"))
            return
        self._has_confirmed = ""
        action = table.forms.get(form)
        if action is None:
            if is_beginning(form, table.forms):
                self._suggest(form)
                return
            try:
                action = dict(table.rules.action_to_json(table.rules.parse_action_text(form)))
            except Malformed as error:
                self._say(error.fields.get("", error.why))
                self._suggest("")
                return
        submitted = action
        self._submit(
            lambda: (
                self._client.submit(
                    table.game, submitted, expected_seq=table.legal.seq or self._seq
                ).events
            )
        )

    def _suggest(self, form: str) -> None:
        words = next_words(f"{form} " if form else "", self._table.forms)
        if not words:
            return
        completions = [f"{form} {word}".strip() for word in words[:MAX_SUGGESTIONS]]
        if len(words) > MAX_SUGGESTIONS:
            completions.append("…")
        self._say(message("you can type: {forms}", forms=comma_list(completions)))

    def _submit(self, send: Callable[[], tuple[Event, ...]]) -> None:
        """Send an action; the stream shows its events. Show why the server refuses it."""
        try:
            events = send()
        except RequestRefused as problem:
            self._show_refusal(problem)
        except (Conflict, Forbidden, MalformedRequest) as problem:
            self._say(message("{reason}", reason=problem.detail))
            self._table.read()
        else:
            self._awaited_seq = max(self._awaited_seq, *(event.seq for event in events))
            self._table.legal = type(self._table.legal)(0, ())
            self._table.forms = {}

    def _show_refusal(self, problem: Problem) -> None:
        if problem.clause is None:
            self._say(message("{reason}", reason=problem.detail))
            return
        self._say(
            message(
                "not allowed by {clause}: {reason}", clause=problem.clause, reason=problem.detail
            )
        )
        self._show_clause(problem.clause)
        self._show_address(problem.clause)

    def _answer_takeback(self, *, agree: bool) -> None:
        self._table.read()
        number = self._table.takeback_to_answer
        if number is None:
            self._say(message("nobody asks to take back an action"))
            return
        self._submit(
            lambda: self._client.answer_takeback(self._table.game, number, agree=agree).events
        )

    def _give_time(self, time: str) -> None:
        """Give the player whose turn it is more time, such as `12h`."""
        typed = _TIME.fullmatch(time)
        if typed is None:
            self._say(message("type how much time to give: `time 45m`, `time 12h` or `time 2d`"))
            return
        self._table.read()
        receiver = self._table.summary.to_act
        if receiver is None:
            self._say(message("it is the turn of nobody"))
            return
        seconds = int(typed[1]) * _SECONDS[typed[2]]
        self._submit(lambda: self._client.give_time(self._table.game, receiver, seconds).events)

    def _show_help(self) -> None:
        table = self._table
        render = table.render
        lines = []
        if table.can_act:
            lines += [render.sentence(message("your actions, each with an example:"))]
            lines += [table.actions_overview(self._styler), ""]
        width = max(map(len, COMMANDS))
        lines += [
            f"  {self._styler(name.ljust(width), BOLD)}   {render(text)}"
            for name, text in COMMANDS.items()
        ]
        hint = message(
            "an action that is typed in part, such as its first word, shows how it can go on"
        )
        lines += ["", render.sentence(hint)]
        self._console.show("\n".join(lines))

    def _show_log(self, number: str) -> None:
        is_number = number.isascii() and number.isdecimal() and len(number) < 6
        count = min(int(number), MAX_LOG) if is_number else LOG_LINES
        after = max(0, self._seq - count)
        try:
            page = self._client.events(self._table.game, after=after, limit=MAX_LOG)
        except Problem as problem:
            self._say(message("{reason}", reason=problem.detail))
            return
        self._show_events(page.events)

    def _show_rules(self, prefix: str) -> None:
        clauses = [clause for clause in self._table.rules.CLAUSES if clause.startswith(prefix)]
        if not clauses:
            self._say(message("there is no clause {clause}", clause=prefix))
            return
        if not prefix:
            groups = dict.fromkeys(clause.rpartition("-")[0] for clause in clauses)
            self._say(message("type `rules` and one of these: {groups}", groups=comma_list(groups)))
            self._console.show(f"  {self._server}/rules")
            return
        for clause in clauses:
            self._show_clause(clause)
        self._show_address(clauses[0])

    def _show_clause(self, clause: str) -> None:
        sentence: Text | None = self._table.rules.CLAUSES.get(clause)
        if sentence is not None:
            name = self._styler(clause, BOLD)
            self._console.show(f"  {name}  {self._table.render.sentence(sentence)}")

    def _show_address(self, clause: str) -> None:
        """Show the address of a clause on the server."""
        for name, entry in rule_systems().items():
            if clause in entry.system.CLAUSES:
                self._console.show(f"  {self._server}/rules/{name}#{clause}")
                return

    def _say(self, text: Text) -> None:
        self._console.show(self._table.render.sentence(text))


def _takeback_question(takeback: int) -> Message:
    return message(
        "an opponent asks to take back an action (event {seq}): type `takeback yes` or `takeback no`",
        seq=takeback,
    )
