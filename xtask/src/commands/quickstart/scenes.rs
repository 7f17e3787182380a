//! What quickstart shows, in this order and in one workspace folder.

pub struct Scene {
    /// Said before it runs.
    pub says: &'static str,
    /// Options of `capsule bash`.
    pub options: &'static [&'static str],
    pub script: &'static str,
    pub exit_code: i64,
    /// Must be in stdout, stderr or the diff of the answer.
    pub expect: &'static str,
}

pub const SCENES: &[Scene] = &[
    Scene {
        says: "Every answer says what changed.",
        options: &[],
        script: "mkdir src && touch src/index.ts",
        exit_code: 0,
        expect: "src/index.ts",
    },
    Scene {
        says: "Each command is a process of its own; a pipeline streams and ends when its reader does.",
        options: &[],
        script: "seq 1000 | head -n 3 | wc -l",
        exit_code: 0,
        expect: "3\n",
    },
    Scene {
        says: "python3 is CPython, a process like the others: it reads the pipe it was given.",
        options: &[],
        script: "seq 4 | python3 -c \"import sys; print(sum(map(int, sys.stdin)))\"",
        exit_code: 0,
        expect: "10\n",
    },
    Scene {
        says: "Signals are real: a background job ended by TERM has the status 143, as in Linux.",
        options: &[],
        script: "sleep 100 & kill $!; wait $!",
        exit_code: 143,
        expect: "",
    },
    Scene {
        says: "A limit is hit loudly, by its name, and ends only the run: 137, killed.",
        options: &["--limit", "wall=200ms"],
        script: "while true; do :; done",
        exit_code: 137,
        expect: "wall limit",
    },
    Scene {
        says: "The workspace is a folder: the next run finds what the first one made.",
        options: &[],
        script: "ls src",
        exit_code: 0,
        expect: "index.ts",
    },
];
