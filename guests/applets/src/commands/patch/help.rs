//! The help text.

pub const HELP: &str = "\
Usage: patch [OPTION]... [ORIGFILE [PATCHFILE]]
Apply a diff file to an original.

Input options:
  -p NUM  --strip=NUM  Leave NUM directories away at the front of names.
  -F LINES  --fuzz LINES  LINES of context (2) may differ.
  -l  --ignore-whitespace  Blanks are alike, however many.
  -c  --context  It is a context diff.
  -e  --ed  It is an ed script.
  -n  --normal  It is a diff of the oldest format.
  -u  --unified  It is a unified diff.
  -N  --forward  Skip what looks reversed, or done already.
  -R  --reverse  Take the changes back.
  -i PATCHFILE  --input=PATCHFILE  The patch is in PATCHFILE.

Output options:
  -o FILE  --output=FILE  Write the result to FILE.
  -r FILE  --reject-file=FILE  Write what does not fit to FILE.
  -E  --remove-empty-files  Remove files that have become empty.

Backup options:
  -b  --backup  Keep each file as it was.
  --backup-if-mismatch  Keep it where the patch did not fit exactly.
  --no-backup-if-mismatch  Do not.
  -V STYLE  --version-control=STYLE  'simple', 'numbered', or 'existing'.
  -B PREFIX  --prefix=PREFIX  Backups have PREFIX before the whole name.
  -Y PREFIX  --basename-prefix=PREFIX  Backups: PREFIX before the last part.
  -z SUFFIX  --suffix=SUFFIX  Backups have SUFFIX behind the name.

Others:
  -t  --batch  Ask no questions; assume reversed.
  -f  --force  Like -t, but assume unreversed.
  -s  --quiet  --silent  Only errors are told.
  --verbose  Tell more.
  --dry-run  Change nothing, and tell what would be changed.
  -d DIR  --directory=DIR  Work in DIR.
  --reject-format=FORMAT  Write what does not fit as 'context' or 'unified'.
  --follow-symlinks  Follow symbolic links to the files to patch.
  --read-only=HOW  Files that are read-only: 'ignore', 'warn', or 'fail'.
  --quoting-style=shell  How names are shown; there is no other way.
  --binary  Nothing: files are read as they are.
  -g 0  --get=0  Get no files from elsewhere. Other values are errors, and so
      are -D, --ifdef, --merge, -T, --set-time, -Z, --set-utc, -x and --posix.
  -v  --version  Output version info.
  --help  Output this help.

Names that are absolute or have '..' in them are not taken from a patch.
";
