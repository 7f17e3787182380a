//! How a run ends. A door function that ends its process answers with an [`Ended`] as error, which unwinds the guest
//! and is found again here; everything else that unwinds is a trap.

use capsule_abi::signal::Signal;
use capsule_kernel::Exit;
use thiserror::Error;
use wasmtime::Trap;

/// The guest is not to run on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Ended {
    #[error("exited with {0}")]
    Code(u8),
    #[error("ended by signal {}", .0.name())]
    Signal(Signal),
    #[error("became another program")]
    Exec,
    #[error("out of fuel")]
    OutOfFuel,
}

/// What a guest's outermost call came to.
pub fn ended(outcome: wasmtime::Result<()>) -> Ended {
    let Err(error) = outcome else { return Ended::Code(0) };
    if let Some(ended) = error.downcast_ref::<Ended>() {
        return *ended;
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => Ended::OutOfFuel,
        Some(trap) => Ended::Signal(signal_of(*trap)),
        // An error that no guest can cause; the process is gone all the same.
        None => Ended::Signal(Signal::ABRT),
    }
}

/// The signal Linux would send for what the guest did.
fn signal_of(trap: Trap) -> Signal {
    match trap {
        Trap::UnreachableCodeReached => Signal::ABRT,
        Trap::IntegerDivisionByZero | Trap::IntegerOverflow | Trap::BadConversionToInteger => Signal::FPE,
        _ => Signal::SEGV,
    }
}

impl Ended {
    pub fn exit(self) -> Exit {
        match self {
            Ended::Code(code) => Exit::Code(code),
            Ended::Signal(signal) => Exit::Signal(signal),
            Ended::Exec => Exit::Exec,
            Ended::OutOfFuel => Exit::Signal(Signal::KILL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmtime::Error;

    #[test]
    fn what_each_ending_means() {
        assert_eq!(ended(Ok(())), Ended::Code(0));
        assert_eq!(ended(Err(Error::new(Ended::Code(126)))), Ended::Code(126));
        assert_eq!(ended(Err(Error::new(Ended::Exec).context("in between"))), Ended::Exec);
        for (trap, signal) in [
            (Trap::UnreachableCodeReached, Signal::ABRT),
            (Trap::StackOverflow, Signal::SEGV),
            (Trap::MemoryOutOfBounds, Signal::SEGV),
            (Trap::IndirectCallToNull, Signal::SEGV),
            (Trap::IntegerDivisionByZero, Signal::FPE),
        ] {
            assert_eq!(ended(Err(Error::new(trap))), Ended::Signal(signal), "{trap}");
        }
        assert_eq!(ended(Err(Error::new(Trap::OutOfFuel))).exit(), Exit::Signal(Signal::KILL));
    }
}
