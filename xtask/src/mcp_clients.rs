//! The official SDKs of the Model Context Protocol, which the tests of `capsule mcp` are clients with: installed into
//! target/mcp-clients, once. Where that cannot be done those tests are left out, with a word about it.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{CommandExt, on_path};
use crate::progress;
use crate::project::Project;

/// Where the tests look for them.
const FOLDER: &str = "target/mcp-clients";

/// What an installed SDK was made from stands in this file beside it.
const STAMP: &str = "installed";

struct Sdk {
    /// The folder in tests/clients and in [`FOLDER`].
    name: &'static str,
    /// The file that says what to install.
    manifest: &'static str,
    /// What is needed on PATH.
    programs: &'static [&'static str],
    install: fn(folder: &Path, manifest: &Path) -> Result<()>,
}

const SDKS: [Sdk; 2] = [
    Sdk { name: "python", manifest: "requirements.txt", programs: &["python3"], install: python },
    Sdk { name: "node", manifest: "package.json", programs: &["node", "npm"], install: node },
];

/// Installs what is missing. A failure is no error: it is said, and the tests say that they were left out.
pub fn ensure(project: &Project) {
    for sdk in &SDKS {
        if let Err(error) = sdk.ensure(project.root()) {
            progress::note(format_args!("tests with the MCP SDK for {} are left out: {error:#}", sdk.name));
        }
    }
}

impl Sdk {
    fn ensure(&self, root: &Path) -> Result<()> {
        let manifest = root.join("tests/clients").join(self.name).join(self.manifest);
        let wanted = fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
        let folder = root.join(FOLDER).join(self.name);
        let stamp = folder.join(STAMP);
        for program in self.programs {
            on_path(program).with_context(|| format!("there is no {program} here"))?;
        }
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(());
        }
        progress::step(format_args!("installing the MCP SDK for {} into {FOLDER}", self.name), || {
            // What an older manifest or a run that was ended has left is no part of it.
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
            (self.install)(&folder, &manifest)
        })?;
        fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
    }
}

fn python(folder: &Path, manifest: &Path) -> Result<()> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]);
    pip.arg("--target").arg(folder).arg("-r").arg(manifest).run()
}

fn node(folder: &Path, manifest: &Path) -> Result<()> {
    fs::copy(manifest, folder.join("package.json"))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--no-package-lock", "--fetch-retries", "1"]);
    npm.current_dir(folder).run()
}
