//! The help text.

pub const HELP: &str = "\
Usage: diff [OPTION]... FILES
Show how two files differ, line by line.

      --normal                  the oldest format (as it is without options)
  -q, --brief                   tell whether they differ, not how
  -s, --report-identical-files  say so where files are alike
  -c, -C NUM, --context[=NUM]   with NUM (3) lines around changes, in two parts
  -u, -U NUM, --unified[=NUM]   with NUM (3) lines around changes, in one
  -e, --ed                      as commands for ed
  -f, --forward-ed              output something like an ed script, forward
  -n, --rcs                     as RCS keeps it
  -y, --side-by-side            one beside the other
  -W, --width=NUM               lines of NUM columns at the most (130)
  -l, --paginate                in pages, made by pr
      --left-column             with -y, show common lines on the left only
      --suppress-common-lines   with -y, leave out common lines

  -p, --show-c-function         name the C function a change is in
  -F, --show-function-line=RE   name the last line before it that matches RE
  -L, --label LABEL             LABEL in the place of a file's name and time
                                  (can be repeated)

  -t, --expand-tabs             turn tabs of the lines into spaces
  -T, --initial-tab             put a tab in front, so that tabs line up
      --tabsize=NUM             a tab goes to the next multiple of NUM (8)
      --suppress-blank-empty    no blank before empty lines of context

  -r, --recursive                 go down into directories
      --no-dereference            compare where links point, not what is there
  -N, --new-file                  a file that is missing is an empty one
  -P, --unidirectional-new-file   treat absent first files as empty
      --ignore-file-name-case     upper and lower case are alike in file names
      --no-ignore-file-name-case  upper and lower case differ in file names
  -x, --exclude=PAT               leave out files named like PAT
  -X, --exclude-from=FILE         leave out files named like a pattern of FILE
  -S, --starting-file=FILE        in directories, begin with FILE
      --from-file=FILE1           compare FILE1 with each operand
      --to-file=FILE2             compare each operand with FILE2

  -i, --ignore-case               upper and lower case are alike
  -E, --ignore-tab-expansion      a tab is like the spaces it stands for
  -Z, --ignore-trailing-space     blanks at the end of lines do not count
  -b, --ignore-space-change       how many blanks there are does not count
  -w, --ignore-all-space          blanks do not count
  -B, --ignore-blank-lines        leave out changes of blank lines only
  -I, --ignore-matching-lines=RE  leave out changes of lines matching RE only

  -a, --text                      files are text, whatever they look like
      --strip-trailing-cr         a carriage return at the end does not count

  -D, --ifdef=NAME                both files in one, with #ifdef NAME between
      --GTYPE-group-format=GFMT   show groups of lines of a GTYPE like GFMT
      --line-format=LFMT          show each line like LFMT
      --LTYPE-line-format=LFMT    show lines of an LTYPE like LFMT
    LTYPE is 'old', 'new', or 'unchanged'; GTYPE is LTYPE or 'changed'.
    GFMT may contain: %< %> %= lines of FILE1, FILE2, both; %[-][WIDTH][.[PREC]]{doxX}LETTER
      with F first, L last, N number, E = F-1, M = L+1 (lower case for FILE1);
      %(A=B?T:E). LFMT may contain: %L line, %l line without newline, %dn number.
      Both may contain %% and %c'C' and %c'\\OOO'.

  -d, --minimal            look longer for fewer changes
  -H, --speed-large-files  for large files with many small changes (no faster here)
      --binary             nothing: files are read as they are
      --horizon-lines=NUM  keep NUM common lines at either end
      --color[=WHEN]       color output; WHEN is 'never', 'always', or 'auto'
      --palette=PALETTE    the colors to use when --color is active

      --help               print this help
  -v, --version            print the version

Two files, two directories, or one of each (then the file of that name in it).
- is standard input.
Status: 0 alike, 1 not alike, 2 an error.
";
