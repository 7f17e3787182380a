//! `capsule wasm`.

use crate::sandbox::{Sandbox, What};
use anyhow::{Context, ensure};
use capsule_session::{Mount, Run};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// How a module begins.
const MAGIC: &[u8] = b"\0asm";

/// Run a WASI preview1 program in a sandbox
#[derive(clap::Args)]
#[command(after_help = "Examples:
  capsule wasm tool.wasm --version
  capsule wasm --dir ./data::/data tool.wasm /data/input.txt")]
pub struct Wasm {
    #[command(flatten)]
    sandbox: Sandbox,
    /// Print the whole answer as JSON: output, exit code, what changed
    #[arg(long)]
    json: bool,
    /// Show a host folder inside (the same as --mount)
    #[arg(long = "dir", value_name = "HOST[::GUEST]")]
    dirs: Vec<Mount>,
    /// The program
    file: PathBuf,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

impl Wasm {
    pub fn run(mut self) -> anyhow::Result<u8> {
        self.sandbox.session.mounts.append(&mut self.dirs);
        let module = std::fs::read(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        // Inside, a file without the magic would be run as a shell script.
        let shown = self.file.display();
        ensure!(module.starts_with(MAGIC), "{shown} is no WebAssembly program; for a script use: capsule bash {shown}");
        let name = self.file.file_name().unwrap_or_default().to_owned().into_vec();
        let program = [b"/run/".as_slice(), &name].concat();
        let args = self.args.into_iter().map(OsStringExt::into_vec).collect();
        self.sandbox.execute(self.json, async |session| {
            let copied = session.write_program(&program, &module).await;
            copied.context("cannot copy the program into the sandbox")?;
            Ok(What::Program(Run { program, args, ..Run::default() }))
        })
    }
}
