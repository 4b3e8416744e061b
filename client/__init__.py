"""The HTTP client of a server of this program, and the programs that watch a server with it.

`calls` describes every request of a player and the type of its result, once for the synchronous and the
asynchronous client. `retries` decides what is repeated after which failure, and `streams` how a stream is
resumed, without doing any I/O. `clients` sends and waits. `results` and `errors` have what callers get.
`evidence` adds nonces and signatures to calls, and keeps receipts. `receipts` and `witness` read what a
server has signed, and keep it.
"""
