"""The pages of the command line, generated from the program: one for each section of its help."""

from __future__ import annotations

import re

import click

__all__ = ["FOLDER", "examples_of", "generate"]

FOLDER = "command-line"
INTRODUCTION = """\
These pages are generated from the program. `superword COMMAND --help` prints the same text. The
[reference](../reference.md#command-line) has all commands in one table, with exit codes and what
goes to standard output. The [how-to guides](../how-to/README.md) show commands at work.
"""
# Tables without a visible head, whose first column is narrow: see theme/extra.css.
OPEN_TABLE = '<div class="options" markdown>\n'
CLOSE_TABLE = "\n</div>\n"
# What is not a sentence: flags, and words with a backslash or a dot in front, such as `.jsonl`.
_CODE = re.compile(r"(?<![\w`\\-])(--?[a-zA-Z0-9][\w-]*|\\\\?\w*|\.[a-z]\w+)(?![\w`-])")


def generate(program: click.Group) -> dict[str, str]:
    """All pages, by their names."""
    sections: dict[str, list[str]] = program.sections  # type: ignore[attr-defined]
    pages = {f"{FOLDER}/index.md": _index(program, sections)}
    for section, names in sections.items():
        parts = [f"# {section}\n", *(_command(program, name) for name in names)]
        pages[f"{FOLDER}/{_slug(section)}.md"] = "\n".join(parts)
    return pages


def examples_of(command: click.Command) -> str:
    """The examples in the help of a command, one per line, or an empty string."""
    _, _, lines = (command.epilog or "").partition("Examples:\n")
    return "\n".join(line.removeprefix("  ") for line in lines.splitlines())


def _index(program: click.Group, sections: dict[str, list[str]]) -> str:
    lines = ["# Command line\n", f"{program.help}\n", INTRODUCTION]
    for section, names in sections.items():
        lines += [f"## {section}\n", OPEN_TABLE, "| command | |", "|---|---|"]
        for name in names:
            link = f"{_slug(section)}.md#superword-{name}"
            lines.append(f"| [`superword {name}`]({link}) | {_summary(program.commands[name])} |")
        lines.append(CLOSE_TABLE)
    lines += ["## Options of the program itself\n", *_table(program, _context(program))]
    return "\n".join([*lines, *_examples(program)])


def _context(program: click.Group) -> click.Context:
    return click.Context(program, info_name="superword", **program.context_settings)


def _command(program: click.Group, name: str) -> str:
    command = program.commands[name]
    context = click.Context(command, info_name=name, parent=_context(program))
    usage = command.get_usage(context).removeprefix("Usage: ")
    lines = [f"## `superword {name}`\n", "```text", " ".join(usage.split()), "```\n"]
    help_text = (command.help or "").replace("\b\n", "")
    for paragraph in re.split(r"\n\s*\n", help_text.strip()):
        lines.append(_text(" ".join(paragraph.split())) + "\n")
    return "\n".join([*lines, *_examples(command), *_table(command, context)])


def _table(command: click.Command, context: click.Context) -> list[str]:
    """The options, in the sections and the order of the help."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option) and record is not None:
            section = getattr(parameter, "section", None) or ""
            sections.setdefault(section, []).append(record)
    general = sections.pop("", [])
    if general:
        sections["Other options" if sections else "Options"] = general
    lines = []
    for section, records in sections.items():
        lines += [
            f"**{section}**\n",
            OPEN_TABLE,
            "| option | |",
            "|---|---|",
        ]
        for flags, description in records:
            # A bar would end the cell.
            option = flags.replace("|", "\\|")
            lines.append(f"| `{option}` | {_text(description)} |")
        lines.append(CLOSE_TABLE)
    return lines


def _examples(command: click.Command) -> list[str]:
    examples = examples_of(command)
    return ["```sh", examples, "```\n"] if examples else []


def _summary(command: click.Command) -> str:
    return _text(command.get_short_help_str(80))


def _text(text: str) -> str:
    """Text of the help as Markdown: flags as code, everything else as it is."""
    pieces, last = [], 0
    for match in _CODE.finditer(text):
        pieces += [_escaped(text[last : match.start()]), f"`{match[0]}`"]
        last = match.end()
    return "".join([*pieces, _escaped(text[last:])])


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_<>\[\]|#])", r"\\\1", text)


def _slug(section: str) -> str:
    return section.lower().replace(" ", "-")
