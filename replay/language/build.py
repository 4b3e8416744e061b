"""Compiles the catalogues. pyproject.toml names the command, which setuptools runs in every build.

Nothing of the project is imported here: it is not installed yet when it is built for the first time.
"""

from pathlib import Path
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools.command.build_py import build_py
from typing_extensions import override

_FOLDER: Final = Path(__file__).parent / "catalogues"


def compile_catalogues(folder: Path = _FOLDER) -> None:
    """Compile every catalogue of a folder, so that gettext can read it."""
    for path in folder.glob("*/LC_MESSAGES/*.po"):
        compile_catalogue(path)


def compile_catalogue(path: Path) -> None:
    """Compile a catalogue into a file beside it."""
    with path.open("rb") as source, path.with_suffix(".mo").open("wb") as target:
        write_mo(target, read_po(source))


class BuildWithCatalogues(build_py):  # type: ignore[misc] # setuptools has no type annotations
    """Compiles the catalogues before the packages are collected."""

    @override
    def run(self) -> None:
        """Run the build."""
        compile_catalogues()
        super().run()
