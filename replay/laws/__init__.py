"""The laws that every rule system keeps, checked on whole games."""
