//! Lists of what an archive has.

use super::{Unzip, printable};
use crate::zipfile::Member;

impl Unzip {
    pub(super) fn listing(&mut self, members: &[&Member]) {
        let heads = self.quiet < 2;
        let (mut total, mut packed) = (0u64, 0u64);
        if heads {
            self.out.write(match self.verbose {
                true => b" Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n--------  ------  ------- ---- ---------- ----- --------  ----\n",
                false => b"  Length      Date    Time    Name\n---------  ---------- -----   ----\n",
            });
        }
        for member in members {
            total = total.saturating_add(member.size);
            packed = packed.saturating_add(member.packed_data());
            let date = member.when(&self.zone).format(b"%Y-%m-%d %H:%M");
            let date = String::from_utf8_lossy(&date).into_owned();
            let line = if self.verbose {
                let letter = ['N', 'X', 'F', 'S'][usize::from(member.flags >> 1 & 3)];
                let method = match member.method {
                    0 => "Stored".to_owned(),
                    1 => "Shrunk".to_owned(),
                    8 => format!("Defl:{letter}"),
                    9 => format!("Def64{letter}"),
                    12 => "BZip2".to_owned(),
                    14 => "LZMA".to_owned(),
                    other => format!("Unk:{other:03}"),
                };
                let packed = member.packed_data();
                let saved = saved(member.size, packed);
                format!("{:8}  {method:<7}{packed:8} {saved:3}% {date} {:08x}  ", member.size, member.crc)
            } else {
                format!("{:9}  {date}   ", member.size)
            };
            self.out.write(line.as_bytes());
            self.out.write(&printable(&member.name));
            self.out.byte(b'\n');
        }
        if heads {
            let files = if members.len() == 1 { "1 file".to_owned() } else { format!("{} files", members.len()) };
            let text = match self.verbose {
                true => format!(
                    "--------          -------  ---                            -------\n{total:8}         {packed:8} {:3}%                            {files}\n",
                    saved(total, packed)
                ),
                false => format!("---------                     -------\n{total:9}                     {files}\n"),
            };
            self.out.write(text.as_bytes());
        }
    }
}

fn saved(size: u64, packed: u64) -> i64 {
    if size == 0 {
        return 0;
    }
    let share = 1000 * (size as i128 - packed as i128) / size as i128;
    ((share + if share >= 0 { 5 } else { -5 }) / 10) as i64
}
