//! A caught signal ends a blocking call with EINTR and waits to be taken.
use capsule_sys::{
    Disposition, OpenFlags, Signal, fork, getppid, kill, pause, pipe, read, signal_action, signal_take, sleep,
};
use door_tests::{check_eq, fails, ok, wait_for};

fn main() {
    ok!(signal_action(Signal::USR1, Disposition::Catch));
    ok!(signal_action(Signal::TERM, Disposition::Catch));
    check_eq!(signal_take(), None);
    let (never, _kept) = ok!(pipe(OpenFlags(0)));
    // Repeated until taken: the parent may not be waiting yet when the first one comes.
    let nag = |signal: Signal| {
        ok!(fork(move || {
            while kill(getppid(), signal.number().into()).is_ok() {
                let _ = sleep(5_000_000);
            }
            0
        }))
    };
    let child = nag(Signal::USR1);
    fails!(read(never.raw(), &mut [0]), EINTR);
    check_eq!(signal_take(), Some(Signal::USR1));
    ok!(kill(child, 9));
    wait_for(child);
    while signal_take().is_some() {}
    let child = nag(Signal::TERM);
    fails!(sleep(60_000_000_000), EINTR);
    check_eq!(signal_take(), Some(Signal::TERM));
    pause();
    check_eq!(signal_take(), Some(Signal::TERM));
    ok!(kill(child, 9));
    wait_for(child);
}
