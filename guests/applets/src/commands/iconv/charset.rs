//! The encodings themselves.

use super::legacy;
use super::pages::{self, Page};
use encoding_rs::Encoding;

/// Which byte of a unit comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Little,
    Big,
    /// Told by a mark at the beginning, or little.
    Marked,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charset {
    Ascii,
    Utf8,
    Utf16(Order),
    Utf32(Order),
    Ucs2(Order),
    Latin1,
    /// ISO-8859-1 but for some characters.
    Latin(&'static [(u8, char)]),
    Windows1252,
    /// ASCII and a table.
    Page(&'static Page),
    /// Of one country or maker, as the Encoding Standard of the web has them.
    Legacy(&'static Encoding),
}

/// What is wrong with a piece of text.
pub enum Broken {
    /// It ends in the middle of a character.
    Short,
    /// So many bytes are none.
    Bad(usize),
}

pub static NAMES: &[(Charset, &[&str])] = &[
    (
        Charset::Ascii,
        &["ANSI_X3.4-1968", "ANSI_X3.4-1986", "ASCII", "CP367", "IBM367", "ISO-IR-6", "ISO646-US", "US", "US-ASCII"],
    ),
    (Charset::Utf8, &["ISO-10646/UTF8", "ISO-10646/UTF-8", "UTF-8", "UTF8"]),
    (Charset::Utf16(Order::Marked), &["UTF-16", "UTF16", "UNICODE"]),
    (Charset::Utf16(Order::Little), &["UTF-16LE"]),
    (Charset::Utf16(Order::Big), &["UTF-16BE"]),
    (Charset::Utf32(Order::Marked), &["UTF-32", "UTF32"]),
    (Charset::Utf32(Order::Little), &["UTF-32LE", "UCS-4LE", "WCHAR_T"]),
    (Charset::Utf32(Order::Big), &["UTF-32BE", "UCS-4", "UCS-4BE", "UCS4"]),
    (Charset::Ucs2(Order::Little), &["UCS-2", "UCS2", "UCS-2LE"]),
    (Charset::Ucs2(Order::Big), &["UCS-2BE"]),
    (
        Charset::Latin1,
        &["8859_1", "CP819", "IBM819", "ISO-8859-1", "ISO8859-1", "ISO88591", "ISO_8859-1", "L1", "LATIN1"],
    ),
    (Charset::Latin(LATIN9), &["ISO-8859-15", "ISO8859-15", "ISO885915", "ISO_8859-15", "LATIN-9"]),
    (Charset::Latin(LATIN5), &["ISO-8859-9"]),
    (Charset::Windows1252, &["CP1252", "MS-ANSI", "WINDOWS-1252"]),
    (Charset::Legacy(encoding_rs::ISO_8859_2), &["ISO-8859-2"]),
    (Charset::Legacy(encoding_rs::ISO_8859_3), &["ISO-8859-3"]),
    (Charset::Legacy(encoding_rs::ISO_8859_4), &["ISO-8859-4"]),
    (Charset::Legacy(encoding_rs::ISO_8859_5), &["ISO-8859-5"]),
    (Charset::Legacy(encoding_rs::ISO_8859_6), &["ISO-8859-6"]),
    (Charset::Legacy(encoding_rs::ISO_8859_7), &["ISO-8859-7"]),
    (Charset::Legacy(encoding_rs::ISO_8859_8), &["ISO-8859-8"]),
    (Charset::Legacy(encoding_rs::ISO_8859_10), &["ISO-8859-10"]),
    (Charset::Legacy(encoding_rs::ISO_8859_13), &["ISO-8859-13"]),
    (Charset::Legacy(encoding_rs::ISO_8859_14), &["ISO-8859-14"]),
    (Charset::Legacy(encoding_rs::ISO_8859_16), &["ISO-8859-16"]),
    (Charset::Legacy(encoding_rs::KOI8_R), &["KOI8-R"]),
    (Charset::Legacy(encoding_rs::KOI8_U), &["KOI8-U"]),
    (Charset::Legacy(encoding_rs::IBM866), &["CP866"]),
    (Charset::Page(&pages::CP437), &["CP437", "437", "CSPC8CODEPAGE437"]),
    (Charset::Page(&pages::CP737), &["CP737"]),
    (Charset::Page(&pages::CP775), &["CP775", "CSPC775BALTIC"]),
    (Charset::Page(&pages::CP850), &["CP850", "850", "CSPC850MULTILINGUAL"]),
    (Charset::Page(&pages::CP852), &["CP852", "852", "CSPCP852"]),
    (Charset::Page(&pages::CP855), &["CP855", "855", "CSIBM855"]),
    (Charset::Page(&pages::CP857), &["CP857", "857", "CSIBM857"]),
    (Charset::Page(&pages::CP858), &["CP858", "858", "CSPC858MULTILINGUAL"]),
    (Charset::Page(&pages::CP860), &["CP860", "860", "CSIBM860"]),
    (Charset::Page(&pages::CP861), &["CP861", "861", "CPIBM861"]),
    (Charset::Page(&pages::CP862), &["CP862", "862", "CSPC862LATINHEBREW"]),
    (Charset::Page(&pages::CP863), &["CP863", "863", "CSIBM863"]),
    (Charset::Page(&pages::CP865), &["CP865", "865", "CSIBM865"]),
    (Charset::Page(&pages::CP869), &["CP869", "869", "CSIBM869"]),
    (Charset::Legacy(encoding_rs::WINDOWS_1250), &["CP1250"]),
    (Charset::Legacy(encoding_rs::WINDOWS_1251), &["CP1251"]),
    (Charset::Legacy(encoding_rs::WINDOWS_1253), &["CP1253"]),
    (Charset::Legacy(encoding_rs::WINDOWS_1254), &["CP1254"]),
    (Charset::Legacy(encoding_rs::WINDOWS_1255), &["CP1255"]),
    (Charset::Legacy(encoding_rs::WINDOWS_1256), &["CP1256"]),
    (Charset::Legacy(encoding_rs::WINDOWS_1257), &["CP1257"]),
    (Charset::Legacy(encoding_rs::WINDOWS_1258), &["CP1258"]),
    (Charset::Legacy(encoding_rs::WINDOWS_874), &["CP874"]),
    (Charset::Legacy(encoding_rs::MACINTOSH), &["MAC", "MACINTOSH", "CSMACINTOSH"]),
    (Charset::Legacy(encoding_rs::BIG5), &["BIG-5", "BIG-FIVE", "BIG5", "BIGFIVE", "CN-BIG5", "CP950"]),
    (Charset::Legacy(encoding_rs::EUC_JP), &["EUC-JP", "EUCJP", "UJIS"]),
    (
        Charset::Legacy(encoding_rs::SHIFT_JIS),
        &["SHIFT-JIS", "SHIFT_JIS", "SJIS", "MS_KANJI", "CP932", "MS932", "SJIS-WIN", "WINDOWS-31J"],
    ),
    (Charset::Legacy(encoding_rs::EUC_KR), &["EUC-KR", "EUCKR", "UHC", "CP949", "MSCP949"]),
    (
        Charset::Legacy(encoding_rs::GBK),
        &["GBK", "CP936", "MS936", "WINDOWS-936", "GB2312", "EUC-CN", "EUCCN", "CN-GB"],
    ),
    (Charset::Legacy(encoding_rs::GB18030), &["GB18030"]),
];

/// What ISO-8859-15 has in place of eight characters of ISO-8859-1.
const LATIN9: &[(u8, char)] =
    &[(0xa4, '€'), (0xa6, 'Š'), (0xa8, 'š'), (0xb4, 'Ž'), (0xb8, 'ž'), (0xbc, 'Œ'), (0xbd, 'œ'), (0xbe, 'Ÿ')];

/// What ISO-8859-9 has in place of six.
const LATIN5: &[(u8, char)] = &[(0xd0, 'Ğ'), (0xdd, 'İ'), (0xde, 'Ş'), (0xf0, 'ğ'), (0xfd, 'ı'), (0xfe, 'ş')];

/// 0x80 to 0x9f of code page 1252; five have no meaning.
const WINDOWS: &[char; 32] = &[
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’', '“', '”', '•',
    '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

impl Charset {
    pub fn named(name: &str) -> Option<Charset> {
        let upper = name.to_ascii_uppercase();
        let known = |name: &str| NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(charset, _)| *charset);
        known(&upper).or_else(|| known(&usual_name(&upper)?))
    }

    /// The same with the order of bytes settled, where a mark would tell it.
    pub fn with(self, order: Order) -> Charset {
        match self {
            Charset::Utf16(Order::Marked) => Charset::Utf16(order),
            Charset::Utf32(Order::Marked) => Charset::Utf32(order),
            other => other,
        }
    }

    /// What a text's mark tells, and the mark's length.
    pub fn order_of(self, text: &[u8]) -> Option<(Order, usize)> {
        let (little, big): (&[u8], &[u8]) = match self {
            Charset::Utf16(Order::Marked) => (b"\xff\xfe", b"\xfe\xff"),
            Charset::Utf32(Order::Marked) => (b"\xff\xfe\0\0", b"\0\0\xfe\xff"),
            _ => return None,
        };
        Some(if text.starts_with(little) {
            (Order::Little, little.len())
        } else if text.starts_with(big) {
            (Order::Big, big.len())
        } else {
            (Order::Little, 0)
        })
    }

    /// The mark that output begins with.
    pub fn mark(self) -> &'static [u8] {
        match self {
            Charset::Utf16(Order::Marked) => b"\xff\xfe",
            Charset::Utf32(Order::Marked) => b"\xff\xfe\0\0",
            _ => b"",
        }
    }

    /// The first character of a text, and its length.
    pub fn decode(self, text: &[u8]) -> Result<(char, usize), Broken> {
        let first = text[0];
        let single = |c: char| Ok((c, 1));
        match self {
            Charset::Ascii if first < 0x80 => single(first.into()),
            Charset::Ascii => Err(Broken::Bad(1)),
            Charset::Latin1 => single(first.into()),
            Charset::Latin(others) => {
                single(others.iter().find(|(b, _)| *b == first).map_or(first.into(), |(_, c)| *c))
            }
            Charset::Windows1252 => match first {
                0x80..=0x9f => match WINDOWS[usize::from(first - 0x80)] {
                    '\0' => Err(Broken::Bad(1)),
                    c => single(c),
                },
                _ => single(first.into()),
            },
            Charset::Page(_) if first < 0x80 => single(first.into()),
            Charset::Page(page) => match char::from_u32(page[usize::from(first & 0x7f)].into()) {
                None | Some('\0') => Err(Broken::Bad(1)),
                Some(c) => single(c),
            },
            Charset::Legacy(encoding) => legacy::decode(encoding, text),
            Charset::Utf8 => utf8(text),
            Charset::Utf16(order) => utf16(text, order),
            Charset::Ucs2(order) => {
                let unit = unit(text, 2, order)?;
                char::from_u32(unit).map(|c| (c, 2)).ok_or(Broken::Bad(2))
            }
            Charset::Utf32(order) => {
                let unit = unit(text, 4, order)?;
                char::from_u32(unit).map(|c| (c, 4)).ok_or(Broken::Bad(4))
            }
        }
    }

    /// Writes a character; whether there is such a one.
    pub fn encode(self, c: char, to: &mut Vec<u8>) -> bool {
        let code = u32::from(c);
        let mut units = |unit: u32, size: usize, order: Order| match order {
            Order::Big => to.extend_from_slice(&unit.to_be_bytes()[4 - size..]),
            _ => to.extend_from_slice(&unit.to_le_bytes()[..size]),
        };
        match self {
            Charset::Legacy(encoding) => return legacy::encode(encoding, c, to),
            Charset::Utf32(order) => units(code, 4, order),
            Charset::Utf16(order) => {
                let mut pair = [0; 2];
                c.encode_utf16(&mut pair).iter().for_each(|unit| units((*unit).into(), 2, order));
            }
            Charset::Ucs2(order) if code <= 0xffff => units(code, 2, order),
            Charset::Utf8 => to.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Charset::Ascii | Charset::Page(_) if c.is_ascii() => to.push(code as u8),
            Charset::Page(page) => match page.iter().position(|other| u32::from(*other) == code) {
                Some(at) => to.push(0x80 + at as u8),
                None => return false,
            },
            Charset::Latin1 if code <= 0xff => to.push(code as u8),
            Charset::Latin(others) => match others.iter().find(|(byte, other)| *other == c || u32::from(*byte) == code)
            {
                Some((byte, other)) if *other == c => to.push(*byte),
                None if code <= 0xff => to.push(code as u8),
                _ => return false,
            },
            Charset::Windows1252 => match WINDOWS.iter().position(|other| *other == c && c != '\0') {
                Some(at) => to.push(0x80 + at as u8),
                None if code < 0x80 || (0xa0..=0xff).contains(&code) => to.push(code as u8),
                None => return false,
            },
            _ => return false,
        }
        true
    }
}

/// The name in [`NAMES`] of a family's member that is called otherwise.
fn usual_name(upper: &str) -> Option<String> {
    const ALSO: &[(&str, &str)] = &[
        ("LATIN2", "2"),
        ("LATIN3", "3"),
        ("LATIN4", "4"),
        ("CYRILLIC", "5"),
        ("ARABIC", "6"),
        ("GREEK", "7"),
        ("HEBREW", "8"),
        ("LATIN5", "9"),
        ("LATIN6", "10"),
        ("LATIN7", "13"),
        ("LATIN8", "14"),
        ("LATIN10", "16"),
    ];
    let iso = |prefix| upper.strip_prefix(prefix);
    let part = iso("ISO8859-").or_else(|| iso("ISO_8859-")).or_else(|| iso("8859_")).or_else(|| iso("ISO8859"));
    if let Some(part) = part.or_else(|| ALSO.iter().find(|(name, _)| *name == upper).map(|(_, part)| *part)) {
        return Some(format!("ISO-8859-{part}"));
    }
    let page = ["WINDOWS-", "IBM", "MS-CP"].iter().find_map(|prefix| upper.strip_prefix(prefix))?;
    Some(format!("CP{page}"))
}

fn utf8(text: &[u8]) -> Result<(char, usize), Broken> {
    let length = match text[0] {
        0..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Err(Broken::Bad(1)),
    };
    let piece = &text[..length.min(text.len())];
    match std::str::from_utf8(piece) {
        Ok(good) => Ok((good.chars().next().unwrap_or('\0'), length)),
        Err(error) if error.error_len().is_none() => Err(Broken::Short),
        Err(error) => Err(Broken::Bad(error.error_len().unwrap_or(1))),
    }
}

fn utf16(text: &[u8], order: Order) -> Result<(char, usize), Broken> {
    let first = unit(text, 2, order)?;
    match first {
        0xd800..=0xdbff => {
            let second = unit(text.get(2..).unwrap_or_default(), 2, order)?;
            if !(0xdc00..=0xdfff).contains(&second) {
                return Err(Broken::Bad(2));
            }
            let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            char::from_u32(code).map(|c| (c, 4)).ok_or(Broken::Bad(4))
        }
        _ => char::from_u32(first).map(|c| (c, 2)).ok_or(Broken::Bad(2)),
    }
}

fn unit(text: &[u8], size: usize, order: Order) -> Result<u32, Broken> {
    let bytes = text.get(..size).ok_or(Broken::Short)?;
    let fold = |n: u32, b: &u8| n << 8 | u32::from(*b);
    Ok(if order == Order::Big { bytes.iter().fold(0, fold) } else { bytes.iter().rev().fold(0, fold) })
}

/// What stands for a character that an encoding lacks.
pub fn instead(c: char) -> &'static str {
    match c {
        '‘' | '’' | '‚' | '‹' => "'",
        '›' => "'",
        '“' | '”' | '„' => "\"",
        '«' => "<<",
        '»' => ">>",
        '–' | '‐' | '‑' => "-",
        '—' => "--",
        '…' => "...",
        '€' => "EUR",
        '™' => "(TM)",
        '©' => "(C)",
        '®' => "(R)",
        '\u{a0}' => " ",
        'ß' => "ss",
        'Æ' => "AE",
        'æ' => "ae",
        'Œ' => "OE",
        'œ' => "oe",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        '\u{300}'..='\u{36f}' => "",
        '¼' => " 1/4 ",
        '½' => " 1/2 ",
        '¾' => " 3/4 ",
        // The plain C locale knows no letters but its own.
        'À'..='ſ' if crate::quote::is_utf8() => plain_letter(c),
        _ => "?",
    }
}

/// The letter under an accent, from À on; `?` where there is none.
const LETTERS: &str = "AAAAAA?CEEEEIIIIDNOOOOOxOUUUUY??aaaaaa?ceeeeiiiidnooooo?ouuuuy?yAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi??JjKk?LlLlLlLlLlNnNnNnn??OoOoOo??RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

fn plain_letter(c: char) -> &'static str {
    let at = u32::from(c).wrapping_sub(0xc0) as usize;
    LETTERS.get(at..at + 1).unwrap_or("?")
}
