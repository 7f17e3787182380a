//! Bytes through the commands that read a format of their own or measure what they read.
#![no_main]

use capsule_guest_fuzz::run;
use libfuzzer_sys::fuzz_target;

const FILTERS: &[&[&str]] = &[
    &["file", "-"],
    &["dircolors", "-b", "-"],
    &["column", "-t"],
    &["column"],
    &["fmt"],
    &["fmt", "-c", "-w", "9"],
    &["fold", "-s", "-w", "7"],
    &["pr", "-3", "-l", "30"],
    &["nl"],
    &["ptx"],
    &["ptx", "-G", "-w", "20"],
    &["xxd", "-r"],
    &["xxd", "-r", "-p"],
    &["base32", "-d"],
    &["base64", "-d"],
    &["basenc", "--z85", "-d"],
    &["basenc", "--base2msbf", "-d"],
    &["tsort"],
    &["sort", "-h"],
    &["sort", "-V"],
    &["sort", "-g"],
    &["sort", "-M"],
    &["numfmt", "--from=auto"],
    &["factor"],
    &["strings", "-e", "b"],
    &["iconv", "-f", "UTF-16", "-t", "UTF-8"],
    &["iconv", "-f", "UTF-8", "-t", "ASCII//TRANSLIT"],
    &["md5sum", "-c"],
    &["cksum", "-c"],
    &["cat", "-A"],
    &["cut", "-c", "2-"],
    &["expand", "-t", "3,+5"],
    &["unexpand", "-a"],
    &["od", "-A", "x", "-t", "fDx1z"],
    &["hexdump", "-C"],
    &["wc", "-L"],
    &["uniq", "-cw", "3"],
    &["tac", "-s", "a"],
    &["rev"],
    &["colrm", "3", "9"],
    &["envsubst"],
    &["ts"],
    &["isutf8"],
    &["csplit", "-", "1"],
    &["xargs", "-t"],
    &["jq", "-s", "."],
];

fuzz_target!(|input: &[u8]| {
    for filter in FILTERS {
        run(filter, input);
    }
});
