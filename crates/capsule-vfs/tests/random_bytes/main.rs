//! Bytes as calls: whatever they are, nothing panics and the tree stays sound. The fuzz target `vfs` runs the same code
//! with bytes chosen by coverage.

mod calls;
mod sound;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_leave_a_sound_tree(bytes in prop::collection::vec(any::<u8>(), 0..4000)) {
        calls::carry_out(&bytes);
    }
}
