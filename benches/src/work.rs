//! The same work in the sandbox and on the machine itself, by the processor time it takes: the language of the shell
//! beside bash, the commands beside GNU's.

use crate::Bench;
use crate::report::Target;
use anyhow::{Context, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::path::Path;
use std::process::{Command, Stdio};

struct Work {
    what: &'static str,
    /// Makes the files the work needs, on both sides.
    prepare: &'static str,
    script: &'static str,
    target: Target,
}

/// A program the machine may not have, by the first word of a script.
const OPTIONAL: &[&str] = &["gawk", "jq"];

const WORK: &[Work] = &[
    Work {
        what: "language: while, 100 000 turns",
        prepare: "",
        script: "i=0 s=; while ((i < 100000)); do ((i++)); s=${s:0:20}x$((i % 7)); [[ $s == *x3 ]] && n=${#s}; done; echo $n",
        target: Target::Ratio(0.5),
    },
    Work {
        what: "language: for i in $(seq 100000)",
        prepare: "",
        script: "n=0; for i in $(seq 100000); do n=$((n + i)); done; echo $n",
        target: Target::Ratio(0.5),
    },
    Work {
        what: "language: fib 20, recursive",
        prepare: "",
        script: "fib() { local n=$1 a; if ((n < 2)); then r=$n; return; fi; fib $((n - 1)); a=$r; fib $((n - 2)); \
                 r=$((a + r)); }; fib 20; echo $r",
        target: Target::Ratio(0.5),
    },
    Work {
        what: "language: read, 100 000 lines",
        prepare: "seq -f 'line %.0f of many' 100000 > lines",
        script: "n=0; while read -r a b c; do n=$((n + b)); done < lines; echo $n",
        target: Target::Ratio(0.5),
    },
    Work {
        what: "language: array of 100 000",
        prepare: "",
        script: "for ((i = 0; i < 100000; i++)); do a[i]=v$i; done; n=0; for v in \"${a[@]}\"; do n=$((n + ${#v})); done; \
                 echo $n ${#a[@]}",
        target: Target::Ratio(0.5),
    },
    Work {
        what: "language: ${s//a/b} on 1 MB",
        // A hundred matches: bash's time grows with their square.
        prepare: "for ((i = 0; i < 100; i++)); do printf '%09999d%s' $i a; done > text",
        script: "s=$(< text); for i in 1 2 3 4 5; do t=${s//a/b}; done; echo ${#t}",
        target: Target::Ratio(0.5),
    },
    Work {
        what: "language: 1 000 $(basename x)",
        prepare: "",
        script: "for ((i = 0; i < 1000; i++)); do x=$(basename /a/b/file$i.txt .txt); done; echo $x",
        target: Target::Ratio(0.1),
    },
    Work {
        what: "language: 1 000 pipelines of three",
        prepare: "",
        script: "for ((i = 0; i < 1000; i++)); do echo line $i | tr a-z A-Z | cat; done | tail -n 1",
        target: Target::Ratio(0.1),
    },
    Work {
        what: "command: grep -rn, 1 000 files",
        prepare: "mkdir d; for ((i = 0; i < 1000; i++)); do seq -f \"%.0f some text in file $i\" 200 > d/$i; done",
        script: "grep -rn '77 some.*9$' d | sort | cksum",
        target: Target::Ratio(1.5),
    },
    Work {
        what: "command: sort, 100 000 lines",
        prepare: "seq 100000 | awk '{ print ($1 * 7919) % 100003, \"word\" $1 % 977 }' > lines",
        script: "sort lines | cksum; sort -k2,2 -k1,1nr lines | cksum",
        target: Target::Ratio(1.5),
    },
    Work {
        what: "command: awk, sum of 100 000 lines",
        prepare: "seq 100000 | awk '{ print $1, \"x\" $1 % 977, $1 / 3 }' > lines",
        // By its own name: elsewhere awk may be mawk, whose %d ends at 2^31.
        script: "gawk '{ n += $1; c[$2] += $3 } END { for (k in c) t += c[k]; printf \"%d %.2f\\n\", n, t }' lines",
        target: Target::Ratio(1.5),
    },
    Work {
        what: "command: paste, join and nl, 100 000 lines",
        prepare: "seq -w 100000 > a; seq -w 1 3 300000 > b",
        script: "paste -d: a b | cksum; join a b | cksum; nl a | cksum",
        target: Target::Ratio(1.5),
    },
    Work {
        what: "command: base64 and back, 10 MB",
        prepare: "seq 1500000 | head -c 10M > text",
        script: "base64 text | base64 -d | cksum",
        target: Target::Ratio(1.5),
    },
    Work {
        what: "command: sed s///g, 5 MB",
        prepare: "yes 'the quick brown fox jumps over the lazy dog' | head -c 5M > text",
        script: "sed 's/quick \\([a-z]*\\)/slow \\1/g; s/o/0/g' text | cksum",
        target: Target::Ratio(1.5),
    },
    Work {
        what: "command: jq, 1 MB",
        prepare: "seq 12000 | awk 'BEGIN { printf \"[\" } NR > 1 { printf \",\" } \
                  { printf \"{\\\"id\\\":%d,\\\"name\\\":\\\"user %d\\\",\\\"tags\\\":[\\\"a\\\",\\\"b%d\\\"],\\\"n\\\":%.3f}\\n\", $1, $1, $1 % 9, $1 / 7 } \
                  END { print \"]\" }' > data.json",
        script: "jq -c '[.[] | select(.id % 3 == 0) | {id, tag: .tags[1], n: (.n * 2 | floor)}] | group_by(.tag) | map({tag: .[0].tag, n: map(.n) | add})' data.json",
        target: Target::Ratio(1.5),
    },
    Work {
        what: "command: find, 10 000 files",
        prepare: "mkdir t; for ((i = 0; i < 100; i++)); do mkdir t/$i; for ((j = 0; j < 100; j++)); do : > t/$i/f$j.txt; done; done",
        script: "find t -type f -name '*7.txt' | sort | cksum; find t -size 0 -newer t/1 | wc -l | grep -c .",
        target: Target::Ratio(1.5),
    },
    Work {
        what: "command: sha256sum, 50 MB",
        prepare: "head -c 50M /dev/zero > big",
        script: "sha256sum big",
        target: Target::Ratio(2.5),
    },
    Work {
        what: "command: gzip, 5 MB",
        prepare: "seq 1000000 | head -c 5M > text",
        script: "gzip -c text | gzip -dc | cksum",
        target: Target::Ratio(1.5),
    },
    Work {
        what: "command: wc -l, each of 1 000 files",
        prepare: "mkdir d; for ((i = 0; i < 1000; i++)); do seq 20 > d/$i; done",
        script: "for f in d/*; do wc -l < $f; done | sort -u",
        target: Target::Ratio(0.1),
    },
];

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    for work in WORK.iter().filter(|work| bench.wanted(work.what)).collect::<Vec<_>>() {
        let (ours, answer) = in_sandbox(bench, work)?;
        let tool = work.script.split(' ').next().unwrap_or_default();
        let native = match OPTIONAL.contains(&tool) && !exists(tool) {
            true => {
                eprintln!(
                    "{}: {tool} is not on this machine, so there is no ratio (apt-get install {tool})",
                    work.what
                );
                None
            }
            false => {
                let (native, wanted) = on_the_machine(work)?;
                ensure!(answer == wanted, "{}: {answer:?} is not what the machine says: {wanted:?}", work.what);
                Some(native)
            }
        };
        bench.report.row(work.what, "ms", ours, native, std::slice::from_ref(&work.target));
    }
    Ok(())
}

