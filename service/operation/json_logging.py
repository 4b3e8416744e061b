"""Log lines in JSON on standard error, for every process of the service.

A line has the fields `at`, `level`, `logger` and `message`, those that the call passed as `extra`,
`request` or `job` (the id of the HTTP request or of the job that it belongs to, service/provenance.py) and,
after an exception, `error` (the traceback). No secrets are logged: no bodies, headers, tokens or queries, and
of a player only the id, which is a pseudonym. A line that cannot be written is dropped
(service/operation/standard_output.py).
"""

import logging
import sys
from typing import Any, TextIO

from pythonjsonlogger.core import LogData, merge_record_extra
from pythonjsonlogger.orjson import OrjsonFormatter
from typing_extensions import override

from service import provenance, wall_clock
from service.operation.standard_output import describe_loss, tolerate_write_errors


class JsonFormatter(OrjsonFormatter):
    """Formats a record as one JSON object."""

    @override
    def add_fields(
        self, log_data: LogData, record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        """Fill in the fields of the line. `message_dict` has the traceback, if there is one."""
        log_data["at"] = wall_clock.format(wall_clock.now())
        log_data["level"] = record.levelname.lower()
        log_data["logger"] = record.name
        log_data["message"] = record.message
        merge_record_extra(record, log_data, self.reserved_attrs)
        if "exc_info" in message_dict:
            log_data["error"] = message_dict["exc_info"]
        origin = provenance.decode(provenance.CURRENT.get())
        if origin is not None:
            log_data[origin.kind] = origin.id


class _LineHandler(logging.StreamHandler[TextIO]):
    """Writes log records, and lines that are already formatted."""

    def write_lines(self, text: str) -> None:
        """Write lines, each with its line feed."""
        self.acquire()
        try:
            self.stream.write(text)
            self.flush()
        finally:
            self.release()


def write_lines(text: str) -> None:
    """Write lines of JSON, each with its line feed, to the log; does nothing without `configure`."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, _LineHandler):
            handler.write_lines(text)


def configure(level: int = logging.INFO) -> None:
    """Log everything as JSON lines on standard error. Call it once in a process that serves or works."""
    # Finding the place of the call and the names of thread and process would take half of the time, and no
    # line shows them.
    logging._srcfile = None  # noqa: SLF001 # the documentation of `logging` recommends it
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    formatter = JsonFormatter()

    def loss_line(count: int, reason: str) -> str:
        fields = {"name": __name__, "levelname": "ERROR", "msg": describe_loss(count, reason)}
        return formatter.format(logging.makeLogRecord(fields))

    tolerate_write_errors(loss_line)
    handler = _LineHandler(sys.stderr)
    handler.setFormatter(formatter)
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # It logs the addresses of clients that exceed a limit.
    logging.getLogger("flask-limiter").setLevel(logging.WARNING)
