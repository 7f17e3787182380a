//! pip and venv inside the sandbox, with wheels that the sandbox's own Python makes: no network.

use std::process::{Command, Stdio};

/// Makes wheels: `one` 1.0 and 2.0, `two` which wants `one<2` and brings a command, `out` which wants to leave its folder.
const WHEELS: &str = r#"
cd /tmp
python3 - <<'EOF'
import base64, hashlib, os, zipfile
os.makedirs("wheels")
def wheel(name, version, files, requires=(), points="", tag="py3-none-any"):
    info = f"{name}-{version}.dist-info"
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: the {name}\n"
    files = {**files, f"{info}/METADATA": head + "".join(f"Requires-Dist: {r}\n" for r in requires),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n"}
    if points: files[f"{info}/entry_points.txt"] = points
    def digest(text): return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    record = "".join(f"{n},sha256={digest(t)},{len(t)}\n" for n, t in files.items())
    with zipfile.ZipFile(f"wheels/{name}-{version}-{tag}.whl", "w") as z:
        for n, t in files.items(): z.writestr(n, t if n != "changed.py" else "other")
        z.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
wheel("one", "1.0", {"one.py": "x = 1\n"})
wheel("one", "2.0", {"one.py": "x = 2\n"})
wheel("one", "3.0rc1", {"one.py": "x = 3\n"})
wheel("two", "1.5", {"two/__init__.py": "import one\ndef main(): print('two with one', one.x)\n"},
    ["one<2,>=1.0 ; python_version > '3.8'", "nothere ; extra == 'z'"], "[console_scripts]\ntwo-cmd = two:main\n")
wheel("out", "1.0", {"../../out.py": ""})
wheel("changed", "1.0", {"changed.py": "x = 1\n"})
wheel("native", "1.0", {"native.py": ""}, tag="cp314-cp314-linux_x86_64")
wheel("PyYAML", "1.0", {"yaml.py": "x = 'slow'\n", "_yaml.so": "x"}, tag="cp311-cp311-manylinux_2_17_x86_64")
EOF
"#;

fn run(script: &str) -> (String, String) {
    let mut capsule = Command::new(env!("CARGO_BIN_EXE_capsule"));
    let output = capsule.args(["bash", "-c", &format!("{WHEELS}{script}")]).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn wheels_are_installed_listed_and_taken_away() {
    let (text, errors) = run(r#"
        pip --version | cut -d' ' -f1
        pip install --no-index --find-links wheels two; two-cmd; python3 -c 'import one; print(one.x)'
        pip list; pip freeze; pip list --format json; pip check
        pip show two | grep -v '^Location'
        python3 -m pip install -q -U --no-index -f wheels 'one>1'; python3 -c 'import one; print(one.x)'; pip check; echo $?
        python3 -m pip install ./wheels/one-1.0-py3-none-any.whl; python3 -c 'import one; print(one.x)'
        pip install --no-index -f wheels one two | cut -d' ' -f1-3
        pip uninstall -y one two; pip list; ls /usr/local/lib/python3.14/site-packages /usr/local/bin
        pip install -q --no-index -f wheels -t folder one==2.*; PYTHONPATH=folder python3 -c 'import one; print(one.x)'
        printf -- '--no-index\n-f wheels # here\none\n' > r.txt; pip install -q -r r.txt --pre; pip freeze"#);
    let expected = "pip\nSuccessfully installed one-1.0 two-1.5\ntwo with one 1\n1\n\
        Package Version\n------- -------\none     1.0\ntwo     1.5\none==1.0\ntwo==1.5\n\
        [{\"name\": \"one\", \"version\": \"1.0\"}, {\"name\": \"two\", \"version\": \"1.5\"}]\nNo broken requirements found.\n\
        Name: two\nVersion: 1.5\nSummary: the two\nHome-page:\nAuthor:\nAuthor-email:\nLicense:\nRequires: one\nRequired-by:\n\
        2\ntwo 1.5 has requirement one<2,>=1.0, but you have one 2.0.\n1\n\
        \x20 Attempting uninstall: one\n    Found existing installation: one 2.0\nSuccessfully installed one-1.0\n1\n\
        Requirement already satisfied:\nRequirement already satisfied:\n\
        Found existing installation: one 1.0\nUninstalling one-1.0:\n  Successfully uninstalled one-1.0\n\
        Found existing installation: two 1.5\nUninstalling two-1.5:\n  Successfully uninstalled two-1.5\n\
        /usr/local/bin:\n\n/usr/local/lib/python3.14/site-packages:\n2\none==3.0rc1\n";
    assert_eq!(text, expected, "{errors}");
}

#[test]
fn what_works_without_its_native_code_is_installed_without() {
    let (text, errors) = run(r#"
        pip install --no-index -f wheels pyyaml; python3 -c 'import yaml; print(yaml.x)'; ls /usr/local/lib/python3.14/site-packages
        pip uninstall -qy PyYAML; pip install ./wheels/PyYAML*; pip freeze"#);
    let expected = "Successfully installed PyYAML-1.0\nslow\nPyYAML-1.0.dist-info\n__pycache__\nyaml.py\n\
        Successfully installed PyYAML-1.0\nPyYAML==1.0\n";
    assert_eq!(text, expected, "{errors}");
}

#[test]
fn what_cannot_be_installed_is_said() {
    let (text, errors) = run(r#"
        for what in wheels/out-1.0-py3-none-any.whl wheels/changed-1.0-py3-none-any.whl \
            wheels/native-1.0-cp314-cp314-linux_x86_64.whl ./missing.whl ./wheels; do
            pip install $what 2>&1 | tail -1
        done
        pip install --no-index -f wheels 'one<1' 2>&1; echo $?
        pip install --no-index -f wheels native 2>&1 | tail -1
        pip install --no-index -f wheels one==2.0 two 2>&1 | tail -1
        pip install one 2>&1 | tail -2
        pip wheel x 2>&1; pip install --editable x 2>&1 | tail -1
        pip list; ls /usr"#);
    let expected = "ERROR: out-1.0-py3-none-any.whl: the name '../../out.py' leads out of the folder\n\
        ERROR: changed-1.0-py3-none-any.whl: the digest of changed.py is not the one in RECORD\n\
        ERROR: native-1.0-cp314-cp314-linux_x86_64.whl is not a supported wheel on this platform. (The sandbox runs wheels of \
        pure Python: py3-none-any.)\n\
        ERROR: Requirement './missing.whl' looks like a filename, but the file does not exist\n\
        ERROR: './wheels' is a folder of sources: in the sandbox packages are not built, only wheels of pure Python are \
        installed\n\
        ERROR: Could not find a version that satisfies the requirement one<1 (from versions: 1.0, 2.0, 3.0rc1)\n\
        ERROR: No matching distribution found for one<1\n1\n\
        ERROR: There is native-1.0-cp314-cp314-linux_x86_64.whl, but in the sandbox only wheels of pure Python (py3-none-any) \
        can be installed.\n\
        ERROR: No matching distribution found for one==2.0, one<2,>=1.0\n\
        ERROR: https://pypi.org/simple/one/ cannot be reached: network is off for this session (allow it with --allow-net \
        HOST)\n\
        ERROR: Without the network these work: pip install ./NAME.whl, and pip install --no-index --find-links FOLDER NAME \
        with a folder of wheels (mounted, for example).\n\
        ERROR: unknown command \"wheel\"; in the sandbox pip knows install, uninstall, list, show, freeze, check\n\
        no such option: --editable\nbin\nlib\nlocal\nsbin\nshare\n";
    assert_eq!(text, expected, "{errors}");
}

#[test]
fn environments_have_packages_of_their_own() {
    let (text, errors) = run(r#"
        python3 -m venv env && ls env env/bin
        env/bin/python -c 'import sys; print(sys.prefix, sys.executable, sys.prefix != sys.base_prefix)'
        env/bin/pip install -q --no-index -f wheels two; env/bin/two-cmd; env/bin/python3 -c 'import one; print(one.__file__)'
        python3 -c 'import one' 2>&1 | tail -1
        source env/bin/activate; echo "$VIRTUAL_ENV $(command -v python)"
        python -c 'import one; print(one.x)'; pip freeze; two-cmd
        deactivate; echo "${VIRTUAL_ENV-none} $(command -v python)"
        python3 -m venv --system-site-packages --without-pip other; pip install -q --no-index -f wheels one==2.0
        other/bin/python -c 'import one; print(one.x)'; env/bin/python -c 'import one; print(one.x)'; ls other/bin
        echo /tmp/extra > env/lib/python3.14/site-packages/more.pth; mkdir extra; echo 'y = 5' > extra/added.py
        env/bin/python -c 'import added; print(added.y)'; python3 -m venv 'a:b' 2>&1"#);
    let expected = "env:\nbin\ninclude\nlib\npyvenv.cfg\n\nenv/bin:\nactivate\npip\npip3\npip3.14\npython\npython3\n\
        python3.14\n/tmp/env /tmp/env/bin/python True\ntwo with one 1\n/tmp/env/lib/python3.14/site-packages/one.py\n\
        ModuleNotFoundError: No module named 'one'\n/tmp/env /tmp/env/bin/python\n1\none==1.0\ntwo==1.5\ntwo with one 1\n\
        none /usr/bin/python\n2\n1\nactivate\npython\npython3\npython3.14\n5\n\
        Error: Refusing to create a venv in a:b because it contains the PATH separator :.\n";
    assert_eq!(text, expected, "{errors}");
}
