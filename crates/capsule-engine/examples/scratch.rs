use capsule_engine::{CacheFolder, Options, WasmRuntime};
use std::time::Instant;
fn main() {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for slots in [64, 256, 1024, 4096, 8192] {
        let t = Instant::now();
        let r = WasmRuntime::new(Options { cache: CacheFolder::None, pool_slots: Some(slots), ..Options::default() }).unwrap();
        println!("slots {slots}: {:?}", t.elapsed());
        drop(r);
    }
    let r = WasmRuntime::new(Options { cache: CacheFolder::None, pool_slots: Some(64), ..Options::default() }).unwrap();
    let straight = format!("(module (func (export \"_start\") (local i64 i64 i64) {}))", "(local.set 0 (i64.add (i64.mul (local.get 1) (local.get 2)) (local.get 0)))".repeat(90_000));
    let live = {
        let n = 2000; let mut s = String::from("(module (func (export \"_start\")");
        for _ in 0..n { s += "(local i64)"; }
        s += "(loop ";
        for i in 0..60_000 { s += &format!("(local.set {} (i64.add (local.get {}) (local.get {})))", i % n, (i * 7 + 1) % n, (i * 13 + 5) % n); }
        s += "(br 0))))"; s };
    let blocks = { let mut s = String::from("(module (memory 1) (func (export \"_start\") (local i32 i32 i32 i32)");
        for i in 0..60_000 { s += &format!("(if (local.get {}) (then (local.set {} (i32.load (local.get {})))))", i % 4, (i + 1) % 4, (i + 2) % 4); }
        s += "))"; s };
    let loops = { let mut s = String::from("(module (func (export \"_start\") (local i32 i32 i32 i32)");
        for i in 0..40_000 { s += &format!("(loop (br_if 0 (local.tee {} (i32.sub (local.get {}) (i32.const 1)))))", i % 4, i % 4); }
        s += "))"; s };
    let nested = format!("(module (func (export \"_start\") (local i32) {} {}))", "loop local.get 0 if ".repeat(20_000), "br 1 end end ".repeat(20_000));
    let calls = { let mut s = String::from("(module (func $f (param i64 i64 i64 i64 i64 i64 i64 i64 i64) (result i64) (local.get 0)) (func (export \"_start\") (local i64)");
        for _ in 0..25_000 { s += "(local.set 0 (call $f (local.get 0) (local.get 0) (local.get 0) (local.get 0) (local.get 0) (local.get 0) (local.get 0) (local.get 0) (local.get 0)))"; }
        s += "))"; s };
    let simd = format!("(module (func (export \"_start\") (local v128 v128) {}))", "(local.set 0 (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 (local.get 0) (local.get 1)))".repeat(45_000));
    let table = format!("(module (func (export \"_start\") (block (br_table {} (i32.const 1)))))", "0 ".repeat(1_000_000));
    let funcs = format!("(module {} (func (export \"_start\")))", "(func (result i32) (i32.const 5))".repeat(150_000));
    let which = std::env::args().nth(1).unwrap_or_default();
    for (name, text) in [("straight", straight), ("live", live), ("blocks", blocks), ("loops", loops), ("nested", nested), ("calls", calls), ("simd", simd), ("table", table), ("funcs", funcs)] {
        if !name.contains(&which) { continue }
        let bytes = wat::parse_str(&text).unwrap();
        let n = bytes.len();
        let t = Instant::now();
        let out = tokio.block_on(r.prepare(name, bytes, false));
        println!("{name} {n} bytes: {:?} {:?}", t.elapsed(), out.err().map(|e| e.why.chars().take(100).collect::<String>()));
    }
}
