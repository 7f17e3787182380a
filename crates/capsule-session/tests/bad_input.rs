//! What the commands do when the disk is full, and with patterns of a megabyte: GNU's message and status, nothing half
//! written where GNU writes in one step, never a trap.

use capsule_abi::limits::Limits;
use capsule_engine::{Options, WasmRuntime};
use capsule_session::Bash;
use std::sync::{Arc, OnceLock};

fn engine() -> Arc<WasmRuntime> {
    static ENGINE: OnceLock<Arc<WasmRuntime>> = OnceLock::new();
    ENGINE.get_or_init(|| WasmRuntime::new(Options::default()).unwrap()).clone()
}

fn session(limits: &[&str]) -> Bash {
    let mut all = Limits::default();
    limits.iter().for_each(|limit| all.parse(limit).unwrap());
    Bash::builder().runtime(engine()).host_workspace("memory").limits(all).build().unwrap()
}

/// A command on a disk with 100 KiB of room.
struct Full {
    /// What is there before the disk is filled.
    before: &'static str,
    command: &'static str,
    status: i32,
    message: &'static str,
    /// What must hold afterwards.
    after: &'static str,
}

const NUMBERS: &str = "seq 60000 >num";
/// What does not get smaller.
const NOISE: &str = "head -c 300K /dev/urandom >num";
const KEPT: &str = "[[ $(cksum <num) == $sum ]] && [[ $(ls) == $'ballast\\nnum' ]]";
const ALONE: &str = "[[ $(ls) == $'ballast\\nnum' ]]";

const fn full(
    before: &'static str,
    command: &'static str,
    status: i32,
    message: &'static str,
    after: &'static str,
) -> Full {
    Full { before, command, status, message, after }
}

