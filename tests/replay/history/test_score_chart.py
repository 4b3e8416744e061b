"""The scores through a game: the data of a chart, the table, and the drawing."""

from functools import cache
from pathlib import Path

import pytest

from replay.history.score_chart import NoScores, ScoreChart, score_chart, score_rows, score_table
from replay.history.score_chart_svg import describe_chart, score_chart_svg
from replay.history.timeline import transitions
from replay.language.renderer import english, renderer
from replay.language.text_layout import columns
from replay.render.styles import Styler
from tests.support.explanations import renderer_of
from tests.support.faults import raises
from tests.support.languages import ENGLISH
from tests.support.records import Table, read
from tests.support.svg import drawn_texts, parsed

GAMES = Path(__file__).parents[2] / "games"
NAMES = ["sorcery-duke-of-five", "baron-five", "clock-runs-out", "abandoned-in-play"]


@cache
def chart_of(name: str) -> ScoreChart:
    return score_chart(read((GAMES / f"{name}.jsonl").read_bytes()))


@cache
def resumed_game() -> ScoreChart:
    """A game in which a turn was forfeited, play resumed from an earlier event, and a seat left."""
    table = Table("barony", seats=3, options={"round_limit": 22}, clock={"per_turn": 60}).start()
    table.act_at_random(40, b"x")
    origin = table.game.seq
    table.act_at_random(9, b"y").score()
    table.wait(70)
    table.forfeit()
    table.resume(origin)
    table.act_at_random(6, b"z")
    table.act({"type": "resign"})
    return score_chart(read(table.play_out().record()))


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_has_the_scores_after_every_event_since_the_start(name: str) -> None:
    record = read((GAMES / f"{name}.jsonl").read_bytes())
    chart = chart_of(name)
    states = {
        transition.event["seq"]: transition.after
        for transition in transitions(record)
        if transition.after.state is not None
    }
    assert [point.seq for point in chart.points] == [*states]
    for point in chart.points:
        game = states[point.seq]
        position = game.position(None)
        assert position is not None
        score = "honour" if chart.rules == "baron" else "score"
        if game.ranking is None:
            assert [player[score] for player in position["players"]] == [*point.scores]
    ended = record.events[-1]["type"] == "GameFinished"
    if ended:
        ranking = {e["seat"]: e["score"] for e in record.events[-1]["data"]["ranking"]}
        assert [ranking[seat] for seat in sorted(ranking)] == [*chart.points[-1].scores]
    assert bool(chart.places) == ended


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_has_every_round_with_the_event_that_scored_it(name: str) -> None:
    record = read((GAMES / f"{name}.jsonl").read_bytes())
    scored = {e["seq"]: e["data"] for e in record.events if e["type"] == "RoundScored"}
    by_event = {end.scored_by: end for end in chart_of(name).rounds if end.scored_by}
    assert by_event.keys() == scored.keys()
    for seq, data in scored.items():
        assert by_event[seq].round == data["round"]
        assert [s["score"] for s in data["standings"]] == [*by_event[seq].scores]


def test_what_happened_beside_the_scores_is_marked() -> None:
    chart = resumed_game()
    kinds = ["forfeit", "resumption", "departure", "turning_point"]
    assert [mark.kind for mark in chart.marks] == kinds
    forfeit, resumption, departure, _ = chart.marks
    assert english(forfeit.outcome) == f"seat {forfeit.seat}'s turn is forfeited"
    assert english(departure.outcome) == f"seat {departure.seat} resigns"
    ((first, last),) = chart.superseded
    assert (last, resumption.seat) == (resumption.seq - 1, None)
    assert english(resumption.outcome).startswith(
        f"play resumes after event {first - 1}, as event "
    )
    rounds = [end.round for end in chart.rounds if end.seq < first]
    again = [end.round for end in chart.rounds if end.seq > last]
    assert again[0] == rounds[-1] + 1
    assert first <= next(end.seq for end in chart.rounds if end.round == again[0]) <= last


def test_a_table_has_a_row_for_each_round_and_each_mark() -> None:
    chart = resumed_game()
    lines = score_table(chart, ENGLISH, Styler(is_on=False), 200).splitlines()
    assert lines[0] == "Barony, game game-1: score at the end of each round"
    rows = lines[4:]
    assert len(rows) == len(chart.rounds) + len(chart.marks) + 1
    (mark,) = [row for row in rows if "is forfeited" in row]
    assert mark.split()[0] == str(chart.marks[0].seq)
    assert rows[-1].split()[:2] == ["end", str(chart.points[-1].seq)]
    assert "(1st)" in rows[-1]
    assert all("scored by event" in row for row in rows[:3])
    assert "\x1b[" in score_table(chart, ENGLISH, Styler(is_on=True), 100)


