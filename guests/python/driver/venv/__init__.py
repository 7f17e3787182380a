"""Environments: a folder with packages of its own, and commands that see them. The interpreter in it is a link to the
sandbox's own; pip is there in every environment.
"""

import os
import shutil
import sys

_PYTHONS = ("python3", "python", "python3.14")

_ACTIVATE = r"""# To be read by bash: source bin/activate
deactivate () {
    if [ -n "${_OLD_VIRTUAL_PATH:-}" ]; then
        PATH=$_OLD_VIRTUAL_PATH
        export PATH
        unset _OLD_VIRTUAL_PATH
    fi
    if [ -n "${_OLD_VIRTUAL_PYTHONHOME:-}" ]; then
        PYTHONHOME=$_OLD_VIRTUAL_PYTHONHOME
        export PYTHONHOME
        unset _OLD_VIRTUAL_PYTHONHOME
    fi
    if [ -n "${_OLD_VIRTUAL_PS1+x}" ]; then
        PS1=$_OLD_VIRTUAL_PS1
        unset _OLD_VIRTUAL_PS1
    fi
    hash -r 2> /dev/null
    unset VIRTUAL_ENV VIRTUAL_ENV_PROMPT
    if [ "${1:-}" != nondestructive ]; then
        unset -f deactivate
    fi
}
deactivate nondestructive
VIRTUAL_ENV=__FOLDER__
VIRTUAL_ENV_PROMPT=__PROMPT__
export VIRTUAL_ENV VIRTUAL_ENV_PROMPT
_OLD_VIRTUAL_PATH=$PATH
PATH=$VIRTUAL_ENV/bin:$PATH
export PATH
if [ -n "${PYTHONHOME:-}" ]; then
    _OLD_VIRTUAL_PYTHONHOME=$PYTHONHOME
    unset PYTHONHOME
fi
if [ -z "${VIRTUAL_ENV_DISABLE_PROMPT:-}" ]; then
    _OLD_VIRTUAL_PS1=${PS1:-}
    PS1="($VIRTUAL_ENV_PROMPT) ${PS1:-}"
fi
hash -r 2> /dev/null
"""


class EnvBuilder:
    """Makes environments."""

    def __init__(self, system_site_packages=False, clear=False, symlinks=True, upgrade=False, with_pip=False, prompt=None,
                 upgrade_deps=False, *, scm_ignore_files=frozenset()):
        self.system_site_packages, self.clear, self.with_pip = system_site_packages, clear, with_pip
        self.prompt = os.path.basename(os.getcwd()) if prompt == "." else prompt
        self.scm_ignore_files = scm_ignore_files

    def create(self, env_dir):
        """Make an environment in a folder."""
        folder = os.path.abspath(env_dir)
        if ":" in folder:
            raise ValueError(f"Refusing to create a venv in {env_dir} because it contains the PATH separator :.")
        if os.path.exists(folder) and not os.path.isdir(folder):
            raise ValueError(f"Unable to create directory {folder!r}")
        if self.clear and os.path.isdir(folder):
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        commands = os.path.join(folder, "bin")
        for path in (commands, os.path.join(folder, "include/python3.14"), os.path.join(folder, "lib/python3.14/site-packages")):
            os.makedirs(path, exist_ok=True)
        for name in _PYTHONS:
            self._link("/usr/bin/python3" if name == _PYTHONS[0] else _PYTHONS[0], os.path.join(commands, name))
        self._write(os.path.join(folder, "pyvenv.cfg"), self._settings(folder))
        if "git" in self.scm_ignore_files:
            self._write(os.path.join(folder, ".gitignore"), "# Created by venv; see https://docs.python.org/3/library/venv.html\n*\n")
        if self.with_pip:
            text = f"#!{commands}/python3\nimport sys\nfrom pip import main\nsys.exit(main())\n"
            for name in ("pip", "pip3", "pip3.14"):
                self._write(os.path.join(commands, name), text, 0o755)
        import shlex

        prompt = shlex.quote(self.prompt or os.path.basename(folder))
        activate = _ACTIVATE.replace("__FOLDER__", shlex.quote(folder)).replace("__PROMPT__", prompt)
        self._write(os.path.join(commands, "activate"), activate)

    def _settings(self, folder):
        lines = [
            "home = /usr/bin", f"include-system-site-packages = {str(self.system_site_packages).lower()}",
            f"version = {sys.version.partition(' ')[0]}", "executable = /usr/bin/python3",
        ]
        if self.prompt is not None:
            lines.append(f"prompt = {self.prompt!r}")
        lines.append(f"command = /usr/bin/python3 -m venv {folder}")
        return "\n".join(lines) + "\n"

    @staticmethod
    def _link(target, path):
        if not os.path.lexists(path):
            os.symlink(target, path)

    @staticmethod
    def _write(path, text, mode=0o644):
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)


def create(env_dir, system_site_packages=False, clear=False, symlinks=False, with_pip=False, prompt=None, upgrade_deps=False,
           *, scm_ignore_files=frozenset()):
    """Make an environment in a folder."""
    EnvBuilder(
        system_site_packages, clear, symlinks, False, with_pip, prompt, upgrade_deps, scm_ignore_files=scm_ignore_files
    ).create(env_dir)


def main(args=None):
    import argparse

    parser = argparse.ArgumentParser(
        prog="venv", description="Makes environments: folders with packages of their own.",
        epilog="To use one: source FOLDER/bin/activate",
    )
    parser.add_argument("folders", metavar="ENV_DIR", nargs="+", help="the folder to make it in")
    parser.add_argument("--system-site-packages", action="store_true", help="see the packages outside, too")
    # The interpreter can only be linked to, and is always the newest.
    for option in ("--symlinks", "--copies", "--upgrade", "--upgrade-deps"):
        parser.add_argument(option, action="store_true", help="accepted: the environment has a link to the sandbox's python3")
    parser.add_argument("--clear", action="store_true", help="empty the folder first")
    parser.add_argument("--without-pip", dest="with_pip", action="store_false", help="without the command pip")
    parser.add_argument("--prompt", help="what stands in front of the prompt")
    parser.add_argument("--without-scm-ignore-files", action="store_true", help="without a .gitignore")
    found = parser.parse_args(args)
    builder = EnvBuilder(
        found.system_site_packages, found.clear, with_pip=found.with_pip, prompt=found.prompt,
        scm_ignore_files=() if found.without_scm_ignore_files else ("git",),
    )
    for folder in found.folders:
        builder.create(folder)
