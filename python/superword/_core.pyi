"""The engine. Everything here is wrapped by the public modules; use those."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from numpy import int64, uint8, uint32, uint64
from numpy.typing import NDArray

__version__: str

# A text is a str, or bytes in UTF-8.
_Text: TypeAlias = str | bytes | bytearray | memoryview
_Texts: TypeAlias = Sequence[_Text] | Column

class NotTextError(ValueError):
    """A text that is to be encoded is not valid Unicode. The argument is its number."""

class Column:
    """A column of text without nulls, in the place of several texts; see `Model.encode_arrow`."""

    def __new__(cls, offsets: NDArray[uint8], wide: bool, data: NDArray[uint8]) -> Column: ...

# The UTF-8 of each text. If `direct`, strings are read where Python stores them, as they are when
# they are encoded. Otherwise they are read through Python. Tests compare both.
def texts_as_utf8(texts: _Texts, direct: bool) -> list[bytes]: ...

# Whether encoding reads strings where Python stores them. False in versions of Python whose strings
# are not known to superword.
def reads_strings_directly() -> bool: ...

class Pretokenizer:
    """A compiled pretokenizer. Immutable."""

    @staticmethod
    def preset(name: str) -> Pretokenizer: ...
    @staticmethod
    def custom(
        pattern: str, script_pattern: str | None, scripts: Sequence[str] | None, eligible: str
    ) -> Pretokenizer: ...
    def or_preset(self) -> Pretokenizer: ...
    @property
    def name(self) -> str | None: ...
    @property
    def meaning(self) -> str | None: ...
    @property
    def pattern(self) -> str: ...
    @property
    def script_pattern(self) -> str | None: ...
    @property
    def scripts(self) -> list[str]: ...
    @property
    def eligible(self) -> str: ...
    def split(self, text: str) -> list[str]: ...
    def word_shapes(self) -> list[tuple[str, str, str, str]] | None: ...
    def is_eligible(self, pretoken: str) -> bool: ...

class Spool:
    """Documents from Python, kept in a temporary file so that training can read them twice."""

    def __new__(cls) -> Spool: ...
    def add(self, texts: Sequence[str]) -> None: ...
    def read_stdin(self) -> None: ...

class Batches:
    """A column of texts that can be read any number of times.

    `open()` iterates over all batches: 64-bit offsets into the bytes, the bytes, and the validity
    bitmap (None if no text is null). `size` is an estimate of the bytes of all text.
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
    # Has the form of the report of `train`. Complete once `next` has returned None.
    def report(self) -> dict[str, Any]: ...

class WorkDir:
    """A directory for intermediate results, locked for one run. Created if it does not exist.

    It stays locked until it is closed and no training uses it, or until the process ends. Removes
    the temporary files that a killed run left in it. WorkDirInUseError if another run has locked
    it.
    """

    def __new__(cls, path: str) -> WorkDir: ...
    def close(self) -> None: ...

# A source: a path, a spool or batches, and the format ("jsonl", "text", "lines", "paragraphs") or
# None to choose it by the file name.
Source = tuple[str | Spool | Batches, str | None]

