"""The calls, one file for each thing that is called upon."""
