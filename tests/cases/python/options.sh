### -b warns when bytes become text
python3 -b -c 'print(str(b"x"))' 2>&1; python3 -c 'print(str(b"x"), "%s" % b"y")' 2>&1
### -b warns when bytes are compared with text and numbers
python3 -b -c 'print(b"a" == "a", b"a" == 97, bytearray(b"x") != "x", {"a": 1}.get(b"a"))' 2>&1
### -bb is an error
python3 -bb -c 'b"a" == "a"'; echo $?; python3 -bb -c '"%s" % b"x"'; echo $?
### -b and -W
python3 -b -W error -c 'str(b"x")' 2>&1; python3 -bb -W ignore -c 'str(b"x")'; echo $?; python3 -W error -c 'print(str(b"x"))'
### -b in modules
echo 'def f(x): return f"{x}"' > m.py; python3 -bb -c 'import m; m.f(b"")'
### the flags of -b
for o in -b -bb; do python3 $o -c 'import sys; print(sys.flags.bytes_warning, sys.warnoptions)'; done
### flags that are counted
for o in -d -dd -B -E -I -O -OO -OOO -P -q -R -s -S -u -t -x '-X dev' '-X utf8' '-X utf8=0' '-X warn_default_encoding' '-X nosuch=5' -Wd '-W error'; do
    python3 $o -c 'import sys; names = "debug inspect interactive optimize dont_write_bytecode no_user_site no_site ignore_environment verbose bytes_warning quiet hash_randomization isolated dev_mode utf8_mode warn_default_encoding safe_path"; print([getattr(sys.flags, n) for n in names.split()], sys.warnoptions, sys._xoptions)'
done
### flags by variables
for v in PYTHONOPTIMIZE=1 PYTHONOPTIMIZE=2 PYTHONOPTIMIZE=x PYTHONSAFEPATH=1 PYTHONWARNINGS=error,default PYTHONUTF8=1 PYTHONUTF8=0 PYTHONUTF8= PYTHONDEBUG=2 PYTHONVERBOSE= PYTHONVERBOSE=0 PYTHONNOUSERSITE=1 PYTHONDEVMODE=1 PYTHONUNBUFFERED=0 PYTHONWARNDEFAULTENCODING=1 PYTHONINSPECT=1 LC_ALL=C LC_ALL=POSIX LANG= LC_ALL=C.UTF-8; do
    env $v python3 -c 'import sys; names = "debug inspect interactive optimize dont_write_bytecode no_user_site no_site ignore_environment verbose dev_mode utf8_mode warn_default_encoding safe_path"; print([getattr(sys.flags, n) for n in names.split()], sys.warnoptions, sys._xoptions, sys.stdout.errors, sys.stdin.errors, sys.stderr.errors)'
