"""Turns messages of the domain into text, in the languages that have a catalogue of translations."""
