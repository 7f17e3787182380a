//! The door of the Python guest. Its interpreter was built with one way out beside WASI, a synchronous request: it hands
//! over a record and is told how long the answer is (`http_request`), then takes it (`http_take`). Requests with the
//! method [`METHOD`] are calls of the kernel, named in the place of the address. Any other method is refused: HTTP is made
//! by the calls `http_open` and so on, as by every guest.
//!
//! A record: method, name, number of headers, header names and values, body; all strings with their length in front. An
//! answer: number, number of headers, body. For calls the number is 0 or a Linux error number. Nothing in a record is a
//! pointer: it is copied out of the guest as a whole, and decoded with bounds.
//!
//! * [`calls`]: the table of calls

mod calls;

use crate::call::{Call, Guest};
use crate::instance::GuestState;
use crate::marks;
use capsule_abi::Errno;
use capsule_abi::process::ARG_MAX;
use capsule_abi::wire::{Reader, Short, Writer};
use wasmtime::Linker;

/// The name of the import module.
const MODULE: &str = "bashkit";

/// The method of requests that are calls of the kernel.
const METHOD: &[u8] = b"capsule";

/// The longest request: as for `spawn` through the other door, with its frame.
const MAX_REQUEST: usize = 2 * ARG_MAX + 4096;

/// Headers of a request that are looked at, which bounds the time a lying count can take.
const MAX_HEADERS: u32 = 4096;

/// What `http_request` and `http_take` answer.
const OK: i32 = 0;
const NETWORK: i32 = 1;
const INVALID: i32 = 3;
/// Anything above the numbers the interpreter knows is a fault of the bridge.
const FAULT: i32 = 4;

const NO_CALL: &str = "requests are made through the library: urllib.request, http.client";

pub fn add_to(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    linker.func_wrap_async(
        MODULE,
        "http_request",
        |mut guest: Guest<'_>, (request, len, _timeout, out): (i32, i32, i64, i32)| {
            Box::new(async move { request_of(&mut guest, request, len, out).await })
        },
    )?;
    linker.func_wrap(MODULE, "http_take", http_take)?;
    Ok(())
}

/// A decoded request.
struct Request<'a> {
    method: &'a [u8],
    name: &'a [u8],
    body: &'a [u8],
}

impl<'a> Request<'a> {
    fn decode(record: &'a [u8]) -> Result<Request<'a>, Short> {
        let mut reader = Reader::new(record);
        let (method, name) = (reader.bytes()?, reader.bytes()?);
        let headers = reader.u32()?;
        if headers > MAX_HEADERS {
            return Err(Short);
        }
        for _ in 0..headers {
            reader.bytes()?;
            reader.bytes()?;
        }
        Ok(Request { method, name, body: reader.bytes()? })
    }
}

/// Answers a request; the reply waits in the state of the guest until it is taken.
async fn request_of(guest: &mut Guest<'_>, request: i32, len: i32, out: i32) -> wasmtime::Result<i32> {
    guest.data_mut().reply = Vec::new();
    let record = match record_of(&Call::new(guest), request, len, out) {
        Ok(record) => record,
        Err(_) => return Ok(FAULT),
    };
    let (code, reply) = match Request::decode(&record) {
        Ok(Request { method: METHOD, name, body }) => {
            let mut reply = Writer::default();
            let outcome = calls::call(guest, name, body).await?;
            // A call may have sent a signal to its own process; others were interrupted by one.
            marks::deliver(&mut *guest);
            match outcome {
                Ok(bytes) => reply.u32(0).u32(0).bytes(&bytes),
                Err(errno) => reply.u32(errno.linux() as u32).u32(0).u32(0),
            };
            (OK, reply.finish())
        }
        Ok(_) => (NETWORK, NO_CALL.into()),
        Err(Short) => (INVALID, b"the request is malformed".to_vec()),
    };
    let told = Call::new(guest).memory.write_u32(out, reply.len() as u32);
    guest.data_mut().reply = reply;
    Ok(told.map_or(FAULT, |()| code))
}

/// A copy of the request, once it is sure that its answer can be told.
fn record_of(call: &Call<'_>, request: i32, len: i32, out: i32) -> Result<Vec<u8>, Errno> {
    call.memory.check(out, 4)?;
    let record = call.memory.slice(request, len)?;
    if record.len() > MAX_REQUEST { Err(Errno::E2BIG) } else { Ok(record.to_vec()) }
}

/// Hands over the reply, which is gone then; a length of minus one only drops it.
fn http_take(mut guest: Guest<'_>, buffer: i32, len: i32) -> i32 {
    let reply = std::mem::take(&mut guest.data_mut().reply);
    if len < 0 || reply.len() != len as usize {
        return FAULT;
    }
    Call::new(&mut guest).memory.write(buffer, &reply).map_or(FAULT, |()| OK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_decoded_with_bounds() {
        let mut record = Writer::default();
        record.bytes(b"capsule").bytes(b"getpid").u32(1).bytes(b"a").bytes(b"b").bytes(b"body");
        let record = record.finish();
        let request = Request::decode(&record).unwrap();
        assert_eq!((request.method, request.name, request.body), (METHOD, b"getpid".as_slice(), b"body".as_slice()));
        for cut in 0..record.len() {
            assert!(Request::decode(&record[..cut]).is_err());
        }
        let mut lying = Writer::default();
        lying.bytes(b"").bytes(b"").u32(u32::MAX);
        assert!(Request::decode(&lying.finish()).is_err());
    }
}
