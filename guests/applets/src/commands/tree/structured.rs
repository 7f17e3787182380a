//! The tree as JSON or XML.

use super::show::human;
use super::{Node, Tree};
use crate::mode;
use capsule_sys::FileType;

impl Tree<'_> {
    pub fn json(&mut self, node: &Node, depth: usize) {
        let kind = kind(node);
        let name = if self.full { &node.path } else { &node.name };
        let indent = "  ".repeat(depth);
        let mut text = format!("{indent}{{\"type\":\"{kind}\",\"name\":{}", json(name));
        if let Some((target, _)) = &node.target {
            text += &format!(",\"target\":{}", json(target));
        }
        if self.inodes {
            text += &format!(",\"inode\":{}", node.stat.ino);
        }
        if self.device {
            text += &format!(",\"dev\":{}", node.stat.dev);
        }
        if self.protections {
            text += &format!(",\"mode\":\"{:04o}\",\"prot\":\"{}\"", node.stat.mode, mode::show(node.stat.st_mode()));
        }
        if self.owner {
            let user = self.users.name(node.stat.uid).unwrap_or_else(|| node.stat.uid.to_string());
            text += &format!(",\"user\":\"{user}\"");
        }
        if self.group {
            let group = self.groups.name(node.stat.gid).unwrap_or_else(|| node.stat.gid.to_string());
            text += &format!(",\"group\":\"{group}\"");
        }
        if self.sizes {
            text += &match self.size {
                None => format!(",\"size\":{}", node.bytes),
                Some(base) => format!(",\"size\":\"{}\"", human(node.bytes, base).trim_start()),
            };
        }
        if self.date {
            text += &format!(",\"time\":{}", json(&self.date_of(&node.stat)));
        }
        self.out.write(text.as_bytes());
        if let Some(inside) = node.inside.as_ref().filter(|i| !i.is_empty() || depth == 1) {
            self.out.write(b",\"contents\":[");
            for (i, child) in inside.iter().enumerate() {
                self.out.write(if i > 0 { b",\n" } else { b"\n" });
                self.count(child);
                self.json(child, depth + 1);
            }
            let end = if inside.is_empty() { String::new() } else { format!("\n{indent}") };
            self.out.write(format!("{end}]").as_bytes());
        }
        if let Some(why) = node.trouble.as_ref().filter(|_| node.stat.kind != FileType::Directory) {
            let why = why.trim().trim_matches(['[', ']']);
            self.out.write(format!(",\"contents\":[{{\"error\": \"{why}\"}}\n\n{indent}]").as_bytes());
        }
        self.out.byte(b'}');
    }
    pub fn xml(&mut self, node: &Node, depth: usize) {
        let kind = kind(node);
        let name = if self.full { &node.path } else { &node.name };
        let indent = "  ".repeat(depth);
        let mut text = format!("{indent}<{kind} name=\"{}\"", xml(name));
        if let Some((target, _)) = &node.target {
            text += &format!(" target=\"{}\"", xml(target));
        }
        if self.inodes {
            text += &format!(" inode=\"{}\"", node.stat.ino);
        }
        if self.device {
            text += &format!(" dev=\"{}\"", node.stat.dev);
        }
        if self.protections {
            let (mode, shown) = (node.stat.mode, mode::show(node.stat.st_mode()));
            text += &format!(" mode=\"{mode:04o}\" prot=\"{shown}\"");
        }
        if self.owner {
            let user = self.users.name(node.stat.uid).unwrap_or_else(|| node.stat.uid.to_string());
            text += &format!(" user=\"{}\"", xml(user.as_bytes()));
        }
        if self.group {
            let group = self.groups.name(node.stat.gid).unwrap_or_else(|| node.stat.gid.to_string());
            text += &format!(" group=\"{}\"", xml(group.as_bytes()));
        }
        if self.sizes {
            // Never scaled, there as here.
            text += &format!(" size=\"{}\"", node.bytes);
        }
        if self.date {
            text += &format!(" time=\"{}\"", xml(&self.date_of(&node.stat)));
        }
        self.out.write((text + ">").as_bytes());
        if let Some(trouble) = &node.trouble {
            let why = trouble.trim().trim_matches(['[', ']']);
            self.out.write(format!("<error>{why}</error>").as_bytes());
            if node.stat.kind != FileType::Directory {
                self.out.write(format!("\n{indent}").as_bytes());
            }
        }
        if let Some(inside) = node.inside.as_ref().filter(|i| !i.is_empty() || depth == 1) {
            self.out.byte(b'\n');
            for child in inside {
                self.count(child);
                self.xml(child, depth + 1);
            }
            self.out.write(indent.as_bytes());
        }
        self.out.write(format!("</{kind}>\n").as_bytes());
    }
}

fn kind(node: &Node) -> &'static str {
    match (node.target.is_some(), node.stat.kind) {
        (true, _) => "link",
        (_, FileType::Directory) => "directory",
        (_, FileType::Regular) => "file",
        (_, FileType::Fifo) => "fifo",
        (_, FileType::Socket) => "socket",
        (_, FileType::CharDevice) => "char",
        (_, FileType::BlockDevice) => "block",
        _ => "link",
    }
}

/// The value of an attribute.
fn xml(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    escaped.replace('"', "&quot;")
}

/// A string of JSON.
pub fn json(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for c in String::from_utf8_lossy(text).chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '\r' => out += "\\r",
            c if c < ' ' => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}
