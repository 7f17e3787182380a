//! Signals for a guest that has an interpreter's way of noticing them: the guest says where in its memory it looks for
//! them, and a caught signal is written there, at a tick or before an interrupted call returns. The addresses are the
//! guest's claim; all that a wrong one can do is change the guest's own memory.

use crate::instance::GuestState;
use capsule_abi::Errno;
use capsule_abi::wire::{Reader, Short};
use wasmtime::{AsContextMut, Memory};

/// Where signals are noted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignalMarks {
    /// The mark of signal 0, and how far apart the marks are.
    first: u32,
    distance: u32,
    /// The mark that any signal has come.
    any: u32,
    /// The word that makes the guest look, and the bit to set in it.
    look: u32,
    bit: u32,
}

impl SignalMarks {
    pub fn decode(bytes: &[u8]) -> Result<SignalMarks, Errno> {
        let mut reader = Reader::new(bytes);
        let mut number = || reader.u32().map_err(|Short| Errno::EINVAL);
        Ok(SignalMarks { first: number()?, distance: number()?, any: number()?, look: number()?, bit: number()? })
    }

    /// Notes a signal. A mark outside the memory is left out.
    fn set(&self, memory: &mut [u8], signal: u8) {
        let mark = u64::from(self.first) + u64::from(self.distance) * u64::from(signal);
        change(memory, mark, |_| 1);
        change(memory, self.any.into(), |_| 1);
        change(memory, self.look.into(), |word| word | self.bit);
    }
}

fn change(memory: &mut [u8], at: u64, change: impl FnOnce(u32) -> u32) {
    let word = usize::try_from(at).ok().and_then(|at| memory.get_mut(at..)?.first_chunk_mut::<4>());
    if let Some(word) = word {
        *word = change(u32::from_le_bytes(*word)).to_le_bytes();
    }
}

/// Notes the caught signals that are pending, for a guest that has marks.
pub fn deliver(mut store: impl AsContextMut<Data = GuestState>) {
    let mut store = store.as_context_mut();
    let (Some(marks), Some(memory)) = (store.data().marks, store.data().memory) else { return };
    let memory: Memory = memory;
    while let Some(signal) = store.data().process.signal_take() {
        marks.set(memory.data_mut(&mut store), signal.number());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(numbers: [u32; 5]) -> SignalMarks {
        SignalMarks::decode(&numbers.map(u32::to_le_bytes).concat()).unwrap()
    }

    #[test]
    fn a_signal_is_noted_in_three_places() {
        let mut memory = [0u8; 64];
        memory[40] = 5;
        marks([0, 8, 32, 40, 2]).set(&mut memory, 2);
        assert_eq!((memory[16], memory[32], memory[40]), (1, 1, 7));
        assert_eq!(memory.iter().filter(|byte| **byte != 0).count(), 3);
    }

    #[test]
    fn marks_outside_the_memory_do_nothing() {
        let mut memory = [0u8; 16];
        marks([u32::MAX; 5]).set(&mut memory, 64);
        marks([13, 0, 14, 15, 1]).set(&mut memory, 2);
        assert_eq!(memory, [0; 16]);
        assert_eq!(SignalMarks::decode(&[0; 19]), Err(Errno::EINVAL));
    }
}
