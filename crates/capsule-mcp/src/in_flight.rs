//! Which requests of a connection wait for an answer.

use parking_lot::Mutex;
use rmcp::model::RequestId;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// More requests than an agent makes at once, and few enough that their answers fit into memory.
const MOST: usize = 1024;

/// Ids are kept as hashes with a secret key: a client may choose long ones.
#[derive(Default)]
pub struct InFlight {
    state: RandomState,
    ids: Mutex<Ids>,
}

#[derive(Default)]
struct Ids {
    waiting: HashSet<u64>,
    /// Cancelled: nobody will answer them, and their run may be ending still. They cannot be used again.
    spent: HashSet<u64>,
}

/// Why a request is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    SameId,
    TooMany,
}

impl InFlight {
    pub fn begin(&self, id: &RequestId) -> Result<(), Refused> {
        let id = self.state.hash_one(id);
        let mut ids = self.ids.lock();
        if ids.waiting.contains(&id) || ids.spent.contains(&id) {
            return Err(Refused::SameId);
        }
        if ids.waiting.len() >= MOST {
            return Err(Refused::TooMany);
        }
        ids.waiting.insert(id);
        Ok(())
    }

    /// It is answered.
    pub fn end(&self, id: &RequestId) {
        self.ids.lock().waiting.remove(&self.state.hash_one(id));
    }

    pub fn cancel(&self, id: &RequestId) {
        let id = self.state.hash_one(id);
        let mut ids = self.ids.lock();
        if ids.waiting.remove(&id) {
            ids.spent.insert(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_free_again_when_it_is_answered_and_not_when_it_is_cancelled() {
        let requests = InFlight::default();
        let (one, text) = (RequestId::Number(1), RequestId::String("1".into()));
        assert_eq!(requests.begin(&one), Ok(()));
        assert_eq!(requests.begin(&one), Err(Refused::SameId));
        assert_eq!(requests.begin(&text), Ok(()));
        requests.end(&one);
        assert_eq!(requests.begin(&one), Ok(()));
        requests.cancel(&one);
        assert_eq!(requests.begin(&one), Err(Refused::SameId));
    }

    #[test]
    fn there_are_only_so_many() {
        let requests = InFlight::default();
        let ids = (0..).map(RequestId::Number);
        let taken = ids.take_while(|id| requests.begin(id).is_ok()).count();
        assert_eq!(taken, MOST);
        assert_eq!(requests.begin(&RequestId::Number(-1)), Err(Refused::TooMany));
    }
}
