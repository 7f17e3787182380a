use crate::encoding::command;
use crate::{Args, Outcome};

pub const HELP: &str = "\
Usage: basenc [OPTION]... [FILE]
Encode or decode FILE, or standard input, with the alphabet that is named.

      --base64          as base64 does (RFC 4648 section 4)
      --base64url       safe in file names and URLs (RFC 4648 section 5)
      --base32          as base32 does (RFC 4648 section 6)
      --base32hex       the extended hex alphabet (RFC 4648 section 7)
      --base16          hexadecimal digits (RFC 4648 section 8)
      --base2msbf       bits, the most significant of a byte first
      --base2lsbf       bits, the least significant of a byte first
      --z85             ZeroMQ's 85 letters: the length must be a multiple of 4,
                          of 5 when decoding
  -d, --decode          turn encoded text back into data
  -i, --ignore-garbage  decoding passes over what is not of the alphabet
  -w, --wrap=COLS       wrap encoded lines after COLS characters (default 76).
                          0 for one long line
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    command(args, None)
}