def test_a_running_game_has_a_row_for_now_and_rounds_that_are_not_scored() -> None:
    table = Table("barony", seats=2).start().act_at_random(14)
    lines = score_table(
        score_chart(read(table.record())), ENGLISH, Styler(is_on=False), 80
    ).splitlines()
    assert lines[-1].split()[0] == "now"
    assert "not scored" in lines[-2]


def test_a_drawing_has_a_title_a_description_and_a_line_for_each_seat() -> None:
    for chart in (*map(chart_of, NAMES), resumed_game()):
        document = score_chart_svg(chart, ENGLISH)
        root = parsed(document)
        assert root.attrib["role"] == "img"
        texts = {child.attrib.get("id"): child.text for child in root}
        assert texts["title"] is not None
        assert texts["desc"] == describe_chart(chart, ENGLISH)
        for seat in range(chart.seats):
            name = f"seat {seat}"
            assert document.count(f"<title>{name}</title>") == 1
            assert f"Seat {seat}: {chart.points[-1].scores[seat]}" in describe_chart(chart, ENGLISH)
        lines = {
            path.attrib.get("stroke-dasharray") for path in root.iter() if "stroke" in path.attrib
        }
        assert len(lines) >= chart.seats
        labels = [text.content for text in drawn_texts(document)]
        assert english(chart.score_name) in labels
        # No text leaves the page.
        width, height = map(float, root.attrib["viewBox"].split()[2:])
        for text in drawn_texts(document):
            assert text.left >= 0
            assert text.right <= width
            assert text.size <= text.baseline <= height
        assert "http" not in document.replace("http://www.w3.org/2000/svg", "")


def test_texts_below_the_plot_do_not_overlap() -> None:
    for chart in (*map(chart_of, NAMES), resumed_game()):
        texts = drawn_texts(score_chart_svg(chart, ENGLISH))
        for first in texts:
            for second in texts:
                if first is not second and first.baseline == second.baseline:
                    assert first.right <= second.left or second.right <= first.left


def test_marks_are_drawn_with_their_events() -> None:
    chart = resumed_game()
    document = score_chart_svg(chart, ENGLISH)
    for mark in chart.marks:
        assert (
            f"<title>event {mark.seq}: {english(mark.outcome).replace(chr(39), '&#x27;')}</title>"
            in document
        )
    labels = " ".join(text.content for text in drawn_texts(document))
    for label in ("turns forfeited", "players who left", "play resumed from an earlier event"):
        assert label in labels
    assert "disputes" not in labels
    assert 'fill="url(#superseded)"' in document
    assert 'fill="url(#superseded)"' not in score_chart_svg(chart_of("baron-five"), ENGLISH)


def test_a_chart_shows_names_harmlessly() -> None:
    record = read(Table("barony", seats=2).start().act_at_random(9).record())
    ids = record.events[3]["data"]["players"]
    record.header["players"] = [{"id": ids[0], "handle": "<b>\u202e&", "keys": []}]
    chart = score_chart(record)
    renderer = renderer_of(record)
    document = score_chart_svg(chart, renderer, prefix="p-")
    assert "<b>" not in document
    assert "\u202e" not in document
    assert "&lt;b&gt;&amp;: " in document
    assert 'id="p-title"' in document
    assert "<b>&" in score_table(chart, renderer, Styler(is_on=False), 100)
    assert chart.as_json(renderer)["seats"] == ["<b>&", "seat 1"]


def test_a_game_that_has_not_started_has_no_scores() -> None:
    with raises(NoScores, match="has not started"):
        score_chart(read(Table("barony", seats=2).record()))


def test_the_same_chart_makes_the_same_bytes() -> None:
    chart = chart_of("baron-five")
    assert score_chart_svg(chart, ENGLISH) == score_chart_svg(chart, ENGLISH)
    assert chart.as_json(ENGLISH)["score_name"] == "honour"


@pytest.mark.parametrize("width", [30, 40, 50, 60, 72, 90])
@pytest.mark.parametrize("language", ["en", "fr", "es"])
@pytest.mark.parametrize("name", ["baron-five", "sorcery-disputes"])
def test_a_table_of_any_width_has_every_word_and_number_whole(
    name: str, language: str, width: int
) -> None:
    chart, in_language = chart_of(name), renderer(language)
    table = score_table(chart, in_language, Styler(is_on=False), width)
    assert all(columns(line) <= width for line in table.splitlines())
    words = table.split()
    assert "…" not in table
    for row in score_rows(chart):
        assert str(row.seq) in words
        note = in_language(row.note) if row.kind == "mark" else ""
        for text in (note, *map(in_language, row.cells(chart.seats))):
            assert {*text.split()} <= {*words}
