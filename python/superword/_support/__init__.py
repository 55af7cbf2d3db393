"""Small helpers that every module may use: checks, messages, optional packages."""
