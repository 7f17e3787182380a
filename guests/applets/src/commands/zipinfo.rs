//! `zipinfo`, also `unzip -Z`: what a zip archive tells of its members.

use super::unzip::{comment_lines, find, has_wildcard, matching, printable};
use crate::calendar::Zone;
use crate::zipfile::{self, Member};
use crate::{Args, Exit, Outcome, glob, mode, report};
use capsule_sys::{Out, fstat};

pub const HELP: &str = "\
Usage: zipinfo [-12smlhtTzC] FILE[.zip] [LIST] [-x XLIST]
List detailed information about a zip archive.

  -1  names only, one a line            -s  short Unix \"ls -l\" format (default)
  -2  like -1 but with -h, -t and -z    -m  medium format, with what was saved
  -h  the header line                   -l  long format, with packed sizes
  -t  the totals                        -T  times in a form that can be sorted
  -z  the archive's comment             -C  match names case-insensitively
  -x  exclude files that follow         -M  accepted: nothing is paged here
";

/// Where members were made, by number.
const HOSTS: &[&str] = &[
    "fat", "ami", "vms", "unx", "cms", "atr", "hpf", "mac", "zzz", "cpm", "t20", "ntf", "qds", "aco", "vft", "mvs",
    "be ", "nsk", "ths", "osx",
];

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Names,
    NamesAnd,
    Short,
    Medium,
    Long,
}

struct Info {
    style: Option<Style>,
    header: bool,
    totals: bool,
    comment: bool,
    sortable: bool,
    fold: bool,
    zone: Zone,
}

pub fn main(args: &Args) -> Outcome {
    let mut info = Info {
        style: None,
        header: false,
        totals: false,
        comment: false,
        sortable: false,
        fold: false,
        zone: Zone::local(),
    };
    let (mut archive, mut wanted, mut excluded, mut excluding) = (None, Vec::new(), Vec::new(), false);
    for word in args.rest() {
        if word.len() > 1 && word[0] == b'-' && (archive.is_none() || word == b"-x") {
            for letter in &word[1..] {
                match letter {
                    b'x' => excluding = true,
                    letter => info.letter(*letter)?,
                }
            }
        } else if archive.is_none() {
            archive = Some(word.as_slice());
        } else if excluding {
            excluded.push(word.as_slice());
        } else {
            wanted.push(word.as_slice());
        }
    }
    let mut out = Out::stdout();
    let Some(archive) = archive else {
        out.write(HELP.as_bytes());
        return report::finish(&mut out, if args.rest().is_empty() { 0 } else { 10 });
    };
    info.show(archive, &wanted, &excluded, out)
}

impl Info {
    fn letter(&mut self, letter: u8) -> Result<(), Exit> {
        match letter {
            b'1' => self.style = Some(Style::Names),
            b'2' => self.style = Some(Style::NamesAnd),
            b's' => self.style = Some(Style::Short),
            b'm' => self.style = Some(Style::Medium),
            b'l' => self.style = Some(Style::Long),
            b'h' => self.header = true,
            b't' => self.totals = true,
            b'z' => self.comment = true,
            b'T' => self.sortable = true,
            b'C' => self.fold = true,
            b'M' => {}
            other => {
                return Err(report::die(10, format_args!("option -{} is not supported here", other as char)));
            }
        }
        Ok(())
    }

    fn show(&self, archive: &[u8], wanted: &[&[u8]], excluded: &[&[u8]], mut out: Out) -> Outcome {
        let mut archives = vec![archive.to_vec()];
        if find(archive).is_none() && has_wildcard(archive) {
            archives = matching(archive);
        }
        let (mut good, mut worst) = (0, 0);
        for (at, name) in archives.iter().enumerate() {
            if at > 0 {
                out.byte(b'\n');
            }
            let status = self.archive(name, wanted, excluded, &mut out);
            good += u32::from(status == 0);
            worst = worst.max(status);
        }
        if archives.is_empty() {
            let shown = String::from_utf8_lossy(archive);
            let tried = format!("zipinfo:  cannot find or open {shown}, {shown}.zip or {shown}.ZIP.\n");
            self.complain(&format!("{tried}\nNo zipfiles found.\n"), &mut out);
            worst = 9;
        } else if archives.len() > 1 {
            let text = if good == 1 { "1 archive was".to_owned() } else { format!("{good} archives were") };
            self.complain(&format!("\n{text} successfully processed.\n"), &mut out);
        }
        report::finish(&mut out, worst)
    }

