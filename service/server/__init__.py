"""The code that serves HTTP: the gateway, the processes and the event streams."""