/// Of a few rounds, the one that was disturbed least.
const ROUNDS: usize = 5;

fn in_sandbox(bench: &Bench, work: &Work) -> anyhow::Result<(f64, String)> {
    let session = bench.session()?;
    let run = |script: &str| -> anyhow::Result<String> {
        let answer = bench.one_worker.block_on(session.run(script))?;
        ensure!(answer.exit_code == 0, "{}: {}{:?}", work.what, answer.stderr, answer.limit);
        Ok(answer.stdout)
    };
    run(work.prepare)?;
    least(UsageWho::RUSAGE_SELF, || run(work.script))
}

fn on_the_machine(work: &Work) -> anyhow::Result<(f64, String)> {
    // In memory where the machine has such a folder, as the sandbox's files are.
    let shm = Path::new("/dev/shm");
    let base = if shm.is_dir() { shm.to_owned() } else { std::env::temp_dir() };
    let folder = base.join(format!("capsule-bench-{}", std::process::id()));
    std::fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let run = |script: &str| -> anyhow::Result<String> {
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", script]).current_dir(&folder).env("LC_ALL", "C.UTF-8").stderr(Stdio::inherit());
        let output = bash.output()?;
        ensure!(output.status.success(), "{} failed on the machine", work.what);
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let measured = run(work.prepare).and_then(|_| least(UsageWho::RUSAGE_CHILDREN, || run(work.script)));
    std::fs::remove_dir_all(&folder)?;
    measured
}

/// Processor time in milliseconds, and what was printed.
pub fn least(who: UsageWho, mut work: impl FnMut() -> anyhow::Result<String>) -> anyhow::Result<(f64, String)> {
    let mut best = f64::INFINITY;
    let mut printed = String::new();
    for _ in 0..ROUNDS {
        let before = processor_time(who)?;
        printed = work()?;
        best = best.min(processor_time(who)? - before);
    }
    Ok((best, printed))
}

fn processor_time(who: UsageWho) -> anyhow::Result<f64> {
    let usage = getrusage(who)?;
    Ok((usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e3)
}

fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}
