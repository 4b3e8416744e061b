"""The views of the API, one file for each kind of resource."""