done
### -E takes no variables
PYTHONOPTIMIZE=2 PYTHONWARNINGS=error PYTHONUTF8=7 PYTHONIOENCODING=nosuch python3 -E -c 'import sys; print(sys.flags.optimize, sys.warnoptions, sys.stdout.encoding)'
### the order of warnings
PYTHONWARNINGS=ignore,default python3 -b -X dev -Wonce -Wignore -c 'import sys; print(sys.warnoptions)'
### optimisation is everywhere
python3 -O -c 'exec("assert 0"); print(__debug__, eval("__debug__"), __builtins__.__debug__)'; PYTHONOPTIMIZE=2 python3 -c '
class A: "text"
print(A.__doc__, eval("lambda: 1").__doc__)'; python3 -O -c 'compile("assert 0", "", "exec"); exec(compile("assert 0", "", "exec", optimize=0))'
### optimised bytecode has its own file
echo 'assert 0' > om.py; PYTHONDONTWRITEBYTECODE= python3 -O -c 'import om'; ls __pycache__ | sed 's/3[0-9]*//'
### the limit of digits
python3 -X int_max_str_digits=640 -c 'import sys; print(sys.get_int_max_str_digits(), sys.flags.int_max_str_digits); int("1" * 641)'; echo $?; python3 -X int_max_str_digits=0 -c 'print(len(str(10 ** 5000)))'; PYTHONINTMAXSTRDIGITS=700 python3 -c 'import sys; print(sys.get_int_max_str_digits())'
### values that cannot be
for o in utf8=2 utf8=x int_max_str_digits=5 int_max_str_digits=x int_max_str_digits tracemalloc=x tracemalloc=-1; do python3 -X $o -c 'print(1)' 2>&1 | head -2; done
### variables that cannot be
for v in PYTHONUTF8=2 PYTHONINTMAXSTRDIGITS=5 PYTHONTRACEMALLOC=x PYTHONHASHSEED=x PYTHONMALLOC=nosuch; do env $v python3 -c 'print(1)' 2>&1 | head -2; done
### memory is traced
python3 -X tracemalloc -c 'import tracemalloc as t; print(t.is_tracing(), t.get_traceback_limit())'; PYTHONTRACEMALLOC=7 python3 -c 'import tracemalloc as t; print(t.is_tracing(), t.get_traceback_limit())'; PYTHONTRACEMALLOC=0 python3 -c 'import tracemalloc as t; print(t.is_tracing())'
### the fault handler
python3 -X faulthandler -c 'import faulthandler as f; print(f.is_enabled())'; PYTHONFAULTHANDLER=1 python3 -c 'import faulthandler as f; print(f.is_enabled())'; python3 -c 'import faulthandler as f; print(f.is_enabled())'; python3 -X dev -c 'import faulthandler as f; print(f.is_enabled())'
### development mode checks more
python3 -X dev -c 'b"x".decode("utf8", "nosuch")'; echo $?; python3 -c 'print(b"x".decode("utf8", "nosuch"))'; python3 -X dev -c 'import asyncio; print(asyncio.run(asyncio.sleep(0, asyncio.get_event_loop_policy))  is not None, asyncio.coroutines._is_debug_mode())' 2>/dev/null; python3 -X dev -c 'open("/etc/passwd")' 2>&1 | tail -1
### warnings about encodings
echo > f; python3 -X warn_default_encoding -c 'open("f").close()'; PYTHONWARNDEFAULTENCODING=1 python3 -W error -c 'open("f")'; python3 -X warn_default_encoding -c 'open("f", encoding="utf-8").close()'
### code without columns
python3 -X no_debug_ranges -c 'print(list((lambda: 1).__code__.co_positions())[-1][2:])'; PYTHONNODEBUGRANGES=1 python3 -c 'print(list((lambda: 1).__code__.co_positions())[-1][2:])'
### bytecode elsewhere
echo 'x = 1' > pm.py; export PYTHONDONTWRITEBYTECODE=; python3 -X pycache_prefix=cache -c 'import pm, sys; print(sys.pycache_prefix)'; find cache -name 'pm.*' | wc -l; ls -d __pycache__ 2>&1 | wc -w; PYTHONPYCACHEPREFIX=other python3 -c 'import sys; print(sys.pycache_prefix)'; python3 -X pycache_prefix= -c 'import sys; print(sys.pycache_prefix)'
### import times
python3 -X importtime -c 'import wave' 2>&1 | grep -c '| wave$'; PYTHONPROFILEIMPORTTIME=1 python3 -c 'import wave' 2>&1 | grep -c '^import time: self'; python3 -c 'import wave'
### verbose
python3 -v -c 'import wave' 2>&1 | grep -c "^import 'wave'"; PYTHONVERBOSE=1 python3 -c 'import wave' 2>&1 | grep -c "^import 'wave'"
### hash-based bytecode
for o in default always never; do python3 --check-hash-based-pycs $o -c 'import _imp; print(_imp.check_hash_based_pycs)'; done; python3 --check-hash-based-pycs nosuch 2>&1 | head -1; python3 --check-hash-based-pycs 2>&1 | head -1
### hash-based bytecode is checked when asked
echo 'x = 1' > hm.py; python3 -c 'import py_compile; py_compile.compile("hm.py", invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)'; echo 'x = 2' > hm.py; python3 -c 'import hm; print(hm.x)'; python3 --check-hash-based-pycs always -c 'import hm; print(hm.x)'
### options without their value
for o in -c -m -W -X; do python3 $o 2>&1 | head -1; python3 $o >/dev/null 2>&1; echo $?; done
### options that are not there
python3 -J 2>&1 | head -1; python3 -Z 2>&1 | head -1; python3 --nosuch 2>&1 | head -1; python3 -BZ 2>/dev/null; echo $?
### options in one word
python3 -Bc 'import sys; print(sys.dont_write_bytecode)'; python3 -cprint\(5\); python3 -OOBEs -c 'import sys; print(sys.flags.optimize, sys.flags.no_user_site)'; python3 -Werror -c 'import warnings; warnings.warn("w")'; python3 -- -c 2>/dev/null; echo $?
### helps
for o in -h '-?' --help --help-env --help-xoptions --help-all -Vh; do python3 $o > out; echo $? $(( $(wc -l < out) > 10 )); done; python3 -h | grep -c '^usage: '; python3 --help-env | grep -c PYTHONHASHSEED; python3 --help-xoptions | grep -q importtime && echo yes
### warnings by category and module
python3 -W error::DeprecationWarning -c 'import warnings; warnings.warn("u"); warnings.warn("d", DeprecationWarning)'; python3 -W ignore:x:UserWarning -c 'import warnings; warnings.warn("x1"); warnings.warn("y")'; python3 -W once -c 'import warnings
for i in range(3): warnings.warn("w")' 2>&1 | wc -l
### warnings that mean nothing
python3 -W nosuch -c 'print(1)' 2>&1; python3 -W error::NoSuch -c 'print(1)' 2>&1; python3 -W default:::x:-3 -c 'print(1)' 2>&1
### without site
python3 -S -c 'exit()'; python3 -S -c 'import sys; print("site" in sys.modules)'; python3 -c 'import sys; print("site" in sys.modules)'
### what is imported first
mkdir lib; echo 'print("site", end=" ")' > lib/sitecustomize.py; echo 'print("user", end=" ")' > lib/usercustomize.py; for o in -q -s -S -I; do PYTHONPATH=lib python3 $o -c 'print("program")'; done; echo 1/0 > lib/sitecustomize.py; PYTHONPATH=lib python3 -s -c 'print(1)' 2>&1 | tail -2
### the folder of the user
PYTHONUSERBASE=$PWD/ub python3 -c 'import os, site; p = site.getusersitepackages(); print(p.startswith(os.getcwd() + "/ub/lib/python3")); os.makedirs(p); open(p + "/um.py", "w").write("x = 5")'; PYTHONUSERBASE=$PWD/ub python3 -c 'import um; print(um.x)'; PYTHONUSERBASE=$PWD/ub python3 -s -c 'import um'
### encodings of the streams
PYTHONIOENCODING=latin1 python3 -c 'import sys; print(sys.stdout.encoding, sys.stdout.errors, "\xe9")' | od -c | head -3; PYTHONIOENCODING=ascii:replace python3 -c 'print("\xe9")'; PYTHONIOENCODING=ascii python3 -c 'print("\xe9")'; PYTHONIOENCODING=:ignore python3 -c 'import sys; print(sys.stdout.errors)'; PYTHONIOENCODING=nosuch python3 -c 'print(1)' 2>&1 | grep -c 'LookupError: unknown encoding: nosuch'
### breakpoints
PYTHONBREAKPOINT=0 python3 -c 'breakpoint(); print(1)'; PYTHONBREAKPOINT=builtins.print python3 -c 'breakpoint("hi", sep="")'; PYTHONBREAKPOINT=nosuch.name python3 -c 'breakpoint(); print(2)' 2>&1; python3 -c 'import os; os.environ["PYTHONBREAKPOINT"] = "0"; breakpoint(); print(3)'; PYTHONBREAKPOINT=0 python3 -E -c 'breakpoint(1)'
### a debugger
printf 'p x\nc\n' | python3 -c 'x = 1
breakpoint()
x = 2
x = 3' 2>&1 | grep -c '^(Pdb) 1'
### -i goes on
echo 'print(x)' | python3 -i -c 'x = 3' 2>/dev/null; echo 'print(1); import sys; sys.exit(7)' | python3 -i -c 'import sys; sys.exit(4)' 2>/dev/null; echo $?; echo 'import sys; sys.exit(5)' | python3 -i 2>/dev/null; echo $?; echo 'print(9)' > s.py; printf 'print(8)\n1/0\nprint(7)' | python3 -i s.py 2>/dev/null; echo $?
### prompts are not output
printf 'def f():\n    return 4\n\nf()\nx\nprint(6)\n' | python3 -qi 2>err; grep -c 'NameError' err; grep -o 'File "[^"]*"' err; echo 'print(5)' | python3 -i -c 'print(4)' 2>&1 | cat
### going on is asked for by variables
echo 'print(x)' | PYTHONINSPECT=1 python3 -c 'x = 3'; echo 'print(x)' | python3 -c 'import os; os.environ["PYTHONINSPECT"] = "1"; x = 3'; echo $?
### a file that is run at the start of a dialogue
echo 'print("startup"); y = 5' > st.py; export PYTHONSTARTUP=st.py; echo 'print(y)' | python3 -qi 2>/dev/null; echo 'print(1)' | python3 -q; echo 'print(2)' | python3 -qi -E 2>/dev/null; echo 'print(3)' | PYTHONSTARTUP=nosuch.py python3 -qi 2>&1 | head -2; python3 -c 'print(4)'
### the first line is left out
printf 'garbage (\nprint(1)\n1/0\n' > x.py; python3 -x x.py 2>&1 | grep -o 'line .'; python3 x.py 2>/dev/null; echo $?
### what was printed and what went wrong, in order
python3 -c 'print(1); 1/0' 2>&1 | head -1; echo 'print(1); 1/0' > d.py; python3 d.py 2>&1 | head -1; echo 'import sys; print(2); sys.exit("bye")' > e.py; python3 e.py 2>&1 | head -2; python3 -m e 2>&1 | head -2; python3 < e.py 2>&1 | head -2
### what sys says
PYTHONEXECUTABLE=/x/python python3 -c 'import sys; print(sys.executable)'
### colours
PYTHON_COLORS=0 FORCE_COLOR=1 python3 -c '1/0' 2>&1 | tail -1; NO_COLOR=1 python3 -c '1/0' 2>&1 | tail -1
### asyncio in debug mode
PYTHONASYNCIODEBUG=1 python3 -c 'import asyncio
async def main(): print(asyncio.get_running_loop().get_debug())
asyncio.run(main())'; python3 -c 'import asyncio
async def main(): print(asyncio.get_running_loop().get_debug())
asyncio.run(main())'
### modules of the library have the names of their sources
python3 -m unittest --help | head -1 | grep -o 'python3 -m unittest'; python3 -m base64 -h 2>&1 | grep -o 'base64.py '
