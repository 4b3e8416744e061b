"""Writing files, and why the operating system refuses to."""
