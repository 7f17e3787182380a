//! The network of a session. Off unless a policy allows hosts; every request and every redirect is checked against it.
//!
//! * [`host`]: names in one canonical form, odd spellings refused; [`policy`]: which of them are allowed
//! * [`address`]: kinds of addresses; [`resolver`]: names to addresses, once a request
//! * [`dial`]: connections to checked addresses only, TLS always verified; [`client`]: HTTP/1.1 over them, with limits;
//!   `pool`: those that are kept for the next request; `head`: the heads of answers as they came
//! * [`stream`]: connections of bytes, where the policy says `tcp://`
//! * [`secret`]: values put in at the edge, which the guest never sees; [`record`]: what was asked
//!
//! The order is the point: the name is checked before any question to DNS, the addresses are checked before any
//! connection, and the address that was checked is the one that is dialled. Proxies of the environment are not used. A
//! server that sends a secret back in its answer tells it to the guest: that is between the two of them.

#![forbid(unsafe_code)]

pub mod address;
pub mod body;
pub mod client;
pub mod dial;
pub mod error;
mod head;
pub mod host;
pub mod limits;
pub mod policy;
mod pool;
pub mod record;
pub mod resolver;
pub mod secret;
pub mod stream;

pub use body::{Body, ResponseBody};
pub use client::{Network, Options, Request, Response, Times};
pub use error::Error;
pub use host::{Host, Url};
pub use limits::Limits;
pub use policy::Policy;
pub use record::Record;
pub use resolver::{Resolver, System};
pub use secret::Secret;
pub use stream::Stream;
