//! What threads and processes of the sandbox's python3 do where the machine's would wait for ever, or can do more. What both do alike
//! is in tests/cases/python/{threads,multiprocessing}.py.

use std::process::{Command, Stdio};

/// What a program in a sandbox of its own prints, and its status; standard error goes with it.
fn python(program: &str) -> (String, i32) {
    let mut capsule = Command::new(env!("CARGO_BIN_EXE_capsule"));
    capsule.args(["bash", "--limit", "wall=120s", "-c", "cat > /tmp/p.py; python3 -u /tmp/p.py 2>&1"]);
    let mut child = capsule.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), program.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap_or(-1))
}

#[test]
fn a_deadlock_is_an_error() {
    let (text, status) = python(
        r#"
import threading
a, b = threading.Lock(), threading.Lock()
def work(first, second):
    with first:
        threading.Event().wait(0.01)
        with second: print("never")
for locks in ((a, b), (b, a)): threading.Thread(target=work, args=locks, daemon=True).start()
lock = threading.Lock(); lock.acquire()
try: lock.acquire()
except RuntimeError as error: print(error)
try: threading.enumerate()[1].join()
except RuntimeError as error: print(error)
import queue
queue.Queue().get()
"#,
    );
    let error = "deadlock: every thread waits for another one";
    assert_eq!((text.lines().next(), text.lines().nth(1), status), (Some(error), Some(error), 1), "{text}");
    assert_eq!(text.lines().last(), Some(&*format!("RuntimeError: {error}")), "{text}");
}

#[test]
fn a_thread_below_c_code_waits_and_a_daemon_there_is_given_up() {
    let (text, status) = python(
        r#"
import queue, threading, time
q, got = queue.Queue(), []
def through_c(_): return sorted([1], key=lambda _: got.append(q.get()) or q.task_done())
def worker():
    while True: through_c(None)
t = threading.Thread(target=worker, daemon=True); t.start()
q.put("first"); q.put("second"); q.join()
print(got, t.is_alive())
q.put("third")
try: q.join()
except RuntimeError as error: print(error)
def stuck(): sorted([1], key=lambda _: threading.Event().wait())
t = threading.Thread(target=stuck); t.start(); t.join()
print("on", t.is_alive())
"#,
    );
    assert_eq!(status, 0, "{text}");
    assert!(text.starts_with("['first', 'second'] False\ndeadlock: every thread waits for another one\n"), "{text}");
    assert!(text.contains("\nRuntimeError: deadlock: threads take turns in the sandbox"), "{text}");
    assert!(text.ends_with("\non False\n"), "{text}");
}

#[test]
fn a_thread_that_waits_for_a_signal_is_no_deadlock() {
    let (text, _) = python(
        r#"
import os, signal, subprocess, threading
stop = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stop.set())
subprocess.Popen(["sh", "-c", f"sleep 0.1; kill {os.getpid()}"])
stop.wait(); print("told")
"#,
    );
    assert_eq!(text, "told\n");
}

#[test]
fn a_thousand_threads_and_deep_stacks_switch() {
    let (text, status) = python(
        r#"
import threading, time
done = 0
def deep(n):
    if n: return deep(n - 1)
    time.sleep(0.01)
def work():
    global done
    deep(200); done += 1
ts = [threading.Thread(target=work) for _ in range(1000)]
for t in ts: t.start()
for t in ts: t.join()
print(done)
"#,
    );
    assert_eq!((&*text, status), ("1000\n", 0));
}

#[test]
fn what_processes_cannot_share_is_refused_with_a_reason() {
    let (text, _) = python(
        r#"
import multiprocessing as mp
def shared(): from multiprocessing import shared_memory
print(mp.get_start_method(), mp.get_all_start_methods())
for call in (lambda: mp.get_context("fork"), lambda: mp.set_start_method("forkserver", force=True), shared):
    try: call()
    except (ImportError, ValueError) as error: print(error)
"#,
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "spawn ['spawn']");
    assert!(lines[1].starts_with("the start method 'fork' copies the process"), "{text}");
    assert!(lines[2].starts_with("the start method 'forkserver' copies"), "{text}");
    assert!(lines[3].contains("processes cannot share memory here"), "{text}");
}
