//! What is written: positions, and blanks that become tabs or nothing.

use capsule_sys::Out;

pub struct Paper<'a> {
    out: &'a mut Out,
    tabs: Option<(u8, usize)>,
    position: usize,
    /// Blanks that are written when something follows.
    pending: usize,
    /// Pages that are skipped.
    pub silent: bool,
}

impl<'a> Paper<'a> {
    pub fn new(out: &'a mut Out, tabs: Option<(u8, usize)>) -> Paper<'a> {
        Paper { out, tabs, position: 0, pending: 0, silent: false }
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        if !self.silent {
            self.out.write(bytes);
        }
    }

    fn blanks(&mut self, count: usize) {
        const BLANKS: [u8; 64] = [b' '; 64];
        let mut left = count;
        while left > 0 {
            let n = left.min(BLANKS.len());
            self.raw(&BLANKS[..n]);
            left -= n;
        }
    }

    /// A new line begins; blanks at the end of the last are dropped.
    pub fn start(&mut self) {
        (self.position, self.pending) = (0, 0);
    }

    pub fn pad_to(&mut self, position: usize) {
        if self.tabs.is_some() {
            self.pending = position.saturating_sub(self.position);
        } else {
            self.blanks(position.saturating_sub(self.position));
            self.position = self.position.max(position);
        }
    }

    pub fn drop_blanks(&mut self) {
        self.pending = 0;
    }

    pub fn flush_blanks(&mut self) {
        let goal = self.position + std::mem::take(&mut self.pending);
        let mut at = self.position;
        if let Some((tab, width)) = self.tabs {
            while goal - at > 1 && (at / width + 1) * width <= goal {
                self.raw(&[tab]);
                at = (at / width + 1) * width;
            }
        }
        self.blanks(goal - at);
        self.position = goal;
    }

    /// One byte of text.
    pub fn byte(&mut self, byte: u8) {
        if self.tabs.is_some() {
            if byte == b' ' {
                self.pending += 1;
                return;
            }
            self.flush_blanks();
            match byte {
                b'\x08' => self.position = self.position.saturating_sub(1),
                32..127 => self.position += 1,
                _ => {}
            }
        }
        self.raw(&[byte]);
    }

    /// Printable bytes of text.
    pub fn text(&mut self, text: &[u8]) {
        if self.tabs.is_none() {
            return self.raw(text);
        }
        let mut rest = text;
        while !rest.is_empty() {
            let word = memchr::memchr(b' ', rest).unwrap_or(rest.len());
            if word > 0 {
                self.flush_blanks();
                self.raw(&rest[..word]);
                self.position += word;
            }
            let blanks = rest[word..].iter().take_while(|b| **b == b' ').count();
            self.pending += blanks;
            rest = &rest[word + blanks..];
        }
    }

    /// A tab that is written as it is, behind a number.
    pub fn tab(&mut self) {
        self.byte(b'\t');
        let width = self.tabs.map_or(8, |t| t.1);
        self.position = (self.position / width + 1) * width;
    }

    /// A separator counts every byte.
    pub fn separator(&mut self, text: &[u8]) {
        for &byte in text {
            if byte == b' ' {
                self.pending += 1;
            } else {
                self.flush_blanks();
                self.raw(&[byte]);
                self.position += 1;
            }
        }
        self.flush_blanks();
    }

    pub fn broken(&self) -> bool {
        self.out.error().is_some()
    }
}