const ROWS: &[Full] = &[
    // Copies: as much as there is room for, as GNU leaves it.
    full(
        NUMBERS,
        "cp num copy",
        1,
        "cp: error copying 'num' to 'copy': No space left on device",
        "cmp -n 1000 num copy",
    ),
    full(
        NUMBERS,
        "install num copy",
        1,
        "install: error copying 'num' to 'copy': No space left on device",
        "[ -e copy ]",
    ),
    full(NUMBERS, "dd if=num of=copy status=none", 1, "dd: writing to 'copy': No space left on device", "[ -s copy ]"),
    full(NUMBERS, "dd if=num of=copy bs=1k", 1, "dd: error writing 'copy': No space left on device", "[ -s copy ]"),
    full(NUMBERS, "tee copy <num", 1, "tee: copy: No space left on device", "[ -s copy ]"),
    full(NUMBERS, "split -b 64k num", 1, "split: xab: No space left on device", "[ -s xaa ]"),
    full(NUMBERS, "shuf num -o copy", 1, "shuf: write error: No space left on device", "[ -e copy ]"),
    full(NUMBERS, "sort num -o copy", 2, "sort: write failed: copy: No space left on device", "[ -e copy ]"),
    full(": >num", "shred -n 1 -s 200K num", 1, "shred: num: error writing at offset ", "[ -e num ]"),
    full(
        NUMBERS,
        "awk '{print >\"copy\"}' num",
        2,
        "fatal: print to \"copy\" failed: No space left on device",
        "[ -s copy ]",
    ),
    full(NUMBERS, "sed -n 'w copy' num", 4, "copy: No space left on device", "[ -s copy ]"),
    full(NUMBERS, "printf 'r num\\nw copy\\nq\\n' | ed -s", 1, "copy: No space left on device", "[ -e copy ]"),
    // Streams into a file.
    full(NUMBERS, "cat num >copy", 1, "cat: num: No space left on device", "[ -s copy ]"),
    full(NUMBERS, "tr 0-9 a-j <num >copy", 1, "tr: write error: No space left on device", "[ -s copy ]"),
    full(NUMBERS, "sed p num >copy", 4, "sed: couldn't write ", "[ -s copy ]"),
    full(NUMBERS, "sort num >copy", 2, "sort: write failed: 'standard output': No space left on device", "[ -s copy ]"),
    full(
        NUMBERS,
        "while read -r n; do echo \"$n\" || break; done <num >copy; false",
        1,
        "echo: write error: No space left on device",
        "[ -s copy ]",
    ),
    // Written in one step, or not at all.
    full(NUMBERS, "sed -i s/1/222222/g num", 4, "sed: couldn't write ", KEPT),
    full(NUMBERS, "sed -i.bak s/1/222222/g num", 4, "sed: couldn't write ", KEPT),
    full(
        NUMBERS,
        "sed s/1/222222/g num | sponge num",
        1,
        "error writing buffer to output file: No space left on device",
        KEPT,
    ),
    full(
        NUMBERS,
        "diff -u num <(sed s/1/222222/g num) | patch num",
        2,
        "patch: **** write error : No space left on device",
        KEPT,
    ),
    full(NUMBERS, "csplit -s num 50000", 1, "csplit: write error for 'xx00': No space left on device", ALONE),
    full(NUMBERS, "sort -S 50k -T . num >/dev/null", 2, "sort: write failed: ./sort", ALONE),
    // The packed file goes, what was packed stays; and the other way round.
    full(NOISE, "gzip num", 1, "gzip: num.gz: No space left on device", KEPT),
    full(NOISE, "bzip2 num", 1, "bzip2: No space left on device", KEPT),
    full(NOISE, "xz num", 1, "xz: num.xz: Write error: No space left on device", KEPT),
    full(NOISE, "zstd -q --rm num", 70, "Write error : cannot write block : No space left on device", KEPT),
    full(
        "seq 60000 | gzip >num",
        "mv num n.gz; gzip -d n.gz; r=$?; mv n.gz num; (exit $r)",
        1,
        "gzip: n: No space left on device",
        KEPT,
    ),
    full(
        "seq 60000 | bzip2 >num",
        "mv num n.bz2; bzip2 -d n.bz2; r=$?; mv n.bz2 num; (exit $r)",
        1,
        "bzip2: No space left on device",
        KEPT,
    ),
    full(
        "seq 60000 | xz >num",
        "mv num n.xz; xz -d n.xz; r=$?; mv n.xz num; (exit $r)",
        1,
        "xz: n: Write error: No space left on device",
        KEPT,
    ),
    full(
        "seq 60000 | zstd >num",
        "mv num n.zst; zstd -q --rm -d n.zst; r=$?; mv n.zst num; (exit $r)",
        93,
        "No space left on device",
        KEPT,
    ),
    // Archives.
    full(NUMBERS, "tar cf a.tar num", 2, "tar: a.tar: Cannot write: No space left on device", "[ -e a.tar ]"),
    full(
        "seq 60000 >n; tar czf num n; rm n",
        "tar xf num",
        2,
        "tar: n: Cannot write: No space left on device",
        "[ -s num ]",
    ),
    full(
        "seq 60000 >n; zip -q num.zip n; mv num.zip num; rm n",
        "unzip -q num",
        50,
        "n:  write error (disk full?)",
        "[ -s num ]",
    ),
    full(
        "echo old >o; zip -q a.zip o; mv a.zip num; rm o; head -c 300K /dev/urandom >/tmp/n",
        "mv num a.zip; zip -q a.zip /tmp/n >&2; r=$?; mv a.zip num; (exit $r)",
        14,
        "zip I/O error: No space left on device",
        KEPT,
    ),
    full(
        "seq 60000 >n; echo n | cpio -o -H newc >num 2>/dev/null; rm n",
        "cpio -i <num",
        2,
        "cpio: write error: No space left on device",
        "[ -s num ]",
    ),
    full(
        NUMBERS,
        "echo num | cpio -o -H newc >a.cpio",
        2,
        "cpio: write error: No space left on device",
        "[ -e a.cpio ]",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_told_as_gnu_tells_it() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let bash = session(&["disk=2M", "wall=60s"]);
        let before = format!("{}; sum=$(cksum <num); yes >ballast; truncate -s -100K ballast", row.before);
        bash.run(before).await.unwrap();
        let command = format!("{}\necho \"status $?\"\n{{ {}; }} >/dev/null && echo held", row.command, row.after);
        let answer = bash.run(command).await.unwrap();
        let end = format!("status {}\nheld\n", row.status);
        let told = answer.limit.iter().any(|limit| limit.contains("the disk limit of 2 MiB"));
        if !answer.stdout.ends_with(&end) || !answer.stderr.contains(row.message) || !told {
            let tail: String = answer.stdout.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
            wrong.push(format!(
                "{}\n  wanted {end:?} {:?}\n  got {tail:?} {:?}",
                row.command, row.message, answer.stderr
            ));
        }
    }
    assert!(wrong.is_empty(), "{}\n{} of {}", wrong.join("\n"), wrong.len(), ROWS.len());
}

