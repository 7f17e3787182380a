//! The colors of paths, numbers, columns and matches, as `--colors` sets them.

#[derive(Clone, Default)]
struct Style {
    foreground: Option<Color>,
    background: Option<Color>,
    bold: bool,
    intense: bool,
    underline: bool,
}

#[derive(Clone, Copy)]
enum Color {
    /// One of the eight with a name.
    Named(u8),
    Numbered(u8),
    Mixed(u8, u8, u8),
}

/// What is written before each kind of text; nothing where it is as all else.
#[derive(Clone)]
pub struct Colors {
    styles: [Style; 4],
    pub path: Vec<u8>,
    pub line: Vec<u8>,
    pub column: Vec<u8>,
    pub matched: Vec<u8>,
}

const KINDS: [&str; 4] = ["path", "line", "column", "match"];
const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

impl Colors {
    pub fn new() -> Colors {
        let named = |n| Style { foreground: Some(Color::Named(n)), ..Style::default() };
        let styles = [named(5), named(2), Style::default(), Style { bold: true, ..named(1) }];
        let mut colors = Colors { styles, path: Vec::new(), line: Vec::new(), column: Vec::new(), matched: Vec::new() };
        colors.write_out();
        colors
    }

    fn write_out(&mut self) {
        let [path, line, column, matched] = self.styles.each_ref().map(Style::sequence);
        // Names and numbers are set off even where they have no color.
        let set_off = |style: Vec<u8>| if style.is_empty() { b"\x1b[0m".to_vec() } else { style };
        (self.path, self.line, self.column) = (set_off(path), set_off(line), set_off(column));
        self.matched = matched;
    }

    /// `KIND:ATTRIBUTE:VALUE`, or what is wrong with it.
    pub fn set(&mut self, spec: &str) -> Result<(), String> {
        let parts: Vec<&str> = spec.split(':').collect();
        if !matches!(parts.len(), 2 | 3) {
            return Err(malformed(spec));
        }
        let Some(kind) = KINDS.iter().position(|kind| parts[0].eq_ignore_ascii_case(kind)) else {
            return Err(format!("unrecognized output type '{}'. Choose from: path, line, column, match.", parts[0]));
        };
        let style = &mut self.styles[kind];
        let attribute = parts[1].to_ascii_lowercase();
        match (attribute.as_str(), parts.get(2)) {
            ("none", _) => *style = Style::default(),
            ("fg" | "bg" | "style", None) => return Err(malformed(spec)),
            ("fg", Some(value)) => style.foreground = Some(color(value)?),
            ("bg", Some(value)) => style.background = Some(color(value)?),
            ("style", Some(value)) => style.set(value)?,
            _ => return Err(format!("unrecognized spec type '{}'. Choose from: fg, bg, style, none.", parts[1])),
        }
        self.write_out();
        Ok(())
    }
}

fn malformed(spec: &str) -> String {
    format!("invalid color spec format: '{spec}'. Valid format is '(path|line|column|match):(fg|bg|style):(value)'.")
}

fn color(text: &str) -> Result<Color, String> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u8::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    if let Some(named) = NAMES.iter().position(|name| text.eq_ignore_ascii_case(name)) {
        return Ok(Color::Named(named as u8));
    }
    if text.contains(',') {
        let parts: Option<Vec<u8>> = text.split(',').map(number).collect();
        return match parts.as_deref() {
            Some(&[red, green, blue]) => Ok(Color::Mixed(red, green, blue)),
            _ => Err(format!(
                "unrecognized RGB color triple, should be '[0-255],[0-255],[0-255]' (or a hex triple), but is '{text}'"
            )),
        };
    }
    match number(text) {
        Some(n) => Ok(Color::Numbered(n)),
        None if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            Err(format!("unrecognized ansi256 color number, should be '[0-255]' (or a hex number), but is '{text}'"))
        }
        None => Err(format!(
            "unrecognized color name '{text}'. Choose from: black, blue, green, red, cyan, magenta, yellow, white"
        )),
    }
}

impl Style {
    fn set(&mut self, value: &str) -> Result<(), String> {
        let word = value.to_ascii_lowercase();
        let (name, on) = word.strip_prefix("no").map_or((word.as_str(), true), |name| (name, false));
        match name {
            "bold" => self.bold = on,
            "intense" => self.intense = on,
            "underline" => self.underline = on,
            _ => {
                return Err(format!(
                    "unrecognized style attribute '{value}'. \
                     Choose from: nobold, bold, nointense, intense, nounderline, underline."
                ));
            }
        }
        Ok(())
    }

    fn sequence(&self) -> Vec<u8> {
        let mut text = String::new();
        for (on, code) in [(self.bold, "1"), (self.underline, "4")] {
            if on {
                text += &format!("\x1b[{code}m");
            }
        }
        for (color, ground) in [(self.foreground, 3), (self.background, 4)] {
            match color {
                None => {}
                Some(Color::Named(n)) if self.intense => text += &format!("\x1b[{ground}8;5;{}m", n + 8),
                Some(Color::Named(n)) => text += &format!("\x1b[{ground}{n}m"),
                Some(Color::Numbered(n)) => text += &format!("\x1b[{ground}8;5;{n}m"),
                Some(Color::Mixed(r, g, b)) => text += &format!("\x1b[{ground}8;2;{r};{g};{b}m"),
            }
        }
        if text.is_empty() { Vec::new() } else { [b"\x1b[0m", text.as_bytes()].concat() }
    }
}
