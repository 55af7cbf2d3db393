"""`superword plan`, and the options with which other commands follow a plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from superword._support.text import format_bytes, plural
from superword.cli.group import SectionedCommand, examples, on_stop, tell
from superword.cli.options import quiet_option, read_options, sectioned
from superword.cli.pretokenizers import pretokenizer_of, pretokenizer_options
from superword.errors import OptionError
from superword.inputs import parse_groups
from superword.plans import PARTITIONS, TASK_SIZE, Plan

__all__ = ["follow_options", "following", "plan"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

# Options that a sample of the whole text would need, and options of the process that reads.
_NOT_PLANNED = ("sample", "seed", "max_bytes", "threads", "max_memory")


@click.command(
    cls=SectionedCommand,
    short_help="Divide a corpus into tasks for many machines.",
    epilog=examples(
        "superword plan corpus/ -o plan.json",
        "superword plan '/data/**/*.jsonl.zst' --partitions 64 --task-size 4GB -o plan.json",
    ),
)
@click.argument("inputs", nargs=-1, required=True, type=click.Path(), metavar="INPUT...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The file to write, such as plan.json.",
)
@sectioned(
    "Plan",
    "--task-size",
    default=TASK_SIZE,
    show_default=True,
    metavar="SIZE",
    help="How much a task reads, in bytes on disk. A file is never divided.",
)
@sectioned(
    "Plan",
    "--partitions",
    type=int,
    default=PARTITIONS,
    show_default=True,
    metavar="P",
    help="How many parts of the counts can be added up independently.",
)
@pretokenizer_options
@read_options(*_NOT_PLANNED)
@quiet_option
def plan(inputs: tuple[str, ...], output: str, quiet: bool, **values: Any) -> None:
    """Divide files into tasks that can be counted on any machines, in any order.

    The plan records the files, how to read them and how to split their text. Run superword count
    --plan FILE --task N for each task. All machines must see the files under the same path.
    """
    on_stop("stopped; nothing was saved")
    pretokenizer = pretokenizer_of(values)
    made = Plan.make(parse_groups(inputs), pretokenizer=pretokenizer, **values)
    made.save(output)
    if not quiet:
        files = sum(len(task.inputs) for task in made.tasks)
        tell(
            f"planned {plural(len(made.tasks), 'task')} (0 to {len(made.tasks) - 1}) for "
            f"{plural(files, 'file')}, {format_bytes(made.bytes)}, with "
            f"{plural(made.partitions, 'partition')}: {output}"
        )


def follow_options(command: _Command) -> _Command:
    """Add --partitions, --plan and --task."""
    section = "In parts"
    for option in (
        sectioned(
            section,
            "--task",
            metavar="N",
            help="With --plan: which task to do, by number or name. It is skipped if it is done.",
        ),
        sectioned(
            section,
            "--plan",
            type=click.Path(dir_okay=False),
            metavar="FILE",
            help="Follow a plan (see superword plan), which names the inputs and options.",
        ),
        sectioned(
            section,
            "--partitions",
            type=int,
            metavar="P",
            help="Write a directory of P files that can be added up independently.",
        ),
    ):
        command = option(command)
    return command


def following(
    inputs: tuple[str, ...], plan: str | None, task: str | None, partitions: int | None
) -> tuple[Plan, int | str] | None:
    """The plan and the task to do. None if the inputs are given instead."""
    if plan is None:
        if task is not None:
            raise OptionError(
                "`task` was given without `plan`",
                hint="give the plan that the task belongs to",
                option="task",
            )
        if not inputs:
            raise click.UsageError("Missing argument 'INPUT...'.")
        return None
    if task is None:
        raise OptionError(
            "`plan` was given without `task`",
            hint="give the number of a task, such as --task 0",
            option="plan",
        )
    given = ["inputs"] if inputs else []
    given += ["partitions"] if partitions is not None else []
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        section = getattr(parameter, "section", None)
        if (
            section in ("Pretokenizer", "Input")
            and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        ):
            given.append(name)
    if given:
        raise OptionError(
            f"`{given[0]}` cannot be given with `plan`, which decides it",
            hint=f"leave `{given[0]}` out, or make another plan",
            option=given[0],
        )
    loaded = Plan.load(plan)
    return loaded, int(task) if task.isascii() and task.isdigit() else task