    fn archive(&self, archive: &[u8], wanted: &[&[u8]], excluded: &[&[u8]], out: &mut Out) -> u8 {
        let shown = String::from_utf8_lossy(archive).into_owned();
        let Some((name, file)) = find(archive) else {
            let text = format!("zipinfo:  cannot find or open {shown}, {shown}.zip or {shown}.ZIP.\n");
            self.complain(&text, out);
            return 9;
        };
        let size = fstat(file.raw()).map_or(0, |s| s.size);
        let Some(directory) = zipfile::directory(file.raw(), size).unwrap_or(None) else {
            let text = format!(
                "Archive:  {shown}\n[{shown}]\n  End-of-central-directory signature not found.  Either this file is not\n  a zipfile, or it \
                 constitutes one disk of a multi-part archive.  In the\n  latter case the central directory and zipfile \
                 comment will be found on\n  the last disk(s) of this archive.\nzipinfo:  cannot find zipfile directory \
                 in one of {shown} or\n          {shown}.zip, and cannot find {shown}.ZIP, period.\n"
            );
            self.complain(&text, out);
            return 9;
        };
        let members = &directory.members;
        // Without a word everything is shown, of some members only their lines.
        let plain = self.style.is_none() && !self.header && !self.totals;
        let some = !wanted.is_empty() || !excluded.is_empty();
        let whole = matches!(self.style, None | Some(Style::Short | Style::Medium | Style::Long)) && !some;
        let lists = plain || self.style.is_some() || some;
        let header = self.header || (whole && (plain || self.style.is_some()));
        let totals = self.totals || (whole && (plain || self.style.is_some()));
        let style = self.style.unwrap_or(Style::Short);
        let heads = header && style != Style::Names;
        if heads {
            out.write(&[b"Archive:  ", name.as_slice(), b"\n"].concat());
        }
        if self.comment && style != Style::Names && !directory.comment.is_empty() {
            out.write(&comment_lines(&directory.comment));
        }
        if heads {
            let count = members.len();
            out.write(format!("Zip file size: {size} bytes, number of entries: {count}\n").as_bytes());
        }
        if members.is_empty() {
            out.write(b"Empty zipfile.\n");
            return 1;
        }
        let mut seen = vec![false; wanted.len()];
        let (mut count, mut bytes, mut packed) = (0, 0u64, 0u64);
        for member in members {
            if !self.chosen(&member.name, wanted, excluded, &mut seen) {
                continue;
            }
            count += 1;
            bytes = bytes.saturating_add(member.size);
            packed = packed.saturating_add(member.packed_data());
            if lists {
                if !matches!(style, Style::Names | Style::NamesAnd) {
                    out.write(self.facts(member, style).as_bytes());
                }
                out.write(&printable(&member.name));
                out.byte(b'\n');
            }
        }
        if totals && style != Style::Names {
            let saved = per_mille(bytes, packed);
            let (sign, saved) = (if saved < 0 { "-" } else { "" }, saved.abs());
            let plural = if count == 1 { "" } else { "s" };
            let text = format!("{count} file{plural}, {bytes} bytes uncompressed, {packed} bytes compressed:");
            out.write(format!("{text}  {sign}{}.{}%\n", saved / 10, saved % 10).as_bytes());
        }
        let mut status = 0;
        for (pattern, _) in wanted.iter().zip(seen).filter(|(_, seen)| !seen) {
            let _ = out.flush();
            report::plain(&format!("caution: filename not matched:  {}\n", String::from_utf8_lossy(pattern)));
            status = 11;
        }
        status
    }

