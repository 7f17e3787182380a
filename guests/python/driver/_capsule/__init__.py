"""What makes the interpreter behave as `python3` does on Linux.

* `kernel`: calls of Capsule's kernel, through the interpreter's one host function
* `errors`: Linux's error numbers in the place of WASI's
* `system`, `files`: the functions of `os` that WASI has not
* `signals`: signals; `timers`: alarms
* `threads`, `switch`, `memory`: threads that take turns, and how one leaves its stack
* `locks`: `_thread` for them; `waits`: calls that wait; `sentinels`: `iter(q.get, None)`
* `processes`: `multiprocessing` by starting processes anew
* `network`: HTTP through what libraries take for sockets
* `hashes`: the key of string hashes
* `locales`: the one locale there is
* `zone`: local time by TZ
* `dates`: the directives of `strftime`
* `frames`: the stack as a program sees it
* `seeds`: `random` seeded with a float
* `absent`: what cannot work here, each with the reason
* `options`, `usage`: the command line
* `settings`: the interpreter's own settings
* `environments`: environments of packages
* `streams`: standard input, output and error
* `dialogue`: the prompt
* `run`: from the command line to the exit status

`setup.py` installs all of it once, when the guest is built; a process only runs `run.main`.
"""
