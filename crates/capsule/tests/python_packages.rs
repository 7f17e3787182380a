//! Packages of pure Python, installed by the machine's pip into a folder that the sandbox sees, do their work inside.

#[path = "common/server.rs"]
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PACKAGES: &[&str] =
    &["requests", "pyyaml", "jinja2", "attrs", "rich", "click", "tabulate", "python-dateutil", "markdown", "pytest"];

/// The folder with the packages, made once; none where they cannot be fetched.
fn packages() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-packages");
    let whole = folder.join("whole");
    if !whole.is_file() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-compile", "--upgrade", "--target"]).arg(&folder);
        pip.args(["--timeout", "10", "--retries", "1"]).args(PACKAGES);
        let output = pip.stdin(Stdio::null()).output().ok()?;
        if !output.status.success() {
            eprintln!("skipped: pip could not fetch the packages: {}", String::from_utf8_lossy(&output.stderr));
            return None;
        }
        fs::write(&whole, "").ok()?;
    }
    Some(folder)
}

/// What a script prints that sees the packages.
fn run(folder: &Path, script: &str) -> String {
    run_with(folder, &[], script)
}

fn run_with(folder: &Path, options: &[&str], script: &str) -> String {
    let mut capsule = Command::new(env!("CARGO_BIN_EXE_capsule"));
    capsule.args(["bash", "--mount", &format!("{}::/packages:ro", folder.display())]).args(options);
    capsule.args(["--env", "PYTHONPATH=/packages", "-c", script]).stdin(Stdio::null()).stderr(Stdio::inherit());
    String::from_utf8_lossy(&capsule.output().unwrap().stdout).into_owned()
}

#[test]
fn packages_of_pure_python_work() {
    let Some(folder) = packages() else { return };
    let script = r#"python3 - <<'EOF'
import attr, dateutil.parser, jinja2, markdown, requests, rich.console, rich.table, tabulate, yaml
print(yaml.safe_load("a: [1, 2]\nb: {c: d}"), yaml.safe_dump({"x": [1]}).split())
print(jinja2.Template("{% for i in x %}{{ i }},{% endfor %}").render(x=range(3)))
@attr.s(auto_attribs=True)
class A:
    x: int = 1
print(A())
table = rich.table.Table("a")
table.add_row("cell")
with open("out", "w") as file: rich.console.Console(width=40, file=file).print(table)
print("cell" in open("out").read())
print(tabulate.tabulate([[1, 2]], headers=["a", "b"]).splitlines()[-1].split())
print(dateutil.parser.parse("2024-01-02 3pm"), markdown.markdown("hi *x*"))
try: requests.get("http://example.com/", timeout=5)
except requests.exceptions.RequestException: print("offline")
EOF"#;
    let expected = "{'a': [1, 2], 'b': {'c': 'd'}} ['x:', '-', '1']\n0,1,2,\nA(x=1)\nTrue\n['1', '2']\n\
        2024-01-02 15:00:00 <p>hi <em>x</em></p>\noffline\n";
    assert_eq!(run(&folder, script), expected);
}

#[test]
fn requests_reach_a_host_that_is_allowed() {
    let Some(folder) = packages() else { return };
    let address = server::server();
    let script = format!(
        r#"python3 - <<'EOF'
import requests
U = "http://{address}"
r = requests.get(U + "/a", params={{"q": "x y"}}, headers={{"X-One": "1"}}, timeout=20)
print(r.status_code, r.reason, r.headers["content-length"] == str(len(r.content)), r.text.splitlines()[0], "X-One: 1" in r.text)
r = requests.post(U + "/b", json={{"k": 1}}, auth=("u", "p"), stream=True)
print(next(r.iter_content(4)), r.ok)
with requests.Session() as session:
    print([session.get(f"{{U}}/{{n}}").text.split()[1] for n in range(3)])
try: requests.get("http://other.example/")
except requests.exceptions.ConnectionError as e: print("not allowed by the network policy" in str(e))
try: requests.get("https://other.example/", verify=False)
except requests.exceptions.ConnectionError as e: print("not allowed by the network policy" in str(e))
EOF"#
    );
    let expected = "200 OK True GET /a?q=x+y HTTP/1.1 True\nb'POST' True\n['/0', '/1', '/2']\nTrue\nTrue\n";
    assert_eq!(run_with(&folder, &["--allow-net", &address], &script), expected);
}

#[test]
fn a_command_line_made_with_click_works() {
    let Some(folder) = packages() else { return };
    let script = r#"
cat > cli.py <<'EOF'
import click
@click.command()
@click.option("--n", default=1)
@click.argument("name")
def hello(n, name):
    for _ in range(n): click.echo(f"hi {name}")
hello()
EOF
python3 cli.py --n 2 bob; python3 cli.py 2>/dev/null; echo $?"#;
    assert_eq!(run(&folder, script), "hi bob\nhi bob\n2\n");
}

#[test]
fn pytest_runs_a_suite() {
    let Some(folder) = packages() else { return };
    let script = r#"
cat > test_it.py <<'EOF'
import pytest
@pytest.mark.parametrize("a", [1, 2])
def test_even(a): assert a % 2 == 0
def test_files(tmp_path):
    (tmp_path / "f").write_text("x")
    assert (tmp_path / "f").read_text() == "x"
def test_output(capsys):
    print("hi")
    assert capsys.readouterr().out == "hi\n"
@pytest.fixture
def number(): yield 5
def test_fixture(number): assert number == 5
EOF
python3 -m pytest -q test_it.py > out; echo $?; grep -c '^FAILED' out; grep -o '1 failed, 4 passed' out"#;
    assert_eq!(run(&folder, script), "1\n1\n1 failed, 4 passed\n");
}
