#!/usr/bin/env python3
# /// script
# requires-python = ">=3.10"
# dependencies = ["fonttools==4.61.1", "unicodedata2==17.0.1"]
# ///
"""Write ``crates/superword/src/text/tables.rs``: the Unicode facts the engine needs.

General categories come from the package ``unicodedata2``, scripts from ``fonttools``; both carry
the Unicode Character Database, and both are pinned to releases that carry version 17.0.0.

    uv run tools/generate_unicode_tables.py            # write the file
    uv run tools/generate_unicode_tables.py --check    # fail if the file is stale

Without uv: ``pip install fonttools==4.61.1 unicodedata2==17.0.1`` and run it with that Python.
"""

from __future__ import annotations

import argparse
import sys
from importlib import metadata
from pathlib import Path

UNICODE = "17.0.0"
PACKAGES = {"unicodedata2": "17.0.1", "fonttools": "4.61.1"}
TARGET = Path(__file__).resolve().parent.parent / "crates/superword/src/text/tables.rs"

CODE_POINTS = 0x110000
BLOCK_BITS = 7
REAL_SCRIPTS = 172
UNREAL_SCRIPTS = ["Zyyy", "Zinh", "Zzzz"]  # Common, Inherited, Unknown: indices 0, 1, 2

CATEGORIES = [
    *("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No"),
    *("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So"),
    *("Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"),
]

# The scanners' classes, in the order of the constants in `unicode.rs`.
UPPER, LOWER, OTHER_LETTER, MARK, NUMBER, NEWLINE, SPACE, OTHER = range(8)
CLASS_OF_CATEGORY = {
    **dict.fromkeys(CATEGORIES, OTHER),
    **dict.fromkeys(["Lu", "Lt"], UPPER),
    **dict.fromkeys(["Ll"], LOWER),
    **dict.fromkeys(["Lm", "Lo"], OTHER_LETTER),
    **dict.fromkeys(["Mn", "Mc", "Me"], MARK),
    **dict.fromkeys(["Nd", "Nl", "No"], NUMBER),
    **dict.fromkeys(["Zs", "Zl", "Zp"], SPACE),
}
# White_Space is the separators and these controls (PropList.txt): 25 code points in all.
SPACE_CONTROLS = [0x09, 0x0B, 0x0C, 0x85]
NEWLINES = [0x0A, 0x0D]
WHITE_SPACE_COUNT = 25


def check_packages() -> None:
    """Stop unless the pinned packages are installed and have the expected Unicode version."""
    for package, wanted in PACKAGES.items():
        try:
            found = metadata.version(package)
        except metadata.PackageNotFoundError:
            found = "none"
        if found != wanted:
            sys.exit(f"error: needs {package}=={wanted}, found {found}\nhint: see --help")

    import unicodedata2
    from fontTools.unicodedata import Scripts

    if unicodedata2.unidata_version != UNICODE:
        sys.exit(f"error: unicodedata2 carries Unicode {unicodedata2.unidata_version}")
    if f"Scripts-{UNICODE}.txt" not in Path(Scripts.__file__).read_text(encoding="utf-8"):
        sys.exit(f"error: fonttools does not carry Scripts-{UNICODE}.txt")


def script_names() -> list[tuple[str, str]]:
    """Return (four-letter code, name) of every script in use; Common, Inherited, Unknown first."""
    from fontTools.unicodedata import Scripts

    used = set(Scripts.VALUES) | set(UNREAL_SCRIPTS)
    real = sorted(used - set(UNREAL_SCRIPTS), key=lambda code: Scripts.NAMES[code])
    if len(real) != REAL_SCRIPTS:
        sys.exit(f"error: {len(real)} real scripts, expected {REAL_SCRIPTS}")
    return [(code, Scripts.NAMES[code]) for code in UNREAL_SCRIPTS + real]


