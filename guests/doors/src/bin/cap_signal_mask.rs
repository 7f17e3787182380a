//! A blocked signal waits until it is let through.
use capsule_sys::{
    Disposition, MaskHow, Signal, WaitStatus, fork, getpid, kill, signal_action, signal_mask, signal_take,
};
use door_tests::{check_eq, ok, wait_for};

fn main() {
    let usr1 = Signal::USR1.bit();
    check_eq!(ok!(signal_mask(MaskHow::Block, None)), 0);
    check_eq!(ok!(signal_mask(MaskHow::Block, Some(usr1 | Signal::USR2.bit()))), 0);
    check_eq!(ok!(signal_mask(MaskHow::Unblock, Some(Signal::USR2.bit()))), usr1 | Signal::USR2.bit());
    check_eq!(ok!(signal_mask(MaskHow::Set, None)), usr1);
    ok!(signal_action(Signal::USR1, Disposition::Catch));
    ok!(kill(getpid(), Signal::USR1.number().into()));
    check_eq!(signal_take(), None);
    ok!(signal_mask(MaskHow::Set, Some(0)));
    check_eq!(signal_take(), Some(Signal::USR1));
    // With the default action, letting it through is the end.
    let pid = ok!(fork(|| {
        ok!(signal_action(Signal::USR1, Disposition::Default));
        ok!(signal_mask(MaskHow::Block, Some(usr1)));
        ok!(kill(getpid(), Signal::USR1.number().into()));
        ok!(signal_mask(MaskHow::Set, Some(0)));
        let _ = capsule_sys::sleep(10_000_000_000);
        0
    }));
    check_eq!(wait_for(pid), WaitStatus::Signaled(Signal::USR1.number()));
    // KILL cannot be blocked.
    ok!(signal_mask(MaskHow::Set, Some(u64::MAX)));
    check_eq!(ok!(signal_mask(MaskHow::Set, None)) & (Signal::KILL.bit() | Signal::STOP.bit()), 0);
}
