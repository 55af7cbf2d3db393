"""The engine. Everything here is wrapped by the public modules; use those."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from numpy import uint8, uint32, uint64
from numpy.typing import NDArray

__version__: str

class Pretokenizer:
    """A compiled pretokenizer. Immutable."""

    @staticmethod
    def preset(name: str) -> Pretokenizer: ...
    @staticmethod
    def custom(
        pattern: str, script_pattern: str | None, scripts: Sequence[str] | None, eligible: str
    ) -> Pretokenizer: ...
    @property
    def name(self) -> str | None: ...
    @property
    def pattern(self) -> str: ...
    @property
    def script_pattern(self) -> str | None: ...
    @property
    def scripts(self) -> list[str]: ...
    @property
    def eligible(self) -> str: ...
    def split(self, text: str) -> list[str]: ...
    def is_eligible(self, pretoken: str) -> bool: ...

class Spool:
    """Documents from Python, kept in a temporary file so that training can read them twice."""

    def __new__(cls) -> Spool: ...
    def add(self, texts: Sequence[str]) -> None: ...
    def read_stdin(self) -> None: ...

class Batches:
    """A column of texts that can be read again and again.

    `open()` gives the batches from the first: offsets (64 bits) into the bytes, the bytes, and a
    bit for each text that is there (None: all are). `size` is about the bytes of all text.
    """

    def __new__(
        cls,
        name: str,
        size: int,
        open: Callable[[], Iterable[tuple[bytes, bytes, bytes | None]]],
    ) -> Batches: ...

class DocumentReader:
    """Reads the documents of sources in order, on a thread of the engine.

    `options` are those of ReadOptions.for_reading.
    """

    def __new__(cls, sources: Sequence[Source], options: dict[str, Any]) -> DocumentReader: ...
    # The next documents, about a megabyte, or None at the end. Raises the errors of reading.
    def next(self) -> list[str] | None: ...
    # Stops reading. May be called at any time, and more than once.
    def close(self) -> None: ...
    # As that of `train`; complete once `next` has returned None.
    def report(self) -> dict[str, Any]: ...

class WorkDir:
    """A directory for finished work, made if it is not there, that no other run uses.

    Held until it is closed and no training uses it any more, or the process ends. Temporary files
    that a killed run left in it are removed. WorkDirInUseError where another run has it.
    """

    def __new__(cls, path: str) -> WorkDir: ...
    def close(self) -> None: ...

# A source: a path, a spool or batches, and the format ("jsonl", "text", "lines", "paragraphs") or
# None to tell it by name.
Source = tuple[str | Spool | Batches, str | None]

class Model:
    """A trained tokenizer. Immutable; may be used from many threads at once."""

    @staticmethod
    def load(path: str) -> Model: ...
    @staticmethod
    def from_bytes(data: bytes) -> Model: ...
    @staticmethod
    def from_parts(
        method: str,
        pretokenizer: Pretokenizer,
        alphabet: str,
        events: Sequence[tuple[str, bytes, bytes, int]],  # as `events` gives them, no deletions
        ids: dict[bytes, int] | None,  # of every token; None: in the order of entering
        special_tokens: Sequence[tuple[str, int]],
        facts: str,  # a JSON object
    ) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: str) -> None: ...
    @property
    def method(self) -> str: ...
    @property
    def alphabet(self) -> str: ...
    @property
    def picky_split(self) -> str: ...
    @property
    def n_vocab(self) -> int: ...
    @property
    def pretokenizer(self) -> Pretokenizer: ...
    @property
    def special_tokens(self) -> dict[str, int]: ...
    @property
    def facts(self) -> str: ...  # a JSON object
    @property
    def has_deletions(self) -> bool: ...
    @property
    def has_ngrams(self) -> bool: ...
    @property
    def has_own_ids(self) -> bool: ...
    # kind is "merge", "delete" or "supermerge"
    def events(self) -> list[tuple[str, bytes, bytes, int]]: ...  # (kind, left, right, count)
    def merges(self) -> list[tuple[bytes, bytes, int]]: ...
    def supermerges(self) -> list[tuple[bytes, bytes, int]]: ...
    def token_bytes(self, id: int) -> bytes: ...
    def token_to_id(self, token: bytes) -> int | None: ...
    def is_superword(self, id: int) -> bool: ...
    def truncate(self, n_vocab: int) -> Model: ...
    def encode_ordinary(self, text: str) -> list[int]: ...
    def encode(self, text: str, allowed_special: Sequence[str]) -> list[int]: ...
    def encode_batch(
        self, texts: Sequence[str], allowed_special: Sequence[str], threads: int
    ) -> list[list[int]]: ...
    # Buffers of this machine's numbers: ids (uint32) and n + 1 offsets (uint64).
    def encode_flat(
        self, texts: Sequence[str], allowed_special: Sequence[str], threads: int
    ) -> tuple[NDArray[uint32], NDArray[uint64]]: ...
    # The buffers of a column of text: offsets of 32 (or `wide`: 64) bits, the bytes from the first
    # to the last, and a bit for each row that is there. The new offsets are as wide.
    def encode_arrow(
        self,
        offsets: NDArray[uint8],
        wide: bool,
        data: NDArray[uint8],
        there: NDArray[uint8] | None,
        allowed_special: Sequence[str],
        threads: int,
    ) -> tuple[NDArray[uint32], bytearray]: ...
    def count_tokens(
        self, texts: Sequence[str], allowed_special: Sequence[str], threads: int
    ) -> list[int]: ...
    def encode_with_offsets(
        self, text: str, allowed_special: Sequence[str], characters: bool
    ) -> tuple[list[int], list[tuple[int, int]]]: ...
    # A line of ids for each document; `end` is the byte that ends documents (empty: all is one).
    # None where something is wrong: not UTF-8, or not what the inverse writes.
    def encode_lines(
        self, documents: bytes, end: bytes, allowed_special: Sequence[str], threads: int
    ) -> bytes | None: ...
    def decode_lines(self, lines: bytes, end: bytes) -> bytes | None: ...
    # Encodes into the directory of `run` and writes the manifest. The result is that of
    # ShardRun.complete.
    def encode_files(
        self,
        sources: Sequence[Source],
        run: ShardRun,
        threads: int,
        progress: Callable[[str, str, int, int | None], None] | None,
    ) -> dict[str, Any]: ...
    # Bytes for each thread that encodes.
    def cache_bytes(self) -> int: ...
    def set_cache_bytes(self, bytes: int) -> None: ...
    def clear_cache(self) -> None: ...
    def decode_bytes(self, ids: Sequence[int]) -> bytes: ...

class ShardRun:
    """A directory of shards, locked for one run."""

    # `recipe`: model_sha256, n_vocab, dtype, eot_token (an id or None), shard_size, text_field,
    # on_error. `inputs`: kind ("file", "stdin" or "data"), name, format and fingerprint of each.
    def __init__(
        self,
        directory: str | PathLike[str],
        recipe: dict[str, Any],
        inputs: Sequence[tuple[str, str, str | None, str | None]],
        overwrite: bool,
    ) -> None: ...
    # What the directory holds if an earlier run finished it, else None: shards (a dict each, with
    # the fields of superword.shards.Shard), resumed, skipped, skipped_examples.
    def complete(self) -> dict[str, Any] | None: ...
    # Releases the lock, once the engine has stopped.
    def close(self) -> None: ...

def is_shard_directory_file(name: str) -> bool:
    """Whether encoding writes files of this name to a directory of shards."""

def replace_file(path: str | PathLike[str], content: bytes | Callable[[Path], object]) -> None:
    """Replace a file atomically, or create it.

    A function is called with the path of a temporary file that it fills. If it raises, or if
    writing fails (`SaveError`), the old file stays as it was.
    """

def create_directory(path: str | PathLike[str]) -> None:
    """Create a directory and its parents, unless it exists."""

def is_model_start(start: bytes) -> bool:
    """Whether a file that starts with these bytes is a model, of any version."""

def identity(path: str | PathLike[str]) -> tuple[int, int, str] | None:
    """Size, time of the last change (ns) and a hash of the first and last 64 kB of a file.

    None if it is not a regular file or cannot be read.
    """

def check_memory(options: dict[str, Any]) -> None:
    """Raise if counting cannot be done in `max_memory`; options as those of reading."""

def train(
    sources: Sequence[Source],
    options: dict[str, Any],
    progress: Callable[[str, str, int, int | None], None] | None,
) -> tuple[Model, dict[str, Any]]:
    """Train a model.

    `progress(phase, unit, done, total)` is called a few times a second from the calling thread;
    what it raises stops the work. The second result is a report of the run for people: timings,
    counts, skipped documents (not saved in the model).
    """

class Counts:
    """How often each pretoken of a text occurs. Immutable."""

    @staticmethod
    def from_dict(counts: dict[bytes, int], facts: str) -> Counts: ...
    def to_dict(self) -> dict[bytes, int]: ...
    @staticmethod
    def merge(parts: Sequence[Counts], facts: str) -> Counts: ...
    def with_facts(self, facts: str) -> Counts: ...  # shares the counts
    # Sorted by token, in batches: offsets into the bytes, the bytes, counts; all as Arrow lays
    # them out. Offsets have 32 bits on the way out and 64 bits on the way in.
    def columns(self) -> list[tuple[bytes, bytes, bytes]]: ...
    @staticmethod
    def from_columns(columns: Sequence[tuple[bytes, bytes, bytes]], facts: str) -> Counts: ...
    def get(self, token: bytes) -> int: ...  # 0 if it does not occur
    @property
    def facts(self) -> str: ...  # a JSON object: what a model records about the text
    def __len__(self) -> int: ...

class Candidates:
    """How often each run of tokens of a text occurs. Immutable; bound to no model."""

    @staticmethod
    def from_dict(
        counts: dict[tuple[bytes, ...], int], cut_below: int, facts: str
    ) -> Candidates: ...
    def to_dict(self) -> dict[tuple[bytes, ...], int]: ...
    @staticmethod
    def merge(parts: Sequence[Candidates], facts: str) -> Candidates: ...
    # As in Counts, with the offsets of each candidate into the tokens before the others.
    def columns(self) -> list[tuple[bytes, bytes, bytes, bytes]]: ...
    @staticmethod
    def from_columns(
        columns: Sequence[tuple[bytes, bytes, bytes, bytes]], cut_below: int, facts: str
    ) -> Candidates: ...
    @property
    def cut_below(self) -> int: ...  # bigrams that occur less often were cut; 1: nothing was
    @property
    def facts(self) -> str: ...  # a JSON object
    def __len__(self) -> int: ...

# The stages of `train`, each by itself. Results and reports are those of `train`; `options` are
# the parts of its options that matter to the stage (see TrainOptions.for_reading, for_learning).

def count_pretokens(
    sources: Sequence[Source],
    options: dict[str, Any],  # for_reading and pretokenizer
    progress: Callable[[str, str, int, int | None], None] | None,
) -> tuple[Counts, dict[str, Any]]: ...
def train_words(
    counts: Counts,
    options: dict[str, Any],  # for_learning and pretokenizer; the method is "bpe"
    progress: Callable[[str, str, int, int | None], None] | None,
) -> tuple[Model, str | None]:
    """Phase 1. The second result says why the vocabulary is smaller than asked for."""

def count_candidates(
    sources: Sequence[Source],
    model: Model,
    options: dict[str, Any],  # for_reading and cut_below: int | None
    progress: Callable[[str, str, int, int | None], None] | None,
) -> tuple[Candidates, dict[str, Any]]: ...
def train_superwords(
    model: Model,
    candidates: Candidates,
    options: dict[str, Any],  # for_learning, and facts: str (JSON) about another text
    progress: Callable[[str, str, int, int | None], None] | None,
) -> tuple[Model, str | None]:
    """Phase 2. The second result says why the vocabulary is smaller than asked for."""

def max_threads() -> int:
    """Return the largest number of threads that is accepted."""

def preset_names() -> list[str]: ...
def script_names() -> list[str]: ...

# Agreed between the Python modules and the engine.
#
# `options` of `train` holds exactly these keys (see TrainOptions.for_engine):
#   vocab_size: int            method: "bpe" | "boundless" | "superbpe"
#   supermerges: int | None    (an int exactly when method is "superbpe")
#   pretokenizer: Pretokenizer (of this module)
#   alphabet: "bytes" | "utf8" min_count: int >= 1
#   picky: float | None        picky_split: "parts" | "bytes"
#   greedy_split: "off" | "train" | "encode"
#   max_words: int | None      same_script: bool
#   boundary: "any" | "space"  veto: str | None
#   special_tokens: list[str]  threads: int (0: all cores)
#   text_field: str            sample: int | None (bytes)    seed: int
#   groups: (names with weights, the group of each source) | None
#   on_error: "stop" | "skip"
#
# The report, second result of `train`; a key that is absent counts as 0, None or empty:
#   documents: int             bytes: int (of text read)
#   skipped: int               skipped_examples: list[str] (the first few, "file:line: reason")
#   seconds: dict[str, float]  (by phase name, in order)
#   inputs: list[tuple[int, int, int]] (documents, bytes, skipped of each source, in order)
#   shortfall: str | None      (why the vocabulary is smaller than asked for)
#
# `Model.facts` has at least: version, bytes, documents, options (by the names above, without
# threads, text_field, on_error and pretokenizer: equal text gives equal files whatever holds it).
#
# Errors are raised as the classes of superword.errors, by name: Cls(message, hint=..., **facts).
# A str with a lone surrogate raises UnicodeEncodeError or TextError, an int that fits no id
# OverflowError or TokenError; the public modules turn the former into the latter.
# `Spool.read_stdin` keeps the raw bytes of standard input: the format of its source says how to
# cut them ("lines" unless told). A spool filled by `add` has format None: each str is a document.
