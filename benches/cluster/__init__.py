"""What training on a cluster costs, measured on one machine."""
