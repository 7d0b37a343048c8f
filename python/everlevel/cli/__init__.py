"""The command line: ``everlevel info | keygen | inspect | bench | failures | demo``."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence

from .. import __version__
from ..errors import EverlevelError
from . import _bench, _demo, _failures, _info, _inspect, _keygen

__all__ = ["main"]

_COMMANDS = (_info, _keygen, _inspect, _bench, _failures, _demo)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line without the program's name; the process's, if left out.

    Returns
    -------
    int
        Exit status: 0, or 1 after an error, of which one line on stderr tells. A command line that can't be read exits
        with 2, Ctrl-C with 130.
    """
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # what reads our output has seen enough
        sys.stderr.close()
        return 1
    except OSError as error:
        if error.filename is not None:
            raise
        # What is left is written nowhere: Python tries again when it ends.
        with open(os.devnull, "wb") as nowhere, contextlib.suppress(OSError, ValueError):
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        print(f"everlevel: the output can't be written ({error.strerror}); send it elsewhere", file=sys.stderr)
        return 1


def _run(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except EverlevelError as error:
        print(f"everlevel: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("everlevel: stopped", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="everlevel", description="Fully homomorphic encryption around bootstrapping.")
    parser.add_argument("--version", action="version", version=f"everlevel {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in _COMMANDS:
        name = command.__name__.rpartition("_")[2]
        about = (command.__doc__ or "").strip()
        described = commands.add_parser(
            name, help=about.split("\n")[0], description=about, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        command.add_options(described)
        described.set_defaults(run=command.run)
    return parser
