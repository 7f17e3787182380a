//! Calls begin in the order in which they came. The library handles each request in a task of its own, and which of two tasks
//! is first is nobody's to say; but a client that sends two commands for one session means the first one first. So the
//! next message is not read before the last call has asked for its turn.

use parking_lot::Mutex;
use rmcp::model::RequestId;
use std::pin::pin;
use std::task::Poll;
use tokio::sync::Notify;

/// One connection's.
#[derive(Default)]
pub struct Order {
    /// The call that was handed on and has not asked for its turn.
    last: Mutex<Option<RequestId>>,
    asked: Notify,
}

impl Order {
    /// A call is handed on.
    pub fn begin(&self, id: &RequestId) {
        *self.last.lock() = Some(id.clone());
    }

    /// A call has asked for its turn, or was answered without.
    pub fn asked(&self, id: &RequestId) {
        let mut last = self.last.lock();
        if last.as_ref() == Some(id) {
            *last = None;
            self.asked.notify_waiters();
        }
    }

    /// Waits until the last call has asked for its turn.
    pub async fn ready(&self) {
        loop {
            let asked = self.asked.notified();
            if self.last.lock().is_none() {
                return;
            }
            asked.await;
        }
    }

    /// Does the work of a call. Whatever it waits for, it has asked for by the first time it is looked at.
    pub async fn announced<T>(&self, id: &RequestId, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let first = std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
        self.asked(id);
        match first {
            Poll::Ready(done) => done,
            Poll::Pending => work.await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    #[tokio::test]
    async fn the_next_message_waits_for_the_last_call() {
        let order = Arc::new(Order::default());
        order.ready().await;
        order.begin(&RequestId::Number(1));
        assert!(tokio::time::timeout(Duration::from_millis(20), order.ready()).await.is_err());
        // Another one's answer changes nothing.
        order.asked(&RequestId::Number(2));
        assert!(tokio::time::timeout(Duration::from_millis(20), order.ready()).await.is_err());
        let call = tokio::spawn({
            let order = order.clone();
            async move { order.announced(&RequestId::Number(1), std::future::pending::<()>()).await }
        });
        order.ready().await;
        call.abort();
    }
}
