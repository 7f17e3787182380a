//! Arguments and environment: a table of pointers, and the strings with a NUL behind each.

use crate::call::Call;
use crate::memory::GuestMemory;
use capsule_abi::Errno;

pub fn args_get(mut call: Call<'_>, argv: i32, buf: i32) -> Result<(), Errno> {
    strings(&mut call.memory, &call.process.argv(), argv, buf)
}

pub fn args_sizes_get(mut call: Call<'_>, count: i32, size: i32) -> Result<(), Errno> {
    sizes(&mut call.memory, &call.process.argv(), count, size)
}

pub fn environ_get(mut call: Call<'_>, environ: i32, buf: i32) -> Result<(), Errno> {
    strings(&mut call.memory, &call.process.env(), environ, buf)
}

pub fn environ_sizes_get(mut call: Call<'_>, count: i32, size: i32) -> Result<(), Errno> {
    sizes(&mut call.memory, &call.process.env(), count, size)
}

fn sizes(memory: &mut GuestMemory<'_>, strings: &[Vec<u8>], count: i32, size: i32) -> Result<(), Errno> {
    let bytes: usize = strings.iter().map(|string| string.len() + 1).sum();
    memory.write_u32(count, u32::try_from(strings.len()).map_err(|_| Errno::EOVERFLOW)?)?;
    memory.write_u32(size, u32::try_from(bytes).map_err(|_| Errno::EOVERFLOW)?)
}

fn strings(memory: &mut GuestMemory<'_>, strings: &[Vec<u8>], table: i32, buf: i32) -> Result<(), Errno> {
    let (mut entry, mut at) = (table as u32, buf as u32);
    for string in strings {
        memory.write_u32(entry as i32, at)?;
        memory.write(at as i32, string)?;
        let end = at.checked_add(string.len() as u32).ok_or(Errno::EFAULT)?;
        memory.write(end as i32, &[0])?;
        at = end.checked_add(1).ok_or(Errno::EFAULT)?;
        entry = entry.checked_add(4).ok_or(Errno::EFAULT)?;
    }
    Ok(())
}
