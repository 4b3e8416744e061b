"""PNG pictures are drawn in processes of their own, with our font, within bounds, and are cached."""

import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from service.bounds import Bounds
from service.errors import Unavailable
from service.pictures.png import PngPictures
from tests.support.processes import HANG_SECONDS

BOUNDS = Bounds(picture_threads=1)


def document(content: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10">{content}</svg>'


SQUARE = document('<rect width="10" height="10"/>')


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of the processes that were started."""
    commands: list[list[str]] = []
    run: Callable[..., Any] = subprocess.run

    def recorded_run(command: list[str], **arguments: Any) -> Any:
        commands.append(command)
        return run(command, **arguments)

    monkeypatch.setattr(subprocess, "run", recorded_run)
    return commands


def test_a_picture_has_the_width_that_was_asked_for() -> None:
    picture = PngPictures(BOUNDS).png(SQUARE, 120)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == (120, 60)


def text_picture(text: str, font: str = "") -> bytes:
    return PngPictures(BOUNDS).png(document(f'<text y="8" font-size="8" {font}>{text}</text>'), 100)


def test_text_is_drawn_with_the_fonts_of_the_package() -> None:
    fonts = ("", 'font-family="serif" font-style="italic"', 'font-weight="bold"')
    assert len({text_picture(text, font) for text in ("", "Ada") for font in fonts}) == 4
    scripts = ("Ada", "\u0391\u03b4\u03b1", "\u0416\u0434\u0430", "\u05d0\u05d3\u05d4", "")
    assert len({text_picture(text) for text in scripts}) == 5


def test_marks_of_the_direction_of_text_are_invisible() -> None:
    assert text_picture("\u2068Ada\u2069") == text_picture("Ada")


def test_a_picture_is_drawn_once_for_all_who_see_the_same(started: list[list[str]]) -> None:
    pictures = PngPictures(BOUNDS)
    first = pictures.png(SQUARE, 100)
    assert pictures.png(SQUARE, 100) is first
    assert len(started) == 1
    assert pictures.png(SQUARE, 101) != first
    assert len(started) == 2


def test_the_cache_is_bounded_by_the_size_of_the_pictures(started: list[list[str]]) -> None:
    size = len(PngPictures(BOUNDS).png(SQUARE, 100))
    pictures = PngPictures(replace(BOUNDS, cached_picture_bytes=size - 1))
    started.clear()
    assert pictures.png(SQUARE, 100) == pictures.png(SQUARE, 100)
    assert len(started) == 2


def test_a_further_picture_is_refused_while_as_many_are_drawn_as_the_bound_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_drawing, may_end = threading.Event(), threading.Event()

    def slow_run(*_: object, **__: object) -> subprocess.CompletedProcess[bytes]:
        is_drawing.set()
        assert may_end.wait(HANG_SECONDS)
        return subprocess.CompletedProcess((), 0, b"picture")

    monkeypatch.setattr(subprocess, "run", slow_run)
    pictures = PngPictures(BOUNDS)
    thread = threading.Thread(target=pictures.png, args=(SQUARE, 100))
    thread.start()
    assert is_drawing.wait(HANG_SECONDS)
    with pytest.raises(Unavailable) as error:
        pictures.png(SQUARE, 200)
    assert error.value.retry_after >= 1
    may_end.set()
    thread.join()
    assert pictures.png(SQUARE, 200) == b"picture"


def test_a_picture_that_takes_too_long_is_refused_and_its_process_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: list[int | None] = []
    wait = subprocess.Popen.wait

    def recorded_wait(process: "subprocess.Popen[bytes]", timeout: float | None = None) -> int:
        ended.append(wait(process, timeout))
        return ended[-1] or 0

    monkeypatch.setattr(subprocess.Popen, "wait", recorded_wait)
    pictures = PngPictures(replace(BOUNDS, picture_seconds=0.001))
    with pytest.raises(Unavailable):
        pictures.png(SQUARE, 100)
    assert set(ended) == {-9}


def test_a_document_that_cannot_be_drawn_is_an_error_and_leaves_its_place_free() -> None:
    pictures = PngPictures(BOUNDS)
    for _ in range(2):
        with pytest.raises(Unavailable):
            pictures.png("no SVG", 100)
    assert pictures.png(SQUARE, 100)
