"""The web interface: pages rendered on the server, for people who play, watch and replay games in a browser.

Every page works without JavaScript. The pages call the same functions of the service as the HTTP API and send
no requests to their own server.
"""
