"""A simulation of many games over many days."""
