"""The dialogue of `python3` without a program."""

import code
import os
import sys


class _Console(code.InteractiveConsole):
    def raw_input(self, prompt=""):
        if sys.stdin.isatty():
            return input(prompt)
        # Prompts are no output of the program.
        sys.stderr.write(prompt)
        sys.stderr.flush()
        return input()

    def runcode(self, code):
        super().runcode(code)
        sys.stdout.flush()


def run(module, found):
    if found.how == "stdin":
        if not found.quiet:
            sys.stderr.write(
                f"Python {sys.version.split(' [')[0]} on Capsule\n"
                'Type "help", "copyright", "credits" or "license" for more information.\n'
            )
        _start_up(module, found)
    _Console(module.__dict__, "<stdin>").interact("", exitmsg="")


def _start_up(module, found):
    """Runs the file that PYTHONSTARTUP names."""
    path = None if found.ignore_environment else os.environ.get("PYTHONSTARTUP")
    if not path:
        return
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        sys.stderr.write(f"Could not open PYTHONSTARTUP\n{type(error).__name__}: {error}\n")
        return
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    except Exception as error:
        error.__traceback__ = error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
