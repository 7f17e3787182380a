//! Connections that are kept open for the next request to the same scheme, host and port. The address of each was checked
//! when it was dialled, under the same policy, and every request is checked anew before one is looked for here.

use crate::body::Outgoing;
use crate::head::Heads;
use crate::host::Url;
use hyper::client::conn::http1::SendRequest;
use parking_lot::Mutex;
use std::net::IpAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::task::AbortHandle;

/// How many connections wait, and for how long: enough for a script that asks again and again.
const KEPT: usize = 8;
const IDLE: Duration = Duration::from_secs(5);

/// A connection over which requests can be sent. Dropping it closes it.
pub(crate) struct Link {
    pub sender: SendRequest<Outgoing>,
    pub heads: Heads,
    pub address: IpAddr,
    pub driver: AbortHandle,
    origin: String,
}

impl Link {
    pub fn new(url: &Url, sender: SendRequest<Outgoing>, heads: Heads, address: IpAddr, driver: AbortHandle) -> Link {
        Link { sender, heads, address, driver, origin: url.origin() }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// The connections of a session that nobody uses at the moment, the oldest first.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Mutex<Idle>>);

#[derive(Default)]
struct Idle {
    links: Vec<(u64, Link)>,
    /// The number of the next one, so that a timer ends only what it was set for.
    next: u64,
}

impl Pool {
    /// A connection to this origin that the server has not closed yet, as far as is known.
    pub fn take(&self, url: &Url) -> Option<Link> {
        let origin = url.origin();
        let mut idle = self.0.lock();
        idle.links.retain(|(_, link)| !link.sender.is_closed());
        let at = idle.links.iter().rposition(|(_, link)| link.origin == origin)?;
        Some(idle.links.remove(at).1)
    }

    /// Keeps a connection whose last answer was read to its end.
    pub fn put(&self, link: Link) {
        if link.sender.is_closed() {
            return;
        }
        let mut idle = self.0.lock();
        if idle.links.len() == KEPT {
            idle.links.remove(0);
        }
        let number = idle.next;
        idle.next += 1;
        idle.links.push((number, link));
        // The session may end before the timer does.
        let pool: Weak<Mutex<Idle>> = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            tokio::time::sleep(IDLE).await;
            if let Some(pool) = pool.upgrade() {
                pool.lock().links.retain(|(other, _)| *other != number);
            }
        });
    }
}
