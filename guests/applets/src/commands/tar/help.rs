//! The help text.

pub const HELP: &str = "\
Usage: tar [OPTION...] [FILE]...
Save many files together into a single archive, and restore them from it.

 Operations:
  -A, --concatenate   append tar files to an archive
  -c, --create        make an archive
      --delete        delete from the archive
  -d, --diff          find differences between archive and file system
  -r, --append        put files behind those in an archive
  -t, --list          tell what is in an archive
  -u, --update        put newer files behind those in an archive
  -x, --extract       extract files from an archive
      --test-label    show or compare the archive's label

 What is there already:
  -k, --keep-old-files  -U, --unlink-first  --overwrite  --skip-old-files
      --keep-newer-files  --[no-]overwrite-dir  --remove-files  --recursive-unlink
      --keep-directory-symlink  --backup[=CONTROL]  --suffix=SUFFIX

 Output and attributes:
      --to-command=COMMAND  --[no-]ignore-command-error
  -O, --to-stdout  -m, --touch  -p, --preserve-permissions, --same-permissions  --same-owner
  -o, --no-same-owner  --no-same-permissions  --owner=NAME  --group=NAME
      --owner-map=FILE  --group-map=FILE (lines of an old name or +ID, and the new one)
      --numeric-owner  --mode=CHANGES  --mtime=DATE  --clamp-mtime  --sort=name|inode|none

 Archive and compression:
  -f, --file=ARCHIVE  -a, --auto-compress  -z, --gzip  -j, --bzip2  -J, --xz
      --lzma  --zstd  -I, --use-compress-program=PROG (any)
  -i, --ignore-zeros  -b, --blocking-factor=N
  -H, --format=gnu|oldgnu|pax|posix|ustar|v7  --posix  --pax-option=LIST
      --record-size=SIZE  -V, --label=TEXT  -W, --verify  -n, --seek  --no-seek
  -Z, --compress (of archives that are read)  --no-auto-compress  --old-archive  --portability
      --test-label  --catenate  --get  --compare  --gunzip  --ungzip  --uncompress

 Names:
  -C, --directory=DIR  -T, --files-from=FILE  --[no-]null  -X, --exclude-from=FILE
      --[no-]verbatim-files-from  --[no-]unquote
      --add-file=FILE  --exclude-caches[-under|-all]  --exclude-tag[-under|-all]=FILE
      --exclude-ignore[-recursive]=FILE  --exclude=PATTERN  --exclude-vcs  --exclude-backups  -h, --dereference
      --hard-dereference  --[no-]recursion  --one-file-system  -P, --absolute-names
      --strip-components=N  --transform=, --xform=EXPRESSION  --one-top-level[=DIR]
      --wildcards  --no-wildcards  --anchored  --no-anchored  --ignore-case
      --no-ignore-case  --wildcards-match-slash  --no-wildcards-match-slash
  -K, --starting-file=NAME  --occurrence[=N]  --newer-mtime=DATE
  -N, --newer=, --after-date=DATE  --ignore-failed-read  -S, --sparse  --hole-detection=raw|seek
      --sparse-version=1.0

 Telling:
  -R, --block-number  --utc  --index-file=FILE  -l, --check-links  -w, --interactive
      --checkpoint[=N]  --checkpoint-action=ACTION  --show-omitted-dirs  --show-defaults
      --warning=KEYWORD  --quoting-style=STYLE  --confirmation  --show-stored-names
  -v, --verbose  --full-time  --totals  --show-transformed-names
      --help  --usage  --version

 So it is anyway:
  -B, --read-full-records  -s, --preserve-order, --same-order  --force-local  --restrict
      --[no-]delay-directory-restore  --[no-]check-device  --atime-preserve[=METHOD]
      --[no-]xattrs  --[no-]acls  --[no-]selinux  --xattrs-include=  --xattrs-exclude=
";
