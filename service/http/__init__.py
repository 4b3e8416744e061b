"""HTTP in front of the service: what comes in is checked here, what goes out is put into words here.

Here nothing is decided about games or players: routes call `service.games`, accounts and listings.
How a request gets in: gateway.py takes it from the server, app.py is the Flask application behind it,
routes/ has the calls, schemas/ their forms; streams.py holds the event streams open, outside the threads.
"""
