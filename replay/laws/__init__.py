"""The laws of rule systems, which are checked on whole games."""
