"""The peer of the rows on pages: a Flask application that renders a template with the same bytes.

Granian's WSGI server serves `app`. BENCH_PAGE names the file with the page to send.
"""

import os
from pathlib import Path

from flask import Flask, render_template_string

TEMPLATE = "{% raw %}" + Path(os.environ["BENCH_PAGE"]).read_text() + "{% endraw %}"

app = Flask("bare_page")


@app.get("/")
def page() -> str:
    """Return the page."""
    return render_template_string(TEMPLATE)
