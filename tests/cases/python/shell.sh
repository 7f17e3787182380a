### a one-liner
python3 -c 'print(6 * 7)'
### arguments
python3 -c 'import sys; print(sys.argv)' a 'b c' -d --e
### a pipe into it
printf '3\n1\n2\n' | python3 -c 'import sys; print(sorted(int(l) for l in sys.stdin))'
### a pipe out of it
python3 -c 'print("\n".join(map(str, range(5))))' | tail -2
### in the middle
seq 5 | python3 -c 'import sys
for l in sys.stdin: print(int(l) ** 2)' | paste -sd+ | sed 's/+/ + /g'
### a here-document
python3 - <<'EOF'
import sys
print("from here", sys.argv)
EOF
### a here-document with arguments
python3 - x y <<'EOF'
import sys
print(sys.argv)
EOF
### standard input is the program
echo 'print("stdin program")' | python3
### command substitution
x=$(python3 -c 'print("a b")'); echo "[$x]" $(python3 -c 'print(1); print(2)')
### exit statuses
python3 -c 'import sys; sys.exit(3)'; echo $?; python3 -c '1/0' 2>/dev/null; echo $?; python3 -c 'x x' 2>/dev/null; echo $?; python3 nope.py 2>/dev/null; echo $?
### a script with arguments
cat > s.py <<'EOF'
import sys
if __name__ == "__main__": print(__name__, sys.argv, len(sys.path) > 0)
EOF
python3 s.py 1 2; python3 ./s.py
### an executable script
printf '#!/usr/bin/env python3\nimport sys\nprint("exec", sys.argv[1:])\n' > t; chmod +x t; ./t a b
### modules as scripts
echo '{"b":1,"a":[1,2]}' | python3 -m json.tool --sort-keys; python3 -m calendar 2024 2 | head -3; echo hi | python3 -m base64 -e
### own modules
mkdir -p pkg; echo 'print("init")' > pkg/__init__.py; echo 'print("main", __name__, __package__)' > pkg/__main__.py; echo 'print("mod", __name__)' > pkg/m.py; python3 -m pkg; python3 -m pkg.m; echo 'x = 5' > v.py; python3 -c 'import v; print(v.x)'
### folders and zip files as programs
mkdir app; echo 'import helper; print("app", helper.v)' > app/__main__.py; echo 'v = 7' > app/helper.py; python3 app; python3 -m zipfile -c app.zip app/__main__.py app/helper.py; python3 app.zip
### PYTHONPATH
mkdir lib; echo 'v = "lib"' > lib/mine.py; PYTHONPATH=lib python3 -c 'import mine; print(mine.v)'; PYTHONPATH=lib python3 -E -c 'import mine' 2>&1 | tail -1
### isolated
echo 'print("shadowed")' > json.py; python3 -c 'import sys; sys.path[:0] = []; import json' ; python3 -I -c 'import json; print(json.dumps(1))'
### optimised
python3 -O -c 'assert False; print(__debug__)'; python3 -c 'print(__debug__)'; echo 'assert False, "x"' > am.py; python3 -O -c 'import am; print("ok")'; python3 -c 'import am' 2>&1 | tail -1
### unbuffered
python3 -u -c 'import sys, os; sys.stdout.write("a"); os._exit(0)'; echo; PYTHONUNBUFFERED=1 python3 -c 'import sys, os; sys.stdout.write("b"); os._exit(0)'
### warnings
python3 -W error -c 'import warnings; warnings.warn("w")' 2>&1 | tail -1; python3 -W ignore -c 'import warnings; warnings.warn("w"); print("quiet")'; PYTHONWARNINGS=error python3 -c 'import warnings; warnings.warn("w")' 2>&1 | tail -1
### unknown options
python3 -Z -c 1 2>&1 | head -1; python3 --nope 2>&1 | head -1; python3 -c 2>&1 | head -1
### version
python3 -V | cut -d. -f1; python3 --version | cut -c1-8
### quiet streams
python3 -c 'import sys; print("out"); print("err", file=sys.stderr)' 2>/dev/null; python3 -c 'import sys; print("out"); print("err", file=sys.stderr)' 2>&1 >/dev/null
### closed streams
python3 -c 'print(1)' >&-; echo $?; python3 -c 'import sys; print(sys.stdin)' <&-
### a reader that goes away
python3 -c '
for i in range(100000): print(i)' 2>/dev/null | head -2
### output is buffered in order
python3 -c 'import os; print("one", flush=True); os.system("echo two"); print("three")'
### loops over files
for i in 1 2 3; do echo $i > f$i; done; for f in f*; do python3 -c 'import sys; print(sys.argv[1], open(sys.argv[1]).read().strip())' $f; done
### xargs and find
touch a.txt b.txt; find . -name '*.txt' | sort | xargs python3 -c 'import sys; print(sys.argv[1:])'
### environment
X=5 python3 -c 'import os; print(os.environ["X"])'; export Y=6; python3 -c 'import os; print(os.environ["Y"], os.environ.get("Z"))'; env -i PATH="$PATH" python3 -c 'import os; print("HOME" in os.environ)'
### working directory
mkdir d; cd d; python3 -c 'import os; print(os.path.basename(os.getcwd()))'; touch here; python3 -c 'import os; print(os.listdir())'
### conditions
if python3 -c 'import sys; sys.exit(0)'; then echo yes; fi; python3 -c 'raise SystemExit(1)' || echo no
### in the background
python3 -c 'print("bg")' & wait; python3 -c 'import time; time.sleep(5)' & kill $!; wait $!; echo $?
### many lines of input
seq 20000 | python3 -c 'import sys; print(sum(map(int, sys.stdin)))'; seq 1000 | python3 -c 'print(sum(1 for _ in iter(input, "500")))'
### input
printf 'Ada\n36\n' | python3 -c 'n = input("name? "); a = int(input()); print(n, a + 1)'; python3 -c 'input()' </dev/null 2>&1 | tail -1
### binary through a pipe
head -c 1000 /dev/zero | python3 -c 'import sys; d = sys.stdin.buffer.read(); print(len(d), d.count(0)); sys.stdout.buffer.write(bytes(range(10)))' | od -c | head -3
### invalid utf-8 passes
printf '\xff\xfe\n' | python3 -c 'import sys; sys.stdout.write(sys.stdin.read())' | od -An -tx1
### csv to json
printf 'a,b\n1,2\n3,4\n' > d.csv; python3 -c '
import csv, json
print(json.dumps([dict(r) for r in csv.DictReader(open("d.csv"))]))' | python3 -c 'import json, sys; print(sum(int(r["b"]) for r in json.load(sys.stdin)))'
### a filter written twice
cat > up.py <<'EOF'
import sys
for line in sys.stdin:
    sys.stdout.write(line.upper())
