//! What can be told of a module without compiling it, and what is refused before the compiler sees it. Cranelift cannot
//! be interrupted, so the time one compilation may take is bounded by the size of what it is given.

use capsule_abi::door;
use thiserror::Error;
use wasmparser::{BinaryReaderError, Chunk, FunctionBody, Parser, Payload};

/// Bytes of a module: room for an interpreter with its library, and a bound on what the host holds while compiling.
pub const MAX_MODULE: usize = 64 << 20;

/// Bytes of one function. Register allocation is the part that grows faster than its input.
pub const MAX_FUNCTION: usize = 1 << 20;

/// Bytes of one function times its locals. Measured in a dev build: 590 KB with 2000 locals took two minutes of
/// processor time; 230 KB with 500 locals (just below this bound) took 6 s. To be checked with CPython when it comes.
pub const MAX_FUNCTION_WORK: u64 = 1 << 27;

/// Functions of a module; each costs the compiler and the module's tables something, however small it is.
pub const MAX_FUNCTIONS: u32 = 200_000;

/// The name of the custom section that marks a program written for this kernel.
pub const NATIVE_SECTION: &str = "capsule";

/// What the engine wants to know of a module beside its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shape {
    /// Written for this kernel: it imports the capsule door, or says so in a custom section.
    pub native: bool,
    /// Has a start function, which runs at instantiation: such a module cannot be forked.
    pub has_start: bool,
    /// Mutable globals; a module can be forked when it exports all of them.
    pub mutable_globals: usize,
}

/// Why a module is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refused {
    #[error("the module has {0} bytes; at most {MAX_MODULE} are compiled")]
    ModuleTooLarge(usize),
    #[error("a function has {0} bytes of code; at most {MAX_FUNCTION} are compiled")]
    FunctionTooLarge(usize),
    #[error("a function has {bytes} bytes of code and {locals} locals, which would take too long to compile")]
    FunctionTooComplex { bytes: usize, locals: u64 },
    #[error("the module has {0} functions; at most {MAX_FUNCTIONS} are compiled")]
    TooManyFunctions(u32),
    #[error("a component, not a core module (WASI preview1 programs are core modules)")]
    Component,
    #[error("malformed module: {0}")]
    Malformed(String),
}

/// Walks the sections. Does not validate: the compiler does that.
pub fn shape(bytes: &[u8]) -> Result<Shape, Refused> {
    if bytes.len() > MAX_MODULE {
        return Err(Refused::ModuleTooLarge(bytes.len()));
    }
    if Parser::is_component(bytes) {
        return Err(Refused::Component);
    }
    let mut shape = Shape::default();
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(malformed)? {
            Payload::CodeSectionStart { count, .. } if count > MAX_FUNCTIONS => {
                return Err(Refused::TooManyFunctions(count));
            }
            Payload::CodeSectionEntry(body) => bounded(&body)?,
            payload => shape.note(payload)?,
        }
    }
    Ok(shape)
}

impl Shape {
    fn note(&mut self, payload: Payload<'_>) -> Result<(), Refused> {
        match payload {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    self.native |= import.map_err(malformed)?.module == door::MODULE;
                }
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.mutable_globals += usize::from(global.map_err(malformed)?.ty.mutable);
                }
            }
            Payload::StartSection { .. } => self.has_start = true,
            Payload::CustomSection(section) => self.native |= section.name() == NATIVE_SECTION,
            _ => {}
        }
        Ok(())
    }
}

/// The same for a module we built ourselves: its code, which is most of it, is not looked at.
pub fn sealed(bytes: &[u8]) -> Result<Shape, Refused> {
    let mut shape = Shape::default();
    let mut parser = Parser::new(0);
    let mut rest = bytes;
    loop {
        let (used, payload) = match parser.parse(rest, true).map_err(malformed)? {
            Chunk::Parsed { consumed, payload } => (consumed, payload),
            // Nothing comes after the end.
            Chunk::NeedMoreData(_) => return Err(Refused::Malformed("cut short".to_owned())),
        };
        rest = &rest[used..];
        match payload {
            Payload::CodeSectionStart { size, .. } => {
                parser.skip_section();
                rest = rest.get(size as usize..).unwrap_or_default();
            }
            Payload::End(_) => return Ok(shape),
            payload => shape.note(payload)?,
        }
    }
}

/// Whether a function can be compiled in reasonable time.
fn bounded(body: &FunctionBody<'_>) -> Result<(), Refused> {
    let bytes = body.range().len();
    if bytes > MAX_FUNCTION {
        return Err(Refused::FunctionTooLarge(bytes));
    }
    let mut locals = 0u64;
    for group in body.get_locals_reader().map_err(malformed)? {
        locals += u64::from(group.map_err(malformed)?.0);
    }
    if locals.saturating_mul(bytes as u64) > MAX_FUNCTION_WORK {
        return Err(Refused::FunctionTooComplex { bytes, locals });
    }
    Ok(())
}

fn malformed(error: BinaryReaderError) -> Refused {
    Refused::Malformed(error.message().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Shape {
        shape(&wat::parse_str(text).unwrap()).unwrap()
    }

    #[test]
    fn our_own_modules_are_read_without_their_code() {
        let text = r#"(module (import "capsule" "getpid" (func (result i32))) (global (mut i32) (i32.const 0))
            (func (export "f") (drop (call 0))) (data "x") (@custom "capsule" (after last) ""))"#;
        let bytes = wat::parse_str(text).unwrap();
        assert_eq!(sealed(&bytes).unwrap(), shape(&bytes).unwrap());
        assert!(sealed(&bytes[..bytes.len() - 3]).is_err());
    }

    #[test]
    fn native_programs_say_so() {
        assert!(!of("(module)").native);
        assert!(!of(r#"(module (import "wasi_snapshot_preview1" "fd_close" (func (param i32) (result i32))))"#).native);
        assert!(of(r#"(module (import "capsule" "getpid" (func (result i32))))"#).native);
        assert!(of(r#"(module (@custom "capsule" ""))"#).native);
    }

    #[test]
    fn start_functions_are_seen() {
        assert!(of("(module (func $s) (start $s))").has_start);
        assert!(!of("(module (func (export \"_start\")))").has_start);
    }

    #[test]
    fn refuses_what_is_no_module_or_too_much_of_one() {
        assert!(matches!(shape(b""), Err(Refused::Malformed(_))));
        assert!(matches!(shape(b"\0asm\x02\0\0\0"), Err(Refused::Malformed(_))));
        assert!(matches!(shape(b"\0asm\x0d\0\x01\0"), Err(Refused::Component)));
        assert!(matches!(shape(&vec![0; MAX_MODULE + 1]), Err(Refused::ModuleTooLarge(_))));
        let long = format!("(module (func {}))", "nop ".repeat(MAX_FUNCTION + 1));
        assert!(matches!(shape(&wat::parse_str(long).unwrap()), Err(Refused::FunctionTooLarge(_))));
        let busy = format!("(module (func {} {}))", "(local i32)".repeat(1000), "nop ".repeat(200_000));
        assert!(matches!(shape(&wat::parse_str(busy).unwrap()), Err(Refused::FunctionTooComplex { .. })));
        let good = wat::parse_str("(module (func $s) (start $s) (memory 1) (data (i32.const 0) \"abc\"))").unwrap();
        for cut in 0..good.len() {
            let _ = shape(&good[..cut]);
        }
    }
}