# An added token: text, id, special, lstrip, rstrip, single_word, normalized.
# phase, unit, done, total, step, share, expected; see `train`
_Progress = Callable[..., object]
_Added = tuple[str, int, bool, bool, bool, bool, bool]

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
        events: Sequence[tuple[str, bytes, bytes, int]],  # as `events` returns
        ids: dict[bytes, int] | None,  # of every token; None: numbered as they enter
        added_tokens: Sequence[_Added],
        facts: str,  # a JSON object
        *,
        normalizer: str | None = None,  # "nfc" or "nfkc"
        whole_pieces: bool = False,
        order: Sequence[int] | None = None,  # the rank of each merge, in the order of the events
        unmade: Sequence[tuple[bytes, int]] = [],  # tokens that no merge makes; needs `ids`
        settings: str = "{}",  # a JSON object
        picky_split: str = "parts",  # what replaces deleted tokens
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
    def special_tokens(self) -> dict[str, int]: ...  # those of `added_tokens` that are special
    @property
    def added_tokens(self) -> list[_Added]: ...
    def added_to_id(self, text: str) -> int | None: ...
    @property
    def normalizer(self) -> str | None: ...
    @property
    def whole_pieces(self) -> bool: ...
    @property
    def order(self) -> list[int] | None: ...
    @property
    def unmade(self) -> list[tuple[bytes, int]]: ...
    @property
    def settings(self) -> str: ...  # a JSON object
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
    def encode(self, text: _Text, allowed_special: Sequence[str]) -> list[int]: ...
    def encode_batch(
        self, texts: _Texts, allowed_special: Sequence[str], threads: int
    ) -> list[list[int]]: ...
    # The ids of all texts, and n + 1 offsets: 0, then the end of each text in the ids. If `one`,
    # `texts` is a single text.
    def encode_flat(
        self,
        texts: _Texts | _Text,
        allowed_special: Sequence[str],
        threads: int,
        one: bool,
    ) -> tuple[NDArray[uint32], NDArray[uint64]]: ...
    # Takes the buffers of a column of text: offsets of 32 bits (64 if `wide`), the bytes from the
    # first offset to the last, and the validity bitmap. Returns ids, and offsets of the same width.
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
        self,
        texts: _Texts | _Text,
        allowed_special: Sequence[str],
        threads: int,
        one: bool,
    ) -> list[int]: ...
    def encode_with_offsets(
        self, text: _Text, allowed_special: Sequence[str], characters: bool
    ) -> tuple[list[int], list[tuple[int, int]]]: ...
    # The ids of all texts, the offsets of the texts in them (as `encode_flat`), and the start and
    # end of each token in its text.
    def encode_offsets_flat(
        self, texts: _Texts, allowed_special: Sequence[str], threads: int, characters: bool
    ) -> tuple[NDArray[uint32], NDArray[uint64], NDArray[uint64], NDArray[uint64]]: ...
    # A line of ids for each document, and the inverse. `end` is the byte that ends a document; if
    # empty, all text is one document. None if the text is not UTF-8, or if the lines are not what
    # `encode_lines` writes.
    def encode_lines(
        self, documents: bytes, end: bytes, allowed_special: Sequence[str], threads: int
    ) -> bytes | None: ...
    def decode_lines(self, lines: bytes, end: bytes) -> bytes | None: ...
    # Encodes into the directory of `run` and writes the manifest. Returns the same as
    # ShardRun.complete.
    def encode_files(
        self,
        sources: Sequence[Source],
        run: ShardRun,
        threads: int,
        progress: _Progress | None,
    ) -> dict[str, Any]: ...
    # The size of the cache of each encoding thread.
    def cache_bytes(self) -> int: ...
    def set_cache_bytes(self, bytes: int) -> None: ...
    def clear_cache(self) -> None: ...
    def decode_bytes(self, ids: Sequence[int]) -> bytes: ...

class ShardRun:
    """A directory of shards, locked for one run."""

    # `recipe`: model_sha256, n_vocab, format, dtype, eot_token (an id or None), shard_size,
    # text_field, on_error. `inputs`: kind ("file", "stdin" or "data"), name, format and fingerprint
    # of each. `create_table(path)` starts a Parquet file: an object with the methods
    # append(ids, offsets), finish() and abandon(). Only the format parquet needs it.
    def __init__(
        self,
        directory: str | PathLike[str],
        recipe: dict[str, Any],
        inputs: Sequence[tuple[str, str, str | None, str | None]],
        overwrite: bool,
        create_table: Callable[[Path], object] | None,
    ) -> None: ...
    # The content of the directory if an earlier run completed it, else None: shards (a dict each,
    # with the fields of superword.shards.Shard), resumed, skipped, skipped_examples.
    def complete(self) -> dict[str, Any] | None: ...
    # Releases the lock as soon as the engine has stopped.
    def close(self) -> None: ...

