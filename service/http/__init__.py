"""The HTTP API: the Flask application that answers requests.

`app.py` creates the application, `routes/` has the views, `schemas/` the schemas that check
requests and make up the OpenAPI document. `blueprint.py` and `auth.py` do what every view needs
before it runs. The code that accepts connections and keeps event streams open is in service/server;
nothing here depends on it.
"""