/// Patterns and programs of a megabyte, and nests without end: a result or an error of the command's own.
const HUGE: &[(&str, i32)] = &[
    ("grep -F -f letters lines", 1),
    ("grep -f letters lines", 1),
    ("grep -E -f choices lines", 2),
    ("grep -P -f letters lines", 2),
    ("grep -cFf lines lines", 0),
    ("grep -E -f parens lines", 2),
    ("grep -P -f parens lines", 2),
    ("grep -E -f brackets lines", 2),
    ("grep -G -f brackets lines", 2),
    ("grep -E -f braces lines", 1),
    ("grep -E 'a{1000}{1000}{1000}' lines", 2),
    ("grep -E '((a{1000}){1000}){1000}' lines", 2),
    ("grep -E 'a{32768}' lines", 2),
    ("grep -cE '(a*)*b' letters", 1),
    ("grep -cP '(a+)+b' letters", 1),
    ("grep -c '\\(a*\\)\\1b' letters", 1),
    ("sed -f <(printf s/; cat letters; echo /x/) lines", 0),
    ("sed -E -f <(printf s/; cat parens; echo /x/) lines", 1),
    ("sed -n -f braces lines", 1),
    ("sed -E 's/(a{1000}){1000}/x/' letters", 1),
    ("awk -f <(printf /; cat letters; echo /) lines", 0),
    ("awk -f parens lines", 1),
    ("awk -f braces lines", 1),
    ("awk 'BEGIN{getline r < \"parens\"; print \"x\" ~ r}'", 2),
    ("r=$(<letters); [[ x =~ $r ]]", 1),
    ("r=$(<parens); [[ x =~ $r ]]", 2),
    ("r=$(<brackets); [[ x =~ $r ]]", 2),
    ("r=$(<brackets); [[ x == $r ]]", 1),
    ("shopt -s extglob; r=$(sed 's/(/@(/g' parens); [[ x == $r ]]", 1),
    ("eval \"echo $(<braces)a,b$(tr '{' '}' <braces)\"", 0),
    ("echo $(( $(<parens) ))", 1),
    ("eval \"$(<parens)\"", 2),
    ("rg -f parens lines", 2),
    ("rg 'a{1000}{1000}{1000}' lines", 2),
    ("find . -regex \"$(head -c 100000 letters)\"", 0),
    ("find . -regextype posix-extended -regex \"$(head -c 100000 parens)\"", 1),
    ("find . -name \"$(head -c 100000 brackets)\"", 0),
    ("find . $(head -c 20000 parens | sed 's/./( /g')", 1),
    ("expr a : \"$(head -c 100000 brackets)\"", 2),
    ("expr $(head -c 20000 parens | sed 's/./( /g')", 2),
    ("env test $(head -c 20000 parens | sed 's/./( /g') x", 2),
    ("csplit lines \"/$(head -c 100000 brackets)/\"", 1),
    ("look \"$(head -c 100000 letters)\" lines", 1),
    ("jq -f parens -n", 3),
    ("jq -f brackets -n", 3),
    ("jq . brackets", 5),
    ("jq -n --rawfile r parens '\"a\" | test($r)'", 5),
    ("yq . brackets", 1),
    ("tr \"$(head -c 100000 letters)\" b <lines", 0),
    ("cut -c \"$(seq -s, 1 2 30000)\" lines", 0),
    ("sort $(printf -- '-k%d ' {1..2000}) lines", 0),
    ("env printf '%.100000f' 1", 0),
    ("printf '%.100000f' 1", 0),
    ("nl -w 100000 <<<x", 0),
    ("seq -f %.100000f 1", 0),
    ("date +\"$(printf '%%Y%.0s' {1..30000})\"", 0),
    ("bc <parens", 0),
    ("echo 'scale=70000; 1/3' | bc", 0),
    ("dc <brackets", 0),
    ("make -f brackets", 2),
    ("patch -p0 <letters", 2),
    ("ed -s <parens", 1),
    // These make what they can before they fail; so many long paths would not fit into the answer.
    ("mkdir -p \"$(printf 'd/%.0s' {1..20000})\" || { rm -r d; false; }", 1),
    ("install -d \"$(printf 'd/%.0s' {1..20000})\" || { rm -r d; false; }", 1),
    ("tar tf letters", 2),
    ("unzip -l letters", 9),
    ("zstd -dc letters", 1),
    ("cpio -it <letters", 2),
];

#[tokio::test(flavor = "multi_thread")]
async fn patterns_of_a_megabyte() {
    let bash = session(&["wall=10m"]);
    let before = "mega() { head -c 1000000 /dev/zero | tr '\\0' \"$1\"; }
        mega a >letters; mega '(' >parens; mega '[' >brackets; mega '{' >braces
        seq -s '|' 150000 >choices; seq 20000 >lines";
    assert_eq!(bash.run(before).await.unwrap().exit_code, 0);
    let mut wrong = Vec::new();
    for (script, status) in HUGE {
        let answer = bash
            .run(format!("({script}) >/dev/null 2>said </dev/null; r=$?; head -c 200 said >&2; (exit $r)"))
            .await
            .unwrap();
        if answer.exit_code != *status || !answer.limit.is_empty() {
            wrong.push(format!(
                "{script}: {} instead of {status} {:?} {}",
                answer.exit_code, answer.limit, answer.stderr
            ));
        }
    }
    assert!(wrong.is_empty(), "{}\n{} of {}", wrong.join("\n"), wrong.len(), HUGE.len());
}
