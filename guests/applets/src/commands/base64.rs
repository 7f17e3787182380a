use crate::encoding::{BASE64, command};
use crate::{Args, Outcome};

pub const HELP: &str = "\
Usage: base64 [OPTION]... [FILE]
Encode FILE (or standard input) as base64, or turn it back.

Standard input is read where FILE is - or missing.

  -d, --decode          turn encoded text back into data
  -i, --ignore-garbage  decoding passes over what is not of the alphabet
  -w, --wrap=COLS       begin a new line after COLS characters (76 unless told);
                          0 for one long line
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    command(args, Some(&BASE64))
}