class PackedIds:
    """A packed shard whose file is mapped into memory. `path` is for messages."""

    def __init__(self, file: NDArray[uint8], path: str | PathLike[str]) -> None: ...
    # The number of ids, the number of documents, the bits of an id, and the bytes of the type that
    # the shard was written for.
    def facts(self) -> tuple[int, int, int, int]: ...
    def get(self, at: int) -> int: ...
    # Fill a contiguous array of uint16, uint32, int32, uint64 or int64.
    def read(self, out: NDArray[Any], start: int) -> None: ...
    def read_windows(self, out: NDArray[Any], starts: NDArray[int64], length: int) -> None: ...
    # Raises an error if the ids have changed since they were written.
    def verify(self) -> None: ...

def pack_ids(ids: NDArray[uint32], documents: int, bits: int) -> bytes:
    """Return the content of a packed shard."""

def files_of_shards(directory: str | PathLike[str], will_be_written: bool) -> list[str]:
    """Return the files that encoding wrote to a directory: shards, records, temporary files.

    Empty if the directory holds no shards, except for the names of records in a directory that
    encoding will write to.
    """

def is_shard_file_name(format: str, name: str) -> bool:
    """Whether a shard in this format has files of this name."""

def shard_dtypes(format: str, n_vocab: int) -> list[str]:
    """Return the types that can hold the ids of a vocabulary in a format, the best first."""

def replace_file(path: str | PathLike[str], content: bytes | Callable[[Path], object]) -> None:
    """Replace a file atomically, or create it.

    A function is called with the path of a temporary file, and writes the content to it. If it
    raises, or if writing fails (`SaveError`), the old file is unchanged.
    """

def create_directory(path: str | PathLike[str]) -> None:
    """Create a directory and its parents, unless it exists."""

def is_model_start(start: bytes) -> bool:
    """Whether a file that starts with these bytes is a model, of any version."""

def identity(path: str | PathLike[str]) -> tuple[int, int, str] | None:
    """Size, modification time (ns) and a hash of the first and last 64 kB of a file.

    None if it is not a regular file or cannot be read.
    """

def check_memory(options: dict[str, Any]) -> None:
    """Raise if counting is impossible within `max_memory`. Takes the options for reading."""

def train(
    sources: Sequence[Source],
    options: dict[str, Any],
    progress: _Progress | None,
) -> tuple[Model, dict[str, Any]]:
    """Train a model.

    `progress` is called a few times a second on the calling thread, with the phase, the unit, what
    is done, the total, the step, the share of the step that is done, by time, and for each phase
    the tokens and merges that are expected in it. An exception in it stops the work. The second
    result is a report of the run: timings, peak memory, counts and skipped documents. It is not
    saved in the model.
    """

def evaluate(
    sources: Sequence[Source],
    models: Sequence[Model],
    options: dict[str, Any],
    progress: _Progress | None = None,
) -> dict[str, Any]:
    """Read all documents and encode them with every model. Returns counts.

    `options` are those of ReadOptions.for_reading, `group_of` (the group of each source, numbered
    from 0) and `top_words`. The result is the report of `train`, `top_words` of all groups, and
    `groups`: of each characters, lines, words, spaces, word_ends, sentence_ends, line_ends,
    document_bytes and document_characters (arrays), top_words, and `models`: of each uses (an array
    by id), document_tokens (an array), continued_words, cut_spaces, cut_word_ends,
    cut_sentence_ends, cut_line_ends (those that are token boundaries), and tokens_without (None if
    it follows from the uses).
    """

def describe_tokens(model: Model) -> dict[str, Any]:
    """Return arrays by id.

    kinds (0: no token, 1: ordinary, 2: superword, 3: special), characters (whole ones), partial,
    words (pretokens that it joins), scripts (a list).
    """

def event_uses(model: Model, emitted: NDArray[uint64]) -> tuple[NDArray[uint64] | None, str | None]:
    """Return how often each event applies in a text with these counts by id.

    Without the event and all later ones, the text has that many more tokens. If this does not
    follow from the counts, the second result is the reason.
    """

