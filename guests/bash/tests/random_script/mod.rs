//! Scripts made by rolling dice: every construct of the grammar, nested in every other.

/// A small generator of numbers; the same seed gives the same script.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % sides
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

/// A list of commands, `depth` constructs deep at most.
pub fn list(dice: &mut Dice, depth: u32) -> String {
    let count = 1 + dice.roll(3);
    let mut text = String::new();
    for i in 0..count {
        if i > 0 {
            text.push_str(dice.pick(&["; ", "\n", " && ", " || ", " | ", " |& ", " & "]));
        }
        if dice.roll(8) == 0 && !text.ends_with("| ") && !text.ends_with("|& ") {
            text.push_str(dice.pick(&["! ", "time ", "time -p "]));
        }
        text.push_str(&command(dice, depth));
    }
    text
}

fn command(dice: &mut Dice, depth: u32) -> String {
    if depth == 0 {
        return simple(dice, 0);
    }
    let inner = depth - 1;
    let body = |dice: &mut Dice| list(dice, inner);
    let text = match dice.roll(16) {
        // bash prints `elif` as an `if` within `else`: another tree with the same meaning.
        0 => format!("if {}; then {}; else {}; fi", body(dice), body(dice), body(dice)),
        1 => format!("{} {}; do {}; done", dice.pick(&["while", "until"]), body(dice), body(dice)),
        2 => format!("for i in {} {}; do {}; done", word(dice, inner), word(dice, inner), body(dice)),
        3 => format!("for x in \"$@\"; do {}; done", body(dice)),
        4 => format!("for ((i=0; i<3; i++)); do {}; done", body(dice)),
        5 => format!(
            "case {} in {}) {} {} (b|[c-d]*) {} ;; *) ;; esac",
            word(dice, inner),
            pattern(dice),
            body(dice),
            dice.pick(&[";;", ";&", ";;&"]),
            body(dice)
        ),
        6 => format!("{{ {}; }}", body(dice)),
        7 => format!("( {} )", body(dice)),
        // In braces: what follows a definition would belong to its body.
        8 => format!("{{ f() {{ {}; }}; }}", body(dice)),
        9 => format!("{{ function g-1 {{ {}; }}; }}", body(dice)),
        10 => format!("(( {} ))", dice.pick(&["a + 1", "x = y ? 2 : 3", "i++, j--", "1 << 2", "a[1] += 2"])),
        11 => format!(
            "[[ {} {} {} && ( -n $x || ! -f {} ) ]]",
            word(dice, 0),
            dice.pick(&["==", "!=", "<", "-eq", "-nt"]),
            word(dice, 0),
            word(dice, 0)
        ),
        12 => format!("select s in a b; do {}; done", body(dice)),
        13 => format!("{{ coproc NAME {{ {}; }}; }}", body(dice)),
        _ => return simple(dice, inner),
    };
    text + dice.pick(&["", "", "", " > out", " 2>&1 < in", " &>> log"])
}

fn simple(dice: &mut Dice, depth: u32) -> String {
    let mut words = Vec::new();
    if dice.roll(5) == 0 {
        words.push(dice.pick(&["x=1", "y=$x", "a+=(1 'b c' [5]=d)", "m[k]=v", "z='a b'\"$c\"", "e="]).to_owned());
    }
    words.push(dice.pick(&["echo", "cmd", "./run", "declare -a q=(1 2)", "export V=1", ":", "'a b'"]).to_owned());
    for _ in 0..dice.roll(4) {
        words.push(word(dice, depth));
    }
    if dice.roll(6) == 0 {
        words.push(
            dice.pick(&[
                "> f",
                ">> 'g h'",
                "2>&1",
                "< in",
                "<<< \"s $x\"",
                "3>&-",
                "{fd}> v",
                ">| c",
                "0<> rw",
                "&> both",
            ])
            .to_owned(),
        );
    }
    words.join(" ")
}

fn word(dice: &mut Dice, depth: u32) -> String {
    let plain = [
        "a",
        "b-c",
        "'s q'",
        "\"d $x q\"",
        "$1",
        "${y}",
        "${z:-d e}",
        "${#a[@]}",
        "\"${a[@]}\"",
        "${s//a/b}",
        "${s:1:2}",
        "${!r}",
        "$((1+2))",
        "\\$",
        "*.c",
        "{1,2}",
        "~/x",
        "\"${u:-\"in\"}\"",
        "${v@Q}",
        "${w^^}",
        "$?",
        "é",
    ];
    match dice.roll(12) {
        0 if depth > 0 => format!("$({})", list(dice, depth - 1)),
        1 if depth > 0 => format!("\"x$({})y\"", list(dice, depth - 1)),
        2 if depth > 0 => format!("<({})", list(dice, depth - 1)),
        3 => format!("{}{}", dice.pick(&plain), dice.pick(&plain)),
        _ => dice.pick(&plain).to_owned(),
    }
}

fn pattern(dice: &mut Dice) -> &'static str {
    dice.pick(&["a", "'x y'", "[a-z]*", "?", "$p", "a|b", "\"q\"*"])
}
