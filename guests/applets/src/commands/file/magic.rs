//! What the first bytes of a file say it is: a description and a MIME type.

use crate::codec::{Format, sniff};

pub struct Kind {
    pub text: String,
    pub mime: &'static str,
}

fn kind(text: impl Into<String>, mime: &'static str) -> Option<Kind> {
    Some(Kind { text: text.into(), mime })
}

fn be32(b: &[u8], at: usize) -> u32 {
    b.get(at..at + 4).map_or(0, |b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

fn be16(b: &[u8], at: usize) -> u16 {
    b.get(at..at + 2).map_or(0, |b| u16::from_be_bytes([b[0], b[1]]))
}

fn le16(b: &[u8], at: usize) -> u16 {
    be16(b, at).swap_bytes()
}

fn le32(b: &[u8], at: usize) -> u32 {
    be32(b, at).swap_bytes()
}

/// `size` is the whole file's.
pub fn identify(b: &[u8], tail: &[u8]) -> Option<Kind> {
    if let Some(packed) = sniff(b) {
        return compressed(packed, b, tail);
    }
    match b {
        [0x7f, b'E', b'L', b'F', ..] => elf(b),
        [0, b'a', b's', b'm', ..] => {
            let text = match le32(b, 4) {
                1 => "WebAssembly (wasm) binary module version 0x1 (MVP)".to_owned(),
                n => format!("WebAssembly (wasm) binary module version {n:#x}"),
            };
            kind(text, "application/wasm")
        }
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => png(b),
        [b'G', b'I', b'F', b'8', version @ (b'7' | b'9'), b'a', ..] => {
            let text = format!("GIF image data, version 8{}a, {} x {}", *version as char, le16(b, 6), le16(b, 8));
            kind(text, "image/gif")
        }
        [0xff, 0xd8, 0xff, ..] => jpeg(b),
        [b'B', b'M', ..] if le32(b, 14) == 40 || le32(b, 14) == 124 => {
            let (size, offset) = (le32(b, 2), le32(b, 10));
            let pixels = format!("{} x {} x {}", le32(b, 18), le32(b, 22), le16(b, 28));
            let text = format!("PC bitmap, Windows 3.x format, {pixels}, cbSize {size}, bits offset {offset}");
            kind(text, "image/bmp")
        }
        [b'I', b'I', 42, 0, ..] => kind("TIFF image data, little-endian", "image/tiff"),
        [b'M', b'M', 0, 42, ..] => kind("TIFF image data, big-endian", "image/tiff"),
        [b'R', b'I', b'F', b'F', ..] => riff(b),
        [b'%', b'P', b'D', b'F', b'-', rest @ ..] => {
            let version: String =
                rest.iter().take_while(|c| c.is_ascii_digit() || **c == b'.').map(|c| *c as char).collect();
            kind(format!("PDF document, version {version}"), "application/pdf")
        }
        [b'%', b'!', b'P', b'S', ..] => kind("PostScript document text", "application/postscript"),
        [b'P', b'K', 3, 4, ..] if b.len() >= 30 => zip(b),
        [b'P', b'K', 5, 6, ..] => kind("Zip archive data (empty)", "application/zip"),
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, major, minor, ..] => {
            kind(format!("7-zip archive data, version {major}.{minor}"), "application/x-7z-compressed")
        }
        [b'R', b'a', b'r', b'!', 0x1a, 7, 0, ..] => kind("RAR archive data", "application/x-rar"),
        [b'R', b'a', b'r', b'!', 0x1a, 7, 1, ..] => kind("RAR archive data, v5", "application/x-rar"),
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', b'\n', rest @ ..] => match rest.starts_with(b"debian-binary") {
            true => kind("Debian binary package (format 2.0)", "application/vnd.debian.binary-package"),
            false => kind("current ar archive", "application/x-archive"),
        },
        [b'0', b'7', b'0', b'7', b'0', b'1', ..] => kind("ASCII cpio archive (SVR4 with no CRC)", "application/x-cpio"),
        [b'0', b'7', b'0', b'7', b'0', b'2', ..] => kind("ASCII cpio archive (SVR4 with CRC)", "application/x-cpio"),
        [b'0', b'7', b'0', b'7', b'0', b'7', ..] => kind("ASCII cpio archive (pre-SVR4 or odc)", "application/x-cpio"),
        [0xc7, 0x71, ..] => kind("cpio archive", "application/x-cpio"),
        [0xca, 0xfe, 0xba, 0xbe, ..] if be16(b, 6) >= 43 => {
            let (major, minor) = (be16(b, 6), be16(b, 4));
            let java = match major {
                46..=52 => format!(" (Java 1.{})", major - 44),
                53.. => format!(" (Java SE {})", major - 44),
                _ => String::new(),
            };
            kind(format!("compiled Java class data, version {major}.{minor}{java}"), "application/x-java-applet")
        }
        [b'M', b'Z', ..] => portable(b),
        [b'I', b'D', b'3', major, minor, ..] => {
            kind(format!("Audio file with ID3 version 2.{major}.{minor}"), "audio/mpeg")
        }
        [b'f', b'L', b'a', b'C', ..] => kind("FLAC audio bitstream data", "audio/flac"),
        [b'O', b'g', b'g', b'S', ..] => kind("Ogg data", "application/ogg"),
        [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => match brand.get(..4) {
            Some(b"qt  ") => kind("ISO Media, Apple QuickTime movie, Apple QuickTime (.MOV/QT)", "video/quicktime"),
            Some(b"mp42") => kind("ISO Media, MP4 v2 [ISO 14496-14]", "video/mp4"),
            Some(b"isom") => kind("ISO Media, MP4 Base Media v1 [ISO 14496-12:2003]", "video/mp4"),
            Some(b"avif") => kind("ISO Media, AVIF Image", "image/avif"),
            Some(b"heic") => kind("ISO Media, HEIF Image HEVC Main or Main Still Picture Profile", "image/heic"),
            _ => kind("ISO Media", "video/mp4"),
        },
        [0x1a, 0x45, 0xdf, 0xa3, ..] => match memchr::memmem::find(&b[..b.len().min(64)], b"webm") {
            Some(_) => kind("WebM", "video/webm"),
            None => kind("Matroska data", "video/x-matroska"),
        },
        [0, 1, 0, 0, 0, ..] if b.len() > 12 && b[5] > 3 && b[5] < 64 => kind("TrueType Font data", "font/sfnt"),
        [b'O', b'T', b'T', b'O', ..] => kind("OpenType font data", "application/vnd.ms-opentype"),
        [b'w', b'O', b'F', b'F', ..] => kind("Web Open Font Format", "font/woff"),
        [b'w', b'O', b'F', b'2', ..] => kind("Web Open Font Format (Version 2)", "font/woff2"),
        _ if b.starts_with(b"SQLite format 3\0") && b.len() >= 100 => {
            let text = format!(
                "SQLite 3.x database, last written using SQLite version {}, file counter {}, database pages {}, cookie \
                 {:#x}, schema {}, {}, version-valid-for {}",
                be32(b, 96),
                be32(b, 24),
                be32(b, 28),
                be32(b, 40),
                be32(b, 44),
                match be32(b, 56) {
                    2 => "UTF-16 little endian",
                    3 => "UTF-16 big endian",
                    _ => "UTF-8",
                },
                be32(b, 92)
            );
            kind(text, "application/vnd.sqlite3")
        }
        _ if b.get(257..262) == Some(b"ustar") => match b.get(257..265) == Some(b"ustar  \0") {
            true => kind("POSIX tar archive (GNU)", "application/x-tar"),
            false => kind("POSIX tar archive", "application/x-tar"),
        },
        _ if b.get(512 + 257..512 + 262) == Some(b"ustar") => kind("POSIX tar archive", "application/x-tar"),
        _ => None,
    }
}

fn compressed(format: Format, b: &[u8], tail: &[u8]) -> Option<Kind> {
    match format {
        Format::Gzip => {
            let flags = *b.get(3)?;
            let mut text = String::from("gzip compressed data");
            if flags & 8 != 0 && flags & 4 == 0 {
                let name: Vec<u8> = b[10..].iter().copied().take_while(|c| *c != 0).collect();
                text += &format!(", was \"{}\"", String::from_utf8_lossy(&name));
            }
            let time = le32(b, 4);
            if time != 0 {
                let zone = crate::calendar::Zone::utc();
                let moment = crate::calendar::Moment::new(time.into(), 0, &zone).format(b"%a %b %e %H:%M:%S %Y");
                text += &format!(", last modified: {}", String::from_utf8_lossy(&moment));
            }
            match b.get(8) {
                Some(2) => text += ", max compression",
                Some(4) => text += ", max speed",
                _ => {}
            }
            match b.get(9) {
                Some(0) => text += ", from FAT filesystem (MS-DOS, OS/2, NT)",
                Some(3) => text += ", from Unix",
                Some(11) => text += ", from NTFS filesystem (NT)",
                _ => {}
            }
            if tail.len() >= 4 {
                text += &format!(", original size modulo 2^32 {}", le32(tail, tail.len() - 4));
            }
            kind(text, "application/gzip")
        }
        Format::Bzip2 => {
            kind(format!("bzip2 compressed data, block size = {}00k", *b.get(3)? as char), "application/x-bzip2")
        }
        Format::Xz => {
            let check = match b.get(7)? & 15 {
                0 => ", checksum NONE",
                1 => ", checksum CRC32",
                4 => ", checksum CRC64",
                10 => ", checksum SHA-256",
                _ => "",
            };
            kind(format!("XZ compressed data{check}"), "application/x-xz")
        }
        Format::Lzma => kind("LZMA compressed data, streamed", "application/x-lzma"),
        Format::Zstd => kind("Zstandard compressed data (v0.8+), Dictionary ID: None", "application/zstd"),
        Format::Lzw => {
            let bits = b.get(2)? & 0x1f;
            kind(format!("compress'd data {bits} bits"), "application/x-compress")
        }
    }
}

fn png(b: &[u8]) -> Option<Kind> {
    let color = match b.get(25) {
        Some(0) => "grayscale",
        Some(2) => "RGB",
        Some(3) => "colormap",
        Some(4) => "gray+alpha",
        Some(6) => "RGBA",
        _ => return kind("PNG image data", "image/png"),
    };
    let depth = b.get(24)?;
    let bits = if color == "grayscale" || color == "colormap" {
        format!("{depth}-bit {color}")
    } else {
        format!("{depth}-bit/color {color}")
    };
    let laced = if b.get(28) == Some(&1) { "interlaced" } else { "non-interlaced" };
    kind(format!("PNG image data, {} x {}, {bits}, {laced}", be32(b, 16), be32(b, 20)), "image/png")
}

fn jpeg(b: &[u8]) -> Option<Kind> {
    let mut text = String::from("JPEG image data");
    if b.get(6..11) == Some(b"JFIF\0") && b.len() > 18 {
        let units = match b[13] {
            0 => "aspect ratio",
            1 => "resolution (DPI)",
            _ => "resolution (DPCM)",
        };
        text += &format!(
            ", JFIF standard {}.{:02}, {units}, density {}x{}, segment length {}",
            b[11],
            b[12],
            be16(b, 14),
            be16(b, 16),
            be16(b, 4)
        );
    } else if b.get(6..10) == Some(b"Exif") {
        text += ", Exif standard";
    }
    // The frame header says how large it is.
    let mut at = 2;
    while at + 9 < b.len() && b[at] == 0xff {
        let (mark, length) = (b[at + 1], usize::from(be16(b, at + 2)));
        if matches!(mark, 0xc0..=0xc2) {
            let how = match mark {
                0xc0 => "baseline",
                0xc1 => "extended sequential",
                _ => "progressive",
            };
            let (height, width) = (be16(b, at + 5), be16(b, at + 7));
            text += &format!(", {how}, precision {}, {width}x{height}, components {}", b[at + 4], b[at + 9]);
            break;
        }
        at += 2 + length.max(2);
    }
    kind(text, "image/jpeg")
}

fn riff(b: &[u8]) -> Option<Kind> {
    match b.get(8..12) {
        Some(b"WAVE") => kind("RIFF (little-endian) data, WAVE audio", "audio/x-wav"),
        Some(b"AVI ") => kind("RIFF (little-endian) data, AVI", "video/x-msvideo"),
        Some(b"WEBP") => kind("RIFF (little-endian) data, Web/P image", "image/webp"),
        _ => kind("RIFF (little-endian) data", "application/octet-stream"),
    }
}

fn zip(b: &[u8]) -> Option<Kind> {
    let name = b.get(30..30 + usize::from(le16(b, 26)))?;
    let data = b.get(30 + name.len() + usize::from(le16(b, 28))..).unwrap_or_default();
    if name == b"mimetype" {
        if data.starts_with(b"application/epub+zip") {
            return kind("EPUB document", "application/epub+zip");
        }
        if data.starts_with(b"application/vnd.oasis.opendocument.text") {
            return kind("OpenDocument Text", "application/vnd.oasis.opendocument.text");
        }
        if data.starts_with(b"application/vnd.oasis.opendocument.spreadsheet") {
            return kind("OpenDocument Spreadsheet", "application/vnd.oasis.opendocument.spreadsheet");
        }
    }
    if name.starts_with(b"[Content_Types].xml") || name.starts_with(b"_rels/.rels") {
        let has = |part: &[u8]| memchr::memmem::find(b, part).is_some();
        if has(b"word/") {
            return kind(
                "Microsoft Word 2007+",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            );
        }
        if has(b"xl/") {
            return kind("Microsoft Excel 2007+", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
        }
        if has(b"ppt/") {
            return kind(
                "Microsoft PowerPoint 2007+",
                "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            );
        }
        return kind("Microsoft OOXML", "application/octet-stream");
    }
    if name.starts_with(b"META-INF/") {
        return kind("Java archive data (JAR)", "application/java-archive");
    }
    let version = le16(b, 4) & 0xff;
    let method = match le16(b, 8) {
        0 => "store".to_owned(),
        8 => "deflate".to_owned(),
        9 => "deflate64".to_owned(),
        12 => "bzip2".to_owned(),
        n => format!("[{n:#x}]"),
    };
    let text = format!(
        "Zip archive data, at least v{}.{} to extract, compression method={method}",
        version / 10,
        version % 10
    );
    kind(text, "application/zip")
}

fn portable(b: &[u8]) -> Option<Kind> {
    let at = le32(b, 0x3c) as usize;
    if b.get(at..at.checked_add(4)?) != Some(b"PE\0\0") {
        return kind("MS-DOS executable", "application/x-dosexec");
    }
    let machine = match le16(b, at + 4) {
        0x8664 => "x86-64",
        0xaa64 => "Aarch64",
        0x14c => "Intel 80386",
        _ => "unknown processor",
    };
    let size = if le16(b, at + 24) == 0x20b { "PE32+" } else { "PE32" };
    let role = if le16(b, at + 22) & 0x2000 != 0 { "executable (DLL)" } else { "executable" };
    let system = match le16(b, at + 24 + 68) {
        2 => "(GUI)",
        3 => "(console)",
        _ => "",
    };
    kind(format!("{size} {role} {system} {machine}, for MS Windows"), "application/vnd.microsoft.portable-executable")
}

fn elf(b: &[u8]) -> Option<Kind> {
    let (wide, little) = (*b.get(4)? == 2, *b.get(5)? == 1);
    let half = |at: usize| if little { le16(b, at) } else { be16(b, at) };
    let word = |at: usize| if little { le32(b, at) } else { be32(b, at) };
    let long = |at: usize| -> usize {
        if !wide {
            return word(at) as usize;
        }
        let (low, high) = if little { (word(at), word(at + 4)) } else { (word(at + 4), word(at)) };
        usize::try_from(u64::from(low) | u64::from(high) << 32).unwrap_or(usize::MAX)
    };
    let machine = match half(18) {
        3 => "Intel 80386",
        8 => "MIPS",
        20 => "PowerPC or cisco 4500",
        21 => "64-bit PowerPC or cisco 7500",
        40 => "ARM",
        62 => "x86-64",
        183 => "ARM aarch64",
        243 => "UCB RISC-V",
        247 => "eBPF",
        _ => "unknown machine",
    };
    // Program headers tell about the interpreter and the build.
    let (start, step, count) = match wide {
        true => (long(32), usize::from(half(54)), usize::from(half(56))),
        false => (long(28), usize::from(half(42)), usize::from(half(44))),
    };
    let (mut interpreter, mut build, mut dynamic, mut abi) = (None, None, false, None);
    for n in 0..count.min(64) {
        let at = start.checked_add(n.checked_mul(step)?)?;
        let Some(_) = b.get(at..at.checked_add(4)?) else { break };
        let (offset, size) = match wide {
            true => (long(at + 8), long(at + 32)),
            false => (long(at + 4), long(at + 16)),
        };
        let part = offset.checked_add(size).and_then(|end| b.get(offset..end));
        match (word(at), part) {
            (2, _) => dynamic = true,
            (3, Some(name)) => interpreter = Some(String::from_utf8_lossy(name).trim_end_matches('\0').to_owned()),
            (4, Some(mut note)) => {
                while note.len() >= 12 {
                    let field = |at: usize| if little { le32(note, at) } else { be32(note, at) } as usize;
                    let (names, data, of) = (field(0), field(4), field(8));
                    let from = 12 + names.next_multiple_of(4);
                    let Some(desc) = from.checked_add(data).and_then(|end| note.get(from..end)) else { break };
                    if note.get(12..16) == Some(b"GNU\0") && of == 3 {
                        build = Some(desc.iter().map(|d| format!("{d:02x}")).collect::<String>());
                    }
                    if note.get(12..16) == Some(b"GNU\0") && of == 1 && desc.len() >= 16 {
                        let part = |at: usize| if little { le32(desc, at) } else { be32(desc, at) };
                        abi = Some(format!("for GNU/Linux {}.{}.{}", part(4), part(8), part(12)));
                    }
                    note = note.get(from + data.next_multiple_of(4)..).unwrap_or_default();
                }
            }
            _ => {}
        }
    }
    let (role, mime) = match half(16) {
        1 => ("relocatable", "application/x-object"),
        2 => ("executable", "application/x-executable"),
        3 if interpreter.is_some() => ("pie executable", "application/x-pie-executable"),
        3 => ("shared object", "application/x-sharedlib"),
        4 => ("core file", "application/x-coredump"),
        _ => ("unknown type", "application/octet-stream"),
    };
    let system = match b.get(7)? {
        0 => "SYSV",
        3 => "GNU/Linux",
        9 => "FreeBSD",
        _ => "unknown",
    };
    let mut text = format!(
        "ELF {}-bit {} {role}, {machine}, version {} ({system})",
        if wide { 64 } else { 32 },
        if little { "LSB" } else { "MSB" },
        b.get(6)?
    );
    if half(16) == 2 || half(16) == 3 {
        text += if dynamic { ", dynamically linked" } else { ", statically linked" };
    }
    if let Some(name) = interpreter {
        text += &format!(", interpreter {name}");
    }
    if let Some(id) = build {
        text += &format!(", BuildID[sha1]={id}");
    }
    if let Some(abi) = abi {
        text += &format!(", {abi}");
    }
    kind(text, mime)
}
