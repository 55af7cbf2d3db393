"""Private parts of running on several machines: what the integrations with Ray and Spark share."""
