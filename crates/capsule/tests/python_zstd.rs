//! `compression.zstd`, which the machine's Python mostly lacks: programs of our own, and the sandbox's zstd on the other side.

use std::process::{Command, Stdio};

/// What a script in a sandbox of its own prints, errors too.
fn alone(script: &str) -> String {
    let mut capsule = Command::new(env!("CARGO_BIN_EXE_capsule"));
    let output = capsule.args(["bash", "--cwd", "/tmp", "-c", &format!("exec 2>&1; {script}")]);
    String::from_utf8_lossy(&output.stdin(Stdio::null()).output().unwrap().stdout).into_owned()
}

/// What a program prints, with the module and some data at hand.
fn python(program: &str) -> String {
    let before = "import io, os\nfrom compression import zstd\ndata = b'a line\\n' * 20000 + os.urandom(5000)\n\
        packed = zstd.compress(data)";
    alone(&format!("python3 - <<'EOF'\n{before}{program}EOF"))
}

#[test]
fn what_is_packed_is_unpacked() {
    let program = r#"
print(len(packed) < len(data) / 2, zstd.decompress(packed) == data, zstd.decompress(zstd.compress(b"")))
print(zstd.decompress(zstd.compress(b"one") + zstd.compress(b"two", level=19)))
"#;
    assert_eq!(python(program), "True True b''\nb'onetwo'\n");
}

#[test]
fn streams_come_in_pieces() {
    let program = r#"
compressor, unpacker = zstd.ZstdCompressor(), zstd.ZstdDecompressor()
out = b"".join(compressor.compress(data[i:i + 7000]) for i in range(0, len(data), 7000)) + compressor.flush()
print(b"".join(unpacker.decompress(out[i:i + 999]) for i in range(0, len(out), 999)) == data, unpacker.eof)
compressor = zstd.ZstdCompressor(level=5)
print(zstd.decompress(b"".join(compressor.compress(part, zstd.ZstdCompressor.FLUSH_FRAME) for part in (b"1st", b"2nd"))))
unpacker = zstd.ZstdDecompressor()
print(unpacker.decompress(packed, max_length=6), unpacker.eof, len(unpacker.decompress(b"")) == len(data) - 6, unpacker.eof)
try: unpacker.decompress(b"x")
except EOFError as error: print(error)
"#;
    let expected = "True True\nb'1st2nd'\nb'a line' False True True\nEnd of stream already reached\n";
    assert_eq!(python(program), expected);
}

#[test]
fn files_are_read_and_written() {
    let program = r#"
with zstd.open("f.zst", "wt", encoding="utf-8") as file: file.write("é\nsecond\n")
with zstd.open("f.zst", "rt", encoding="utf-8") as file: print(file.readlines())
with zstd.open("f.zst", "ab") as file: file.write(b"third\n")
with zstd.ZstdFile("f.zst") as file: print(file.read(3), file.tell(), file.seek(0), list(file), file.seekable(), file.writable())
with zstd.ZstdFile(io.BytesIO(packed)) as file: print(sum(map(len, iter(lambda: file.read(4096), b""))) == len(data))
for mode, name in ("q", "f.zst"), ("r", "nosuch.zst"), ("x", "f.zst"):
    try: zstd.open(name, mode)
    except (OSError, ValueError) as error: print(error)
"#;
    let expected = "['é\\n', 'second\\n']\nb'\\xc3\\xa9\\n' 3 0 [b'\\xc3\\xa9\\n', b'second\\n', b'third\\n'] True False\nTrue\n\
        Invalid mode: 'q'\n[Errno 2] No such file or directory: 'nosuch.zst'\n[Errno 17] File exists: 'f.zst'\n";
    assert_eq!(python(program), expected);
}

#[test]
fn damage_and_what_is_not_there_are_errors() {
    let program = r#"
def told(call):
    try: print("worked", call())
    except Exception as error: print(type(error).__name__, error)
told(lambda: zstd.decompress(b"this is not zstd"))
told(lambda: zstd.ZstdDecompressor().decompress(b"this is not zstd"))
for part in packed[:50], packed[:-100]: told(lambda: zstd.decompress(part))
told(lambda: zstd.decompress(packed[:9] + b"\xff" * 2000) == data)
told(lambda: zstd.open(io.BytesIO(b"nor is this")).read())
told(lambda: zstd.compress(b"", level=99))
told(lambda: zstd.compress(b"", options={1: 2}))
told(lambda: zstd.ZstdDict(b""))
"#;
    let text = python(program);
    let lines: Vec<&str> = text.lines().collect();
    let unknown = "ZstdError Unable to decompress Zstandard data: Unknown frame descriptor";
    let cut = "ZstdError Compressed data ended before the end-of-stream marker was reached";
    assert_eq!(lines[..4], [unknown, unknown, cut, cut], "{text}");
    assert!(lines[4].starts_with("ZstdError Unable to decompress Zstandard data: "), "{text}");
    assert_eq!(lines[5], unknown, "{text}");
    assert_eq!(lines[6], "ValueError illegal compression level 99; the valid range is [-131072, 22]");
    assert_eq!(lines[7], "ZstdError options and dictionaries of zstd are not there in the sandbox");
    assert!(lines[8].starts_with("AttributeError module 'compression.zstd' has no attribute 'ZstdDict': "), "{text}");
}

#[test]
fn commands_and_python_understand_each_other() {
    let script = r#"
printf 'from the shell\n' | zstd -c | python3 -c 'import sys; from compression import zstd; print(zstd.decompress(sys.stdin.buffer.read()))'
python3 -c 'import sys; from compression import zstd; sys.stdout.buffer.write(zstd.compress(b"from python\n"))' | zstd -dc
seq 100000 > n; zstd -q n; python3 -c 'from compression import zstd; print(sum(map(int, zstd.open("n.zst", "rt"))))'
python3 - <<'EOF'
import os, shutil, tarfile, zipfile
with tarfile.open("t.tar.zst", "w:zst") as archive: archive.add("n")
with tarfile.open("t.tar.zst") as archive: print(archive.getnames(), len(archive.extractfile("n").read()))
with zipfile.ZipFile("z.zip", "w", zipfile.ZIP_ZSTANDARD) as archive: archive.write("n")
with zipfile.ZipFile("z.zip") as archive: print(len(archive.read("n")), archive.testzip())
shutil.unpack_archive(shutil.make_archive("a", "zstdtar", ".", "n.zst"), "out")
print(os.listdir("out"))
EOF
tar -tf t.tar.zst; tar -caf u.tar.zst n.zst; python3 -m tarfile -l u.tar.zst"#;
    let expected = "b'from the shell\\n'\nfrom python\n5000050000\n['n'] 588895\n588895 None\n['n.zst']\nn\nn.zst \n";
    assert_eq!(alone(script), expected);
}
