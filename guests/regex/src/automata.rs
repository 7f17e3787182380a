//! Lazy DFAs of a pattern, each built when it is first asked for.

use crate::hir::{Alphabet, hir};
use crate::node::Node;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{Compiler, Config, NFA, WhichCaptures};
use regex_automata::{Anchored, Input, MatchError, MatchErrorKind, MatchKind};
use regex_syntax::hir::Hir;

/// Memory of one DFA's states; when it is full it starts again.
const CACHE: usize = 1 << 20;
/// Memory of an NFA.
const MAX_NFA: usize = 32 << 20;

/// The search came to a byte that this automaton is not for, at this place.
pub struct Quit(pub usize);

pub struct Automata {
    hir: Hir,
    quits: bool,
    nfa: NFA,
    /// Finds the leftmost match, if not its longest end.
    forward: Option<Lazy>,
    /// From an end back to the leftmost start.
    backward: Option<Lazy>,
    /// From a start to the longest end.
    longest: Option<Lazy>,
}

struct Lazy {
    dfa: DFA,
    cache: Cache,
}

impl Lazy {
    fn new(nfa: NFA, kind: MatchKind, quits: bool) -> Option<Lazy> {
        let mut config = DFA::config().match_kind(kind).cache_capacity(CACHE).skip_cache_capacity_check(true);
        if quits {
            for b in 0x80..=0xff {
                config = config.quit(b, true);
            }
        }
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let cache = dfa.create_cache();
        Some(Lazy { dfa, cache })
    }
}

fn quit(error: &MatchError) -> Quit {
    match error.kind() {
        MatchErrorKind::Quit { offset, .. } | MatchErrorKind::GaveUp { offset } => Quit(*offset),
        _ => Quit(0),
    }
}

fn nfa(hir: &Hir, reverse: bool) -> Option<NFA> {
    let config = Config::new()
        .utf8(false)
        .reverse(reverse)
        .shrink(false)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(MAX_NFA));
    Compiler::new().configure(config).build_from_hir(hir).ok()
}

impl Automata {
    /// None when the pattern is too large for it.
    pub fn new(node: &Node, alphabet: Alphabet) -> Option<Automata> {
        let hir = hir(node, alphabet);
        let nfa = nfa(&hir, false)?;
        Some(Automata { hir, quits: alphabet == Alphabet::Ascii, nfa, forward: None, backward: None, longest: None })
    }

    /// An end of the leftmost match in a part of the text; of any match, when it is asked for soon.
    pub fn end(&mut self, text: &[u8], from: usize, to: usize, soon: bool) -> Result<Option<usize>, Quit> {
        if self.forward.is_none() {
            self.forward = Lazy::new(self.nfa.clone(), MatchKind::LeftmostFirst, self.quits);
        }
        let Some(Lazy { dfa, cache }) = &mut self.forward else { return Err(Quit(from)) };
        let input = Input::new(text).span(from..to).earliest(soon);
        match dfa.try_search_fwd(cache, &input) {
            Ok(found) => Ok(found.map(|half| half.offset())),
            Err(error) => Err(quit(&error)),
        }
    }

    /// The leftmost start of a match that ends at `end`.
    pub fn start(&mut self, text: &[u8], from: usize, end: usize) -> Result<Option<usize>, Quit> {
        if self.backward.is_none() {
            let nfa = nfa(&self.hir, true).ok_or(Quit(from))?;
            self.backward = Lazy::new(nfa, MatchKind::All, self.quits);
        }
        let Some(Lazy { dfa, cache }) = &mut self.backward else { return Err(Quit(from)) };
        let input = Input::new(text).span(from..end).anchored(Anchored::Yes);
        match dfa.try_search_rev(cache, &input) {
            Ok(found) => Ok(found.map(|half| half.offset())),
            Err(error) => Err(quit(&error)),
        }
    }

    /// The longest end of a match that starts at `start`.
    pub fn longest(&mut self, text: &[u8], start: usize) -> Result<Option<usize>, Quit> {
        if self.longest.is_none() {
            self.longest = Lazy::new(self.nfa.clone(), MatchKind::All, self.quits);
        }
        let Some(Lazy { dfa, cache }) = &mut self.longest else { return Err(Quit(start)) };
        let input = Input::new(text).span(start..text.len()).anchored(Anchored::Yes);
        match dfa.try_search_fwd(cache, &input) {
            Ok(found) => Ok(found.map(|half| half.offset())),
            Err(error) => Err(quit(&error)),
        }
    }
}
