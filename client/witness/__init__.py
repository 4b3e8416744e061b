"""Watches a server: follows its transparency log, keeps a copy, and proves that it showed two logs."""