def supermerge_uses(
    model: Model, emitted: NDArray[uint64]
) -> tuple[NDArray[uint64] | None, str | None]:
    """Return the same for supermerges only, while all merges stay."""

def only_steps(model: Model, emitted: NDArray[uint64]) -> int:
    """Return how many tokens do not occur, although tokens that do are made from them."""

class Counts:
    """How often each pretoken of a text occurs. Immutable."""

    @staticmethod
    def from_dict(counts: dict[bytes, int], facts: str) -> Counts: ...
    def to_dict(self) -> dict[bytes, int]: ...
    @staticmethod
    def merge(parts: Sequence[Counts], facts: str) -> Counts: ...
    def with_facts(self, facts: str) -> Counts: ...  # shares the counts
    # Sorted by token, in batches: offsets into the bytes, the bytes, counts, in the layout of
    # Arrow. `columns` returns 32-bit offsets; `from_columns` takes 64-bit offsets.
    def columns(self) -> list[tuple[bytes, bytes, bytes]]: ...
    # The same for each of several partitions, with its checksum.
    def partitioned(self, of: int) -> list[tuple[list[tuple[bytes, bytes, bytes]], int]]: ...
    @staticmethod
    def from_columns(columns: Iterable[tuple[bytes, bytes, bytes]], facts: str) -> Counts: ...
    def partition(self, number: int, of: int) -> Counts: ...
    # The second result: how many rows were dropped, the sum of their counts, their checksum.
    def without_rare(self, min_count: int) -> tuple[Counts, tuple[int, int, int]]: ...
    def checksum(self) -> int: ...
    def get(self, token: bytes) -> int: ...  # 0 if it does not occur
    @property
    def facts(self) -> str: ...  # a JSON object: the facts about the text that a model records
    def __len__(self) -> int: ...

class Candidates:
    """How often each run of tokens of a text occurs. Immutable, and independent of a model."""

    @staticmethod
    def from_dict(
        counts: dict[tuple[bytes, ...], int], cut_below: int, facts: str
    ) -> Candidates: ...
    def to_dict(self) -> dict[tuple[bytes, ...], int]: ...
    @staticmethod
    def merge(parts: Sequence[Candidates], facts: str) -> Candidates: ...
    # As in Counts, preceded by the offsets of the candidates into the list of tokens.
    def columns(self) -> list[tuple[bytes, bytes, bytes, bytes]]: ...
    def partitioned(self, of: int) -> list[tuple[list[tuple[bytes, bytes, bytes, bytes]], int]]: ...
    @staticmethod
    def from_columns(
        columns: Iterable[tuple[bytes, bytes, bytes, bytes]], cut_below: int, facts: str
    ) -> Candidates: ...
    def partition(self, number: int, of: int) -> Candidates: ...
    def without_rare(self, min_count: int) -> tuple[Candidates, tuple[int, int, int]]: ...
    def with_facts(self, facts: str) -> Candidates: ...  # shares the candidates
    def checksum(self) -> int: ...
    @property
    def cut_below(self) -> int: ...  # runs were cut at bigrams that occur less often; 1: not cut
    @property
    def facts(self) -> str: ...  # a JSON object
    def __len__(self) -> int: ...

# The stages of `train`. Results and reports are those of `train`; `options` are the ones that
# apply to the stage (see ReadOptions.for_reading, TrainOptions.for_learning).

class BigramBounds:
    """Upper bounds on the counts of the bigrams of a text. Immutable."""

    @staticmethod
    def merge(parts: Sequence[BigramBounds]) -> BigramBounds: ...
    # Bounds that are good for this threshold only, and small as a slice.
    def above(self, threshold: int) -> BigramBounds: ...
    def slice(self, number: int, of: int) -> bytes: ...
    # Each slice with its number. What no slice covers is 0.
    @staticmethod
    def from_slices(slices: Iterable[tuple[int, bytes]], of: int) -> BigramBounds: ...
    def digest(self) -> str: ...

def guess_cut(model: Model, bounds: BigramBounds, options: dict[str, Any]) -> int:
    """Guess where candidates can be cut without changing the superwords; for_learning options."""