EOF
printf 'ab\ncd\n' | python3 up.py | python3 up.py
### -x and comments
printf 'garbage here\nprint("second line")\n' > x.py; python3 -x x.py
### a syntax error in a file names it
printf 'x = 1\ny = = 2\n' > bad.py; python3 bad.py 2>&1 | grep -c 'bad.py'; python3 bad.py; echo $?
### unittest from the command line
cat > test_it.py <<'EOF'
import unittest
class T(unittest.TestCase):
    def test_ok(self): self.assertEqual(1 + 1, 2)
    def test_bad(self): self.assertEqual(1, 2)
EOF
python3 -m unittest -q 2>/dev/null; echo $?; python3 -m unittest test_it.T.test_ok 2>&1 | tail -1
### pyc files are not left
echo 'v = 1' > mm.py; python3 -B -c 'import mm'; ls
### compileall and py_compile
echo 'print("compiled")' > c.py; python3 -c 'import py_compile; py_compile.compile("c.py", "c.pyc")'; python3 c.pyc
### doctest from the command line
printf 'def f():\n    """\n    >>> f()\n    3\n    """\n    return 3\n' > dt.py; python3 -m doctest dt.py; echo $?
### timeit and others
python3 -m timeit -n 1 -r 1 pass | grep -c loop; python3 -m this | head -1; python3 -m platform | head -c 0; echo end
### line endings of standard input
printf 'a\r\nb\rc\n' | python3 -c 'import sys; print(sys.stdin.readlines())'; printf 'a\r\n' | python3 -c 'print(repr(input()))'; printf 'a\r\nb\n' | python3 -c 'import fileinput; print(list(fileinput.input()))'
### a script that comes through a pipe
python3 <(echo 'import sys; print(__name__, len(sys.argv))') a; echo 'print(__name__, __file__, __cached__)' | python3; echo 'print(__file__)' | python3 - x
### a zip file that begins with a line for the shell
mkdir app; echo 'import sys, m; print(__name__, sys.argv, sys.path[0].split("/")[-1])' > app/__main__.py; echo 'print("m")' > app/m.py
python3 -m zipapp app -o a.pyz -p '/usr/bin/env python3'; ./a.pyz x; python3 a.pyz y; (cat a.pyz; printf 'more') > b.pyz; python3 b.pyz 2> /dev/null; echo $?
### folders of modules are absolute
mkdir -p lib app; echo 'x = 1' > lib/m.py; PYTHONPATH=lib:../y: python3 -c 'import os, sys; here = os.getcwd(); os.chdir("/"); import m; print(m.x, [p[len(here):] if p.startswith(here) else "?" for p in sys.path[1:2]], all(map(os.path.isabs, sys.path[1:])))'
echo 'import os, sys; print(os.path.isabs(__file__), os.path.isabs(sys.path[0]), sys.argv)' > app/__main__.py; python3 app; mkdir empty; python3 empty 2>&1 | sed "s|^[^:]*: ||; s|$PWD|HERE|"
