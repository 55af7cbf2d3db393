"""Train and encode on Spark (`pip install 'superword[spark]'`, PySpark 4, Java 17 or later).

>>> from superword.integrations import spark
>>> tok = spark.train(session.read.parquet("s3a://bucket/docs"), vocab_size=131_072)
>>> spark.encode(df, tok, "text", "ids").write.parquet("s3a://bucket/ids")

The model is the same file, byte for byte, as that of `superword.train` on the same documents.
Executors count; the driver adds nothing up, because Spark does, and learns from the sums. Every
executor needs superword and pyarrow in its Python environment.

`train` is made of parts that can be used separately: `counter`, `candidates` and `encoder` are
functions for `DataFrame.mapInArrow`, and `add_up` is the sum.
"""

from __future__ import annotations

from superword._support.extras import need

for package in ("pyspark", "pyarrow", "pandas"):
    need(package, "spark", "superword.integrations.spark")

from superword.integrations.spark.driver import (  # noqa: E402
    count_candidates,
    count_pretokens,
    encode,
    train,
)
from superword.integrations.spark.rows import CANDIDATES, COUNTS  # noqa: E402
from superword.integrations.spark.sums import add_up  # noqa: E402
from superword.integrations.spark.tasks import candidates, counter, encoder  # noqa: E402

__all__ = [
    "CANDIDATES_SCHEMA",
    "COUNTS_SCHEMA",
    "add_up",
    "candidates",
    "count_candidates",
    "count_pretokens",
    "counter",
    "encode",
    "encoder",
    "train",
]

# What `counter` and `candidates` yield. `fact` is null in rows of counts. Other rows carry a number
# about the text, such as the number of documents.
COUNTS_SCHEMA = COUNTS.schema
CANDIDATES_SCHEMA = CANDIDATES.schema
