"""The command `strada`. Each subcommand lives in its own module, loaded when it is asked for."""

from __future__ import annotations

import importlib
import os
import sys

import click

from companion.board import BadInputError, NotNowError
from companion.cli.options import one_line

#: The exit status if it may work in a minute, as with a port that is taken: EX_TEMPFAIL of sysexits.h.
NOT_NOW = 75

#: Subcommand -> (its module and, if that holds several, its function; one line of help). Loading on demand keeps
#: `strada referee` free of OpenCV and Flask.
COMMANDS = {
    "align": ("companion.cli.align:align_command", "Find the board in a photograph."),
    "backup": ("companion.cli.games:backup_command", "Write all games with their pictures into a file."),
    "diagnose": ("companion.cli.diagnose", "Pack what a bug report needs, without names, into a file."),
    "doctor": ("companion.cli.doctor", "Look at the machine under the companion, and say what to do."),
    "export": ("companion.cli.games:export_command", "Give out a game of the logbook: record, pictures, evidence."),
    "forget": ("companion.cli.games:forget_command", "Delete a game of the logbook, or its pictures."),
    "games": ("companion.cli.games:games_command", "List the games of the logbook."),
    "hub": ("hub.command", "Show many tables in one room, and keep what each of them tells."),
    "keep": ("companion.cli.keep", "Decide at the table: done, undo, correct a cell, accept, pause, end."),
    "lens": ("companion.cli.align:lens_command", "Calibrate the camera's lens from photographs of a printed board."),
    "news": ("companion.cli.doctor:news_command", "Ask whether a newer version is out, if the settings say whom."),
    "network": ("companion.cli.network", "Show how phones get to the table; open or close its own Wi-Fi."),
    "panel": ("companion.cli.panel", "Try out lamps, buzzer and button."),
    "read": ("companion.cli.watch:read_command", "Read every photograph of a table."),
    "record": ("companion.cli.watch:record_command", "Write a watched or played game down as a game record."),
    "referee": ("companion.cli.replay:referee_command", "Judge game records."),
    "replay": ("companion.cli.replay", "Step through a game record."),
    "restore": ("companion.cli.games:restore_command", "Bring a backup back; what is there is put aside."),
    "run": ("companion.cli.run", "Start the companion; without a camera, on a drawn table."),
    "statistics": ("companion.cli.games:statistics_command", "Say who wins how often, by seat and by player."),
    "update": ("companion.cli.update", "Say which update is on offer, and install it if you say yes."),
    "watch": ("companion.cli.watch", "Referee a photographed evening."),
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), name or "command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in sorted(COMMANDS)])


@click.group(cls=_LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="strada")
@click.pass_context
def group(context: click.Context) -> None:
    """Strada, the companion at the table for La Strada."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """Run the command line.

    Bad input is one line on standard error and exit status 2, or NOT_NOW if it may work later.
    """
    # Set before numpy is loaded: on pictures as small as ours, its threads only wait for each other, at full load.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        sys.exit(group.main(prog_name="strada", standalone_mode=False))
    except BadInputError as error:
        complaint, status = str(error), NOT_NOW if isinstance(error, NotNowError) else 2
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "strada"
        complaint = f"{error.format_message().rstrip('.')}; see {path} --help"
        status = 2
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:  # `strada watch ... | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    print(f"strada: {one_line(complaint)}", file=sys.stderr)
    sys.exit(status)
