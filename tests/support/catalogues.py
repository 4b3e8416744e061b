"""Catalogues of test languages, which are compiled into a folder beside the real ones and used from there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from replay.language import catalogue as catalogues
from replay.language.build import compile_catalogue
from replay.language.catalogue import DOMAIN, FOLDER
from replay.language.maintenance import write_catalogue


def write_language(folder: Path, language: str, catalog: Catalog) -> None:
    """Write and compile a catalogue in a folder that gets the real ones too."""
    for real in FOLDER.iterdir():
        (folder / real.name).symlink_to(real)
    path = folder / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    path.parent.mkdir(parents=True)
    write_catalogue(catalog, path)
    compile_catalogue(path)


@contextmanager
def catalogues_in(folder: Path) -> Iterator[None]:
    """Use the catalogues in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogues, "FOLDER", folder)
        patch.setattr("cartulary.language.FOLDER", folder)
        _forget_catalogues()
        yield
    _forget_catalogues()


def _forget_catalogues() -> None:
    catalogues.languages.cache_clear()
    catalogues.catalogue.cache_clear()
