"""The code that serves HTTP: web processes, the gateway to the Flask application, and event streams."""
