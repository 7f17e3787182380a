//! Functions written in jq. Each is compiled when a program first uses it.

/// Name, number of arguments, definition.
const TABLE: &[(&str, usize, &str)] = &[
    ("values", 0, "def values: select(. != null);"),
    ("nulls", 0, "def nulls: select(. == null);"),
    ("booleans", 0, "def booleans: select(type == \"boolean\");"),
    ("numbers", 0, "def numbers: select(type == \"number\");"),
    ("strings", 0, "def strings: select(type == \"string\");"),
    ("arrays", 0, "def arrays: select(type == \"array\");"),
    ("objects", 0, "def objects: select(type == \"object\");"),
    ("iterables", 0, "def iterables: select(type | . == \"array\" or . == \"object\");"),
    ("scalars", 0, "def scalars: select(type | . != \"array\" and . != \"object\");"),
    ("finites", 0, "def finites: select(isfinite);"),
    ("isfinite", 0, "def isfinite: type == \"number\" and (isinfinite | not);"),
    ("normals", 0, "def normals: select(isnormal);"),
    ("isvalid", 1, "def isvalid(f): try (f | true) catch false;"),
    ("map_values", 1, "def map_values(f): .[] |= f;"),
    ("recurse", 1, "def recurse(f): def down: ., (f | down); down;"),
    ("recurse", 2, "def recurse(f; keep): def down: ., (f | select(keep) | down); down;"),
    ("recurse_down", 0, "def recurse_down: recurse;"),
    ("with_entries", 1, "def with_entries(f): to_entries | map(f) | from_entries;"),
    ("sort_by", 1, "def sort_by(f): _sort_by(map([f]));"),
    ("group_by", 1, "def group_by(f): _group_by(map([f]));"),
    ("unique_by", 1, "def unique_by(f): _unique_by(map([f]));"),
    ("min_by", 1, "def min_by(f): _min_by(map([f]));"),
    ("max_by", 1, "def max_by(f): _max_by(map([f]));"),
    ("add", 1, "def add(f): reduce f as $x (null; . + $x);"),
    ("first", 0, "def first: .[0];"),
    ("last", 0, "def last: .[-1];"),
    ("nth", 1, "def nth($n): .[$n];"),
    (
        "nth",
        2,
        "def nth($n; f): if $n < 0 then error(\"nth doesn't support negative indices\") else first(skip($n; f)) end;",
    ),
    (
        "skip",
        2,
        "def skip($n; f): if $n < 0 then error(\"skip doesn't support negative count\")
           else foreach f as $x ($n; . - 1; if . < 0 then $x else empty end) end;",
    ),
    ("isempty", 1, "def isempty(f): first((f | false), true);"),
    ("any", 2, "def any(f; test): first((f | test | select(.) | true), false);"),
    ("all", 2, "def all(f; test): first((f | test | select(. | not) | false), true);"),
    ("any", 1, "def any(test): any(.[]; test);"),
    ("all", 1, "def all(test): all(.[]; test);"),
    ("any", 0, "def any: any(.[]; .);"),
    ("all", 0, "def all: all(.[]; .);"),
    ("until", 2, "def until(done; f): def turn: if done then . else f | turn end; turn;"),
    ("while", 2, "def while(go; f): def turn: if go then ., (f | turn) else empty end; turn;"),
    ("repeat", 1, "def repeat(f): def turn: f, turn; turn;"),
    ("in", 1, "def in(xs): . as $x | xs | has($x);"),
    ("inside", 1, "def inside(xs): . as $x | xs | contains($x);"),
    ("indices", 1, "def indices($i): _indices($i);"),
    ("index", 1, "def index($i): _indices($i) | .[0];"),
    ("rindex", 1, "def rindex($i): _indices($i) | .[-1:][0];"),
    (
        "combinations",
        0,
        "def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $rest | [$x] + $rest end;",
    ),
    ("combinations", 1, "def combinations(n): . as $all | [range(n) | $all] | combinations;"),
    (
        "walk",
        1,
        "def walk(f): def inner: if type == \"object\" then map_values(inner) elif type == \"array\" then map(inner)
           else . end | f; inner;",
    ),
    ("paths", 0, "def paths: path(..) | select(length > 0);"),
    ("paths", 1, "def paths(keep): path(.. | select(keep)) | select(length > 0);"),
    ("leaf_paths", 0, "def leaf_paths: paths(scalars);"),
    ("pick", 1, "def pick(f): . as $all | reduce path(f) as $p (null; setpath($p; $all | getpath($p)));"),
    ("debug", 1, "def debug(f): (f | debug | empty), .;"),
    ("tostream", 0, "def tostream: _tostream[];"),
    (
        "fromstream",
        1,
        "def fromstream(f): foreach f as $event ([null, false];
           (if .[1] then [null, false] else . end)
           | if $event | length == 2
             then setpath([0] + $event[0]; $event[1]) | .[1] = ($event[0] | length == 0)
             else .[1] = ($event[0] | length == 1) end;
           if .[1] then .[0] else empty end);",
    ),
    (
        "truncate_stream",
        1,
        "def truncate_stream(f): . as $n | null | f | if .[0] | length > $n then .[0] |= .[$n:] else empty end;",
    ),
    ("match", 1, "def match($re): _match($re; null; false)[];"),
    ("match", 2, "def match($re; $flags): _match($re; $flags; false)[];"),
    ("test", 1, "def test($re): _match($re; null; true);"),
    ("test", 2, "def test($re; $flags): _match($re; $flags; true);"),
    ("capture", 1, "def capture($re): match($re) | _capture;"),
    ("capture", 2, "def capture($re; $flags): match($re; $flags) | _capture;"),
    ("scan", 1, "def scan($re): scan($re; null);"),
    (
        "scan",
        2,
        "def scan($re; $flags): match($re; \"g\" + $flags)
           | if .captures == [] then .string else [.captures[].string] end;",
    ),
    ("splits", 1, "def splits($re): splits($re; null);"),
    (
        "splits",
        2,
        "def splits($re; $flags): . as $text
           | foreach (match($re; \"g\" + $flags), null) as $m ({from: 0};
               if $m == null then .part = $text[.from:]
               else .part = $text[.from:$m.offset] | .from = $m.offset + $m.length end; .part);",
    ),
    ("split", 2, "def split($re; $flags): [splits($re; $flags)];"),
    ("sub", 2, "def sub($re; f): sub($re; f; \"\");"),
    (
        "sub",
        3,
        "def sub($re; f; $flags): . as $text
           | (reduce match($re; $flags) as $m ({parts: [], from: 0};
                $text[.from:$m.offset] as $gap
                | [$m | _capture | f] as $new
                | reduce range($new | length) as $i (.; .parts[$i] += $gap + $new[$i])
                | .from = $m.offset + $m.length)
              | .parts[] + $text[.from:]) // $text;",
    ),
    ("gsub", 2, "def gsub($re; f): sub($re; f; \"g\");"),
    ("gsub", 3, "def gsub($re; f; $flags): sub($re; f; $flags + \"g\");"),
    ("todate", 0, "def todate: strftime(\"%Y-%m-%dT%H:%M:%SZ\");"),
    ("todateiso8601", 0, "def todateiso8601: todate;"),
    ("fromdate", 0, "def fromdate: strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime;"),
    ("fromdateiso8601", 0, "def fromdateiso8601: fromdate;"),
    ("date", 0, "def date: todate;"),
    ("dateadd", 2, "def dateadd(unit; n): . + n;"),
    ("datesub", 2, "def datesub(unit; n): . - n;"),
    ("INDEX", 1, "def INDEX(key): INDEX(.[]; key);"),
    ("INDEX", 2, "def INDEX(f; key): reduce f as $row ({}; .[$row | key | tostring] = $row);"),
    ("IN", 1, "def IN(f): any(f == .; .);"),
    ("IN", 2, "def IN(f; g): any(f == g; .);"),
    ("JOIN", 2, "def JOIN($index; key): [.[] | [., $index[key]]];"),
    ("JOIN", 3, "def JOIN($index; f; key): f | [., $index[key]];"),
    ("JOIN", 4, "def JOIN($index; f; key; join): f | [., $index[key]] | join;"),
];

/// The definition of a function.
pub fn source(name: &str, arity: usize) -> Option<&'static str> {
    TABLE.iter().find(|entry| entry.0 == name && entry.1 == arity).map(|entry| entry.2)
}

/// All of them, as `name/arity`, with those the compiler knows.
pub fn names() -> impl Iterator<Item = String> {
    const COMPILED: &[&str] = &[
        "empty/0",
        "error/0",
        "error/1",
        "path/1",
        "getpath/1",
        "limit/2",
        "first/1",
        "last/1",
        "range/1",
        "range/2",
        "range/3",
        "recurse/0",
        "input/0",
        "inputs/0",
        "halt/0",
        "halt_error/0",
        "halt_error/1",
        "not/0",
        "select/1",
        "map/1",
        "del/1",
    ];
    let own = TABLE.iter().map(|entry| format!("{}/{}", entry.0, entry.1));
    own.chain(COMPILED.iter().map(|name| (*name).to_owned()))
}
