"""What an event is: canonical bytes, the envelope, the hash chain, keys and signatures, the record file."""