    /// Where names alone are wanted, nothing else comes between them.
    fn complain(&self, text: &str, out: &mut Out) {
        match self.style {
            Some(Style::Names) => report::plain(text),
            _ => out.write(text.as_bytes()),
        }
    }

    fn chosen(&self, name: &[u8], wanted: &[&[u8]], excluded: &[&[u8]], seen: &mut [bool]) -> bool {
        let matches = |pattern: &[u8]| match self.fold {
            true => glob::matches(&pattern.to_ascii_lowercase(), &name.to_ascii_lowercase(), false),
            false => pattern == name || glob::matches(pattern, name, false),
        };
        let mut any = wanted.is_empty();
        for (pattern, seen) in wanted.iter().zip(seen) {
            if matches(pattern) {
                (any, *seen) = (true, true);
            }
        }
        any && !excluded.iter().any(|pattern| matches(pattern))
    }

    /// What stands in front of a name.
    fn facts(&self, member: &Member, style: Style) -> String {
        let version = format!("{}.{}", member.made_by / 10, member.made_by % 10);
        let permissions = match member.mode {
            0 => format!("{:<12}", dos_permissions(member)),
            mode => format!("{}  ", mode::show(mode)),
        };
        let host = HOSTS.get(usize::from(member.host)).copied().unwrap_or("???");
        let text = member.internal & 1 != 0;
        let kind = match (member.flags & 1 != 0, text) {
            (false, false) => 'b',
            (false, true) => 't',
            (true, false) => 'B',
            (true, true) => 'T',
        };
        let extra = match (member.flags & 8 != 0, member.has_extra) {
            (false, false) => '-',
            (false, true) => 'x',
            (true, false) => 'l',
            (true, true) => 'X',
        };
        let packed = match style {
            Style::Medium => {
                let saved = per_mille(member.size, member.packed_data());
                format!("{:3}%", (saved + 5 * saved.signum()) / 10)
            }
            Style::Long => format!(" {:8}", member.packed),
            _ => String::new(),
        };
        let method = match member.method {
            0 => "stor".to_owned(),
            1 => "shrk".to_owned(),
            8 => format!("def{}", ['N', 'X', 'F', 'S'][usize::from(member.flags >> 1 & 3)]),
            9 => format!("d64{}", ['N', 'X', 'F', 'S'][usize::from(member.flags >> 1 & 3)]),
            12 => "bzp2".to_owned(),
            14 => "lzma".to_owned(),
            other => format!("u{other:03}"),
        };
        let when = member.when(&self.zone);
        let date = when.format(if self.sortable { b"%Y%m%d.%H%M%S" } else { b"%y-%b-%d %H:%M" });
        let date = String::from_utf8_lossy(&date).into_owned();
        format!("{permissions}{version} {host} {:8} {kind}{extra}{packed} {method} {date} ", member.size)
    }
}

/// As DOS knows them: read-only, archived, hidden, system.
fn dos_permissions(member: &Member) -> String {
    let bit = |bit: u32, yes: char, no: char| if member.attributes & bit != 0 { yes } else { no };
    let directory = member.attributes & 0x10 != 0;
    let runs = [b".com".as_slice(), b".exe", b".btm", b".cmd", b".bat"];
    let runs = directory || runs.iter().any(|end| member.name.to_ascii_lowercase().ends_with(end));
    [
        bit(0x10, 'd', '-'),
        'r',
        bit(0x01, '-', 'w'),
        if runs { 'x' } else { '-' },
        bit(0x20, 'a', '-'),
        bit(0x02, 'h', '-'),
        bit(0x04, 's', '-'),
    ]
    .iter()
    .collect()
}

/// How much was saved, in thousandths.
fn per_mille(size: u64, packed: u64) -> i64 {
    if size == 0 {
        return 0;
    }
    let part = |n: u64| ((u128::from(n) * 1000 + u128::from(size) / 2) / u128::from(size)) as i64;
    if size >= packed { part(size - packed) } else { -part(packed - size) }
}
