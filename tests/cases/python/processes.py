### run
import subprocess as s
r = s.run(["echo", "hello"], capture_output=True, text=True); print(r.stdout, r.returncode, r.args, r.stderr)
### run with input
import subprocess as s
print(s.run(["tr", "a-z", "A-Z"], input="abc", text=True, capture_output=True).stdout, s.run("cat; exit 4", shell=True, input=b"x", stdout=s.PIPE))
### check
import subprocess as s
try: s.run(["false"], check=True)
except s.CalledProcessError as e: print(e, e.returncode)
print(s.check_output("echo a; echo b >&2", shell=True, stderr=s.STDOUT, text=True), s.call("exit 3", shell=True), s.getoutput("echo hi"), s.getstatusoutput("exit 2"))
### a program that is not there
import subprocess as s
try: s.run(["no_such_program_x"])
except FileNotFoundError as e: print(e, e.filename)
try: s.run(["ls"], cwd="/no/such/dir")
except FileNotFoundError as e: print(e)
print(s.run("no_such_program_x", shell=True, stderr=s.DEVNULL).returncode)
### not executable
import subprocess as s, os
open("plain", "w").write("echo hi\n")
try: s.run(["./plain"])
except PermissionError as e: print(e)
open("script", "w").write("#!/bin/sh\necho from script $1\n"); os.chmod("script", 0o755); print(s.check_output(["./script", "x"]))
### popen and pipes between children
import subprocess as s
a = s.Popen(["printf", "b\\na\\nc\\n"], stdout=s.PIPE); b = s.Popen(["sort"], stdin=a.stdout, stdout=s.PIPE, text=True); a.stdout.close(); print(b.communicate()[0].split(), a.wait(), b.returncode)
### streaming
import subprocess as s
p = s.Popen("for i in 1 2 3; do echo $i; done", shell=True, stdout=s.PIPE, text=True)
for line in p.stdout: print("line", line.strip())
print(p.wait(), p.poll())
### talking with a child
import subprocess as s
p = s.Popen(["cat"], stdin=s.PIPE, stdout=s.PIPE, text=True, bufsize=1)
for w in ("one", "two"): p.stdin.write(w + "\n"); p.stdin.flush(); print(p.stdout.readline().strip())
p.stdin.close(); print(p.wait())
### timeout
import subprocess as s, time
t = time.monotonic()
try: s.run(["sleep", "5"], timeout=0.1)
except s.TimeoutExpired as e: print(e.cmd, round(e.timeout, 1))
print(time.monotonic() - t < 4)
### kill and terminate
import subprocess as s
p = s.Popen(["sleep", "10"]); print(p.poll()); p.kill(); print(p.wait()); p = s.Popen(["sleep", "10"]); p.terminate(); print(p.wait())
### environment and cwd
import subprocess as s, os
os.mkdir("sub"); print(s.check_output("pwd | sed 's/.*\\///'; echo $X", shell=True, cwd="sub", env={"X": "y", "PATH": os.environ["PATH"]}, text=True))
### large output and input
import subprocess as s
print(len(s.run(["seq", "100000"], capture_output=True).stdout), len(s.run(["cat"], input=b"x" * 1000000, capture_output=True).stdout))
### files as streams
import subprocess as s
with open("o", "w") as f: s.run(["echo", "to file"], stdout=f)
with open("o") as f: print(s.run(["cat"], stdin=f, capture_output=True, text=True).stdout)
print(s.run("echo err >&2", shell=True, stderr=s.PIPE).stderr, s.run(["echo"], stdout=s.DEVNULL).stdout)
### os.system and popen
import os
print(os.system("exit 3") >> 8, os.waitstatus_to_exitcode(os.system("exit 7")), os.popen("echo a; echo b").read(), os.popen("exit 2").close())
### wait and exit codes
import os, subprocess as s
p = s.Popen(["sh", "-c", "exit 9"]); pid, st = os.waitpid(p.pid, 0); print(pid == p.pid, os.WIFEXITED(st), os.WEXITSTATUS(st)); p = s.Popen(["sh", "-c", "kill -9 $$"]); pid, st = os.waitpid(p.pid, 0); print(os.WIFSIGNALED(st), os.WTERMSIG(st), os.waitstatus_to_exitcode(st))
try: os.waitpid(-1, 0)
except ChildProcessError as e: print(e)
### spawn
import os
print(os.spawnlp(os.P_WAIT, "sh", "sh", "-c", "exit 5"), os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", "exit 6"], os.environ), 0)[1]))
### exec
import os, sys
print("before", flush=True); os.execvp("echo", ["echo", "replaced"])
### ids
import os
print(os.getpid() > 0, os.getppid() > 0, os.getuid() >= 0, os.geteuid() == os.getuid(), os.getpgrp() > 0, os.getpgid(0) == os.getpgrp(), os.cpu_count() >= 1)
### python starts python
import subprocess as s, sys
print(s.check_output([sys.executable, "-c", "import sys; print(sys.argv, sys.stdin.read())", "a", "b"], input="in", text=True))
### python starts bash starts python
import subprocess as s
print(s.check_output(["bash", "-c", "for i in 1 2; do python3 -c \"print($i * 10)\"; done"], text=True))
### signals: a handler
import signal, os
def h(n, f): print("caught", signal.Signals(n).name)
print(signal.signal(signal.SIGUSR1, h)); os.kill(os.getpid(), signal.SIGUSR1); print(signal.getsignal(signal.SIGUSR1) is h)
### signals: raising from a handler
import signal, os, time
def h(n, f): raise RuntimeError("from handler")
signal.signal(signal.SIGTERM, h)
try:
    os.kill(os.getpid(), signal.SIGTERM); time.sleep(1)
except RuntimeError as e: print(e)
### signals: interrupt a loop of computing
import signal, subprocess as s, os
class Stop(Exception): pass
def h(n, f): raise Stop
signal.signal(signal.SIGUSR2, h)
p = s.Popen(["sh", "-c", f"read go; sleep 0.2; kill -USR2 {os.getpid()}"], stdin=s.PIPE)
try:
    p.stdin.close()
    while True: pass
except Stop: print("interrupted")
p.wait()
### signals: interrupt a sleep
import signal, subprocess as s, os, time
signal.signal(signal.SIGUSR1, lambda n, f: print("woken"))
p = s.Popen(["sh", "-c", f"read go; sleep 0.2; kill -USR1 {os.getpid()}"], stdin=s.PIPE); p.stdin.close()
t = time.monotonic(); time.sleep(1); print(time.monotonic() - t >= 1); p.wait()
### signals: ignored
import signal, os
signal.signal(signal.SIGTERM, signal.SIG_IGN); os.kill(os.getpid(), signal.SIGTERM); print("alive", signal.getsignal(signal.SIGTERM).name)
### signals: a child dies by one
import subprocess as s
print(s.run(["sh", "-c", "kill -TERM $$"]).returncode, s.run([__import__("sys").executable, "-c", "import os; os.kill(os.getpid(), 9)"]).returncode)
### process groups
import subprocess as s, os, signal
p = s.Popen(["sh", "-c", "sleep 10"], start_new_session=True); os.killpg(p.pid, signal.SIGKILL); print(p.wait())
### inherited descriptors
import subprocess as s, os
r, w = os.pipe(); s.run(["sh", "-c", f"echo via >&{w}"], pass_fds=[w]); os.close(w); print(os.read(r, 10)); r, w = os.pipe(); print(os.get_inheritable(r), s.run(["sh", "-c", f"echo x >&{w}"], stderr=s.DEVNULL).returncode != 0)
### selectors
import selectors, os
s = selectors.DefaultSelector(); r, w = os.pipe(); s.register(r, selectors.EVENT_READ, "data"); print(s.select(0)); os.write(w, b"x"); print([(k.data, m) for k, m in s.select(1)])
### select
import select, os
r, w = os.pipe(); print(select.select([r], [], [], 0), [len(x) for x in select.select([r], [w], [], 0)]); os.write(w, b"x"); print(select.select([r], [], [], 1)[0] == [r]); p = select.poll(); p.register(r, select.POLLIN); print(p.poll(10) == [(r, select.POLLIN)])
### a fork there is not, or is
import os
try: pid = os.fork()
except (AttributeError, OSError): pid = 0
if pid: os.waitpid(pid, 0)
else: os._exit(0)
### terminal size
import shutil, os
print(shutil.get_terminal_size((80, 24)).lines > 0)
try: os.get_terminal_size(0)
except OSError as e: print(e.errno)
### user database
import pwd, grp, os
print(pwd.getpwuid(0).pw_name, grp.getgrgid(0).gr_name, pwd.getpwnam("root").pw_uid, os.path.expanduser("~root"))
try: pwd.getpwnam("nobody_here")
except KeyError: print("none")
### resource limits
import resource
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0] != 0, resource.getrusage(resource.RUSAGE_SELF).ru_utime >= 0)
### memory that there is not
try: x = bytearray(1 << 45)
except (MemoryError, OverflowError) as e: print("refused")
### a loop handles signals
import asyncio, os, signal
async def main():
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in signal.SIGTERM, signal.SIGINT:
        loop.add_signal_handler(number, lambda n=number: (print("got", n.name), stop.set()))
    loop.call_later(0.01, os.kill, os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(stop.wait(), 5)
    print(loop.remove_signal_handler(signal.SIGTERM), loop.remove_signal_handler(signal.SIGTERM))
asyncio.run(main())
print(signal.SIGTERM in signal.valid_signals(), 0 in signal.valid_signals(), signal.getsignal(signal.SIGTERM))
### a signal to the one thread
import signal, threading
signal.signal(signal.SIGUSR1, lambda n, f: print("handler", n))
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
print(threading.get_native_id() > 0, threading.main_thread() is threading.current_thread())
### zeros in arguments
import subprocess as s
for more in ({"args": ["echo", "a\0b"]}, {"args": ["echo"], "env": {"A": "x\0"}}, {"args": ["echo"], "cwd": "a\0b"}):
    try: s.run(**more)
    except ValueError as e: print(e)
### an interrupt comes before the end of input
import os, signal, subprocess as s, sys
for program in ("input()", "import sys; sys.stdin.read()", "import os; os.read(0, 9)"):
    p = s.Popen([sys.executable, "-uc", "print('ready'); " + program], stdin=s.PIPE, stdout=s.PIPE, stderr=s.PIPE, text=True)
    p.stdout.readline(); s.run(["sleep", "0.1"]); p.send_signal(signal.SIGINT); print(p.communicate()[1].splitlines()[-1], p.returncode)
### a loop ends after threads were asked for
import asyncio
async def main():
    try: await asyncio.to_thread(print, "x")
    except RuntimeError: print("x")
    return "end"
print(asyncio.run(main()))
