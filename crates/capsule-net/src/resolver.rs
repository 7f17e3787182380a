//! Names to addresses.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

pub type Addresses<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Who is asked for the addresses of a name. It is asked once a request; what it says is checked.
pub trait Resolver: Send + Sync {
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a>;
}

/// The machine's own resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Resolver for System {
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a> {
        Box::pin(async move {
            // The dot keeps search domains of the machine out of it.
            let absolute = format!("{name}.");
            let found = tokio::net::lookup_host((absolute.as_str(), 0)).await;
            let found = match found {
                Ok(found) => found.collect::<Vec<_>>(),
                Err(_) => tokio::net::lookup_host((name, 0)).await?.collect(),
            };
            Ok(found.into_iter().map(|address| address.ip()).collect())
        })
    }
}