def count_pretokens(
    sources: Sequence[Source],
    # for_reading and pretokenizer; bounds: bool, allow_empty: bool, both False if missing
    options: dict[str, Any],
    progress: _Progress | None,
) -> tuple[Counts, dict[str, Any], BigramBounds | None]: ...
def train_words(
    counts: Counts,
    options: dict[str, Any],  # for_learning and pretokenizer; the method is "bpe"
    progress: _Progress | None,
) -> tuple[Model, str | None]:
    """Phase 1. The second result says why the vocabulary is too small, if it is."""

def count_candidates(
    sources: Sequence[Source],
    model: Model,
    # for_reading and cut_below: int | None; if bounds: BigramBounds is there, cuts are those of the
    # text of the bounds; allow_empty: bool
    options: dict[str, Any],
    progress: _Progress | None,
) -> tuple[Candidates, dict[str, Any]]: ...
def train_superwords(
    model: Model,
    candidates: Candidates,
    options: dict[str, Any],  # for_learning; facts: str | None (JSON), if not those of `model`
    progress: _Progress | None,
) -> tuple[Model, str | None]:
    """Phase 2. The second result says why the vocabulary is too small, if it is."""

def max_threads() -> int:
    """Return the largest number of threads that is accepted."""

_Content = tuple[str | None, bytes]  # the name of a file for errors, and what is in it
_Special = Sequence[tuple[str, int]]  # special tokens with their ids

def file_kind(file: _Content) -> str:
    """What a file is: "superword", "huggingface", "tiktoken", "tekken" or "paper"."""

def import_huggingface(
    file: _Content,  # a tokenizer.json
    configs: Sequence[_Content],  # tokenizer_config.json and the like; the last one counts
    ignore_normalizer: bool,
) -> Model: ...
def import_old_huggingface(
    vocab: _Content,  # a vocab.json
    merges: _Content,  # a merges.txt
    added: _Content | None,  # an added_tokens.json
    configs: Sequence[_Content],
    ignore_normalizer: bool,
) -> Model: ...
def import_tiktoken(
    file: _Content,
    sidecar: _Content | None,  # used for what is not given
    pattern: str | None,  # or the name of a preset
    special_tokens: _Special | None,
) -> Model: ...
def import_ranks(
    ranks: dict[bytes, int], pattern: str | None, special_tokens: _Special | None
) -> Model: ...
def import_tekken(file: _Content) -> Model: ...
def read_sidecar(file: _Content) -> tuple[str, list[tuple[str, int]]]:
    """The pattern and the special tokens of the .json file beside a .tiktoken file."""

def byte_chars() -> str:
    """The character of each byte in the byte alphabet of GPT-2."""

def roles() -> list[str]:
    """The roles that an added token can have: "bos_token" and so on."""

def deepseek_splits() -> list[str]:
    """The splits of DeepSeek V3, one after the other, as they are published."""

def preset_names() -> list[str]: ...
def script_names() -> list[str]: ...

# The contract between the Python modules and the engine.
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
# The report, the second result of `train`. A missing key means 0, None or empty:
#   documents: int             bytes: int (of text read)
#   skipped: int               skipped_examples: list[str] (the first few, "file:line: reason")
#   seconds: dict[str, float]  (by phase name, in order)
#   inputs: list[tuple[int, int, int]] (documents, bytes, skipped of each source, in order)
#   shortfall: str | None      (why the vocabulary is smaller than requested)
#
# `Model.facts` has at least: version, bytes, documents, options (by the names above, without
# threads, text_field, on_error and pretokenizer: equal text gives equal files, in whatever format
# it is stored).
#
# Errors are raised as the classes of superword.errors, by name: Cls(message, hint=..., **facts).
# A str with a lone surrogate raises UnicodeEncodeError or TextError. An int outside the range of
# ids raises OverflowError or TokenError. The public modules turn the former into the latter.
# `Spool.read_stdin` buffers the raw bytes of standard input, which are split by the format of the
# source ("lines" by default). A spool filled by `add` has format None: each str is a document.
