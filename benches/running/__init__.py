"""How measurements run: texts, models, and jobs in fresh processes."""
