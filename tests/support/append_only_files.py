"""Files of an embedded Redis for tests: a single file, or the parts that Redis 7 and later write."""

from pathlib import Path


def write_data(folder: Path, content: bytes) -> Path:
    """Make a data folder whose append-only file is a single file with this content; return the file."""
    path = folder / "redis" / "appendonly.aof"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def current_file(folder: Path) -> Path:
    """Return the file of `write_data`, which Redis 7 and later move to a folder of their own."""
    redis = folder / "redis"
    (path,) = (*redis.glob("appendonly.aof"), *redis.glob("appendonlydir/appendonly.aof"))
    return path


def write_parts(folder: Path, **parts: bytes) -> Path:
    """Make a data folder with parts (`base1`, `incr1`), but without a manifest; return their folder."""
    parts_folder = folder / "redis" / "appendonlydir"
    parts_folder.mkdir(parents=True)
    for name, content in parts.items():
        kind, seq = name[:4], name[4:]
        extension = "rdb" if kind == "base" else "aof"
        (parts_folder / f"appendonly.aof.{seq}.{kind}.{extension}").write_bytes(content)
    return parts_folder
