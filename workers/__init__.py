"""The workers: what the log calls for, done by processes of their own.

The scheduler reads the notes that lie beside the logs and enqueues a job for each; a worker does the
job, through the same door as everybody, and the note is gone. Both may die at any moment: what is noted
and not done is enqueued again. Nothing here knows HTTP, and nothing asks which game it is.
"""
