"""What recorded runs look like: targets, tables and pictures."""
