//! Which guests there are, and how each is built. The profiles themselves are in guests/Cargo.toml.

/// What a guest is for.
#[derive(PartialEq, Eq)]
pub enum Use {
    /// Embedded in the `capsule` binary.
    Shipped,
    /// Run by tests only.
    Tests,
}

/// How a guest comes to be.
pub enum Build {
    /// From Rust, with cargo and the guest toolchain.
    Cargo { package: &'static str, profile: &'static str, rustflags: &'static [&'static str] },
    /// From the files of crates, by running their program once and keeping its memory.
    Snapshot,
}

pub struct Guest {
    /// What messages and the command line call it.
    pub name: &'static str,
    pub usage: Use,
    /// Its folder below guests/.
    pub folder: &'static str,
    pub build: Build,
    /// Where below target/guests its programs go.
    pub output: &'static str,
}

/// Hot loops work on blocks (SIMD), and memcpy is one instruction (bulk memory); Wasmtime has both.
pub const FEATURES: &str = "-Ctarget-feature=+simd128,+bulk-memory";
// fork gives the child its parent's stack pointer, so the kernel must be able to read and set it.
const STACK_POINTER: &str = "-Clink-arg=--export=__stack_pointer";
// 6 MiB from the start, four of it stack and one data: most scripts then never grow it, and a child of fork need not grow before pages are copied to it.
const SHELL_MEMORY: &str = "-Clink-arg=--initial-memory=6291456";
// 4 MiB: functions of a script nest some 1 500 deep. Only what is used of it is ever there. And a little more, so that its top, the data and
// the heap lie in the same 2 MiB: the kernel finds written pages (at every fork and every end) by walking a whole table of pages at a time.
const SHELL_STACK: &str = "-Clink-arg=-zstack-size=4325376";

pub const GUESTS: &[Guest] = &[
    Guest {
        name: "bash",
        usage: Use::Shipped,
        folder: "bash",
        build: Build::Cargo {
            package: "capsule-bash-guest",
            profile: "release",
            rustflags: &[FEATURES, STACK_POINTER, SHELL_MEMORY, SHELL_STACK],
        },
        output: "",
    },
    Guest { name: "python", usage: Use::Shipped, folder: "python", build: Build::Snapshot, output: "" },
    // Tiny programs, one behaviour each, that knock on the doors. Many, so built quickly and with the default memory.
    Guest {
        name: "doors",
        usage: Use::Tests,
        folder: "doors",
        build: Build::Cargo { package: "capsule-door-tests", profile: "doors", rustflags: &[FEATURES, STACK_POINTER] },
        output: "doors",
    },
];