def entries(scripts: list[tuple[str, str]]) -> list[int]:
    """Return one 16-bit entry for each code point: class | category << 3 | script << 8."""
    import unicodedata2
    from fontTools.unicodedata import Scripts

    index_of = {code: index for index, (code, _) in enumerate(scripts)}
    script_at = [0] * CODE_POINTS
    bounds = [*Scripts.RANGES, CODE_POINTS]
    for start, end, code in zip(Scripts.RANGES, bounds[1:], Scripts.VALUES, strict=True):
        script_at[start:end] = [index_of[code]] * (end - start)

    result = []
    spaces = 0
    for code_point in range(CODE_POINTS):
        category = unicodedata2.category(chr(code_point))
        kind = CLASS_OF_CATEGORY[category]
        if code_point in NEWLINES:
            kind = NEWLINE
        elif code_point in SPACE_CONTROLS:
            kind = SPACE
        spaces += kind in (NEWLINE, SPACE)
        result.append(kind | CATEGORIES.index(category) << 3 | script_at[code_point] << 8)
    if spaces != WHITE_SPACE_COUNT:
        sys.exit(f"error: {spaces} code points of white space, expected {WHITE_SPACE_COUNT}")
    return result


def numbers(values: list[int]) -> str:
    """Write numbers as lines of at most 100 columns."""
    lines = [""]
    for value in values:
        item = f"{value},"
        if len(lines[-1]) + len(item) > 96:
            lines.append("")
        lines[-1] += item
    return "\n".join("    " + line for line in lines)


def generate() -> str:
    """Return the text of ``tables.rs``."""
    scripts = script_names()
    flat = entries(scripts)
    size = 1 << BLOCK_BITS
    blocks: dict[tuple[int, ...], int] = {}
    stage_1 = [
        blocks.setdefault(tuple(flat[start : start + size]), len(blocks))
        for start in range(0, CODE_POINTS, size)
    ]
    stage_2 = [entry for block in blocks for entry in block]
    names = "\n".join(f'    ("{code}", "{name}"),' for code, name in scripts)
    categories = ", ".join(f'"{name}"' for name in CATEGORIES)
    packages = ", ".join(f"{name} {version}" for name, version in PACKAGES.items())
    return f"""\
//! Unicode {UNICODE}: class, general category and script of every code point.
//!
//! Generated by `tools/generate_unicode_tables.py` from the packages {packages}. Do not edit.
//!
//! The entry of code point `c` is
//! `STAGE_2[STAGE_1[c >> {BLOCK_BITS}] << {BLOCK_BITS} | c & {size - 1}]`:
//! class in bits 0..3, index into `CATEGORIES` in bits 3..8, index into `SCRIPTS` in bits 8..16.

/// Code points share a block of `1 << BLOCK_BITS`.
pub(super) const BLOCK_BITS: u32 = {BLOCK_BITS};

/// The general categories, by index.
#[rustfmt::skip]
pub(super) static CATEGORIES: [&str; {len(CATEGORIES)}] = [
    {categories},
];

/// The scripts by index, as four-letter code and name; the first three are not real scripts.
#[rustfmt::skip]
pub(super) static SCRIPTS: [(&str, &str); {len(scripts)}] = [
{names}
];

/// The block of each group of code points.
#[rustfmt::skip]
pub(super) static STAGE_1: [u16; {len(stage_1)}] = [
{numbers(stage_1)}
];

/// The blocks, one after another.
#[rustfmt::skip]
pub(super) static STAGE_2: [u16; {len(stage_2)}] = [
{numbers(stage_2)}
];
"""


def main() -> None:
    """Write the file, or compare it with ``--check``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    arguments = parser.parse_args()
    check_packages()
    text = generate()
    if not arguments.check:
        TARGET.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {TARGET}: {len(text):,} bytes")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        sys.exit(f"error: {TARGET} is not what this script writes\nhint: run it without --check")
    else:
        print(f"{TARGET} is up to date")


if __name__ == "__main__":
    main()
