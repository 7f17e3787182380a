### methods of strings
s = "Hello, World"
print(s.upper(), s.lower(), s.title(), s.swapcase(), s.casefold(), s.center(20, "*"), s.find("o"), s.rfind("o"), s.count("l"), s.replace("l", "L", 1))
### splitting
print("a,b,,c".split(","), "  a b  ".split(), "a\nb\r\nc".splitlines(), "a=b=c".partition("="), "a=b=c".rpartition("="), "abc".split("b", 1), "a b c".rsplit(None, 1))
### stripping
print(repr("  x  ".strip()), "xxaxx".strip("x"), "prefix-rest".removeprefix("prefix-"), "name.py".removesuffix(".py"), "xxa".lstrip("x"))
### tests of strings
print("abc".isalpha(), "123".isdigit(), "a1".isalnum(), " ".isspace(), "Abc".istitle(), "x1".isidentifier(), "½".isnumeric(), "٣".isdecimal(), "".isascii())
### unicode
s = "héllo wörld ñ 漢字 🎉"
print(len(s), s.upper(), s.encode("utf-8"), s[::-1], [hex(ord(c)) for c in s[-2:]])
### normal forms
import unicodedata
s = "é"; d = unicodedata.normalize("NFD", s)
print(len(s), len(d), unicodedata.normalize("NFC", d) == s, unicodedata.name("漢"), unicodedata.category("A"), unicodedata.lookup("GREEK SMALL LETTER ALPHA"))
### encodings
for e in ("utf-8", "utf-16-le", "utf-32-be", "latin-1", "cp1252", "cp437", "iso8859-15", "koi8-r", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "utf-7", "idna", "punycode"):
    try: print(e, "aé漢".encode(e, "replace"))
    except UnicodeError as x: print(e, type(x).__name__)
### error handlers
print("aé€".encode("ascii", "xmlcharrefreplace"), "é".encode("ascii", "backslashreplace"), b"a\xffb".decode("utf-8", "replace"), b"a\xff".decode("utf-8", "surrogateescape").encode("utf-8", "surrogateescape"), b"\xffa".decode("ascii", "ignore"))
### codecs
import codecs
print(codecs.encode("hello", "rot13"), codecs.encode(b"hi", "hex"), codecs.decode(b"6869", "hex"), codecs.BOM_UTF8, codecs.lookup("utf8").name)
### bytes
b = b"hello"
print(b[0], b[1:3], b.hex(), bytes.fromhex("68 65"), bytes([1, 2]), b.replace(b"l", b"L"), bytearray(b), memoryview(b)[1:3].tobytes(), b.translate(bytes.maketrans(b"el", b"31")))
### format specs
print("{:>8}|{:<8}|{:^8}|{:+d}|{:08.3f}|{:e}|{:b}|{:o}|{:X}|{:_}|{!r}".format("a", "b", "c", 5, 3.14159, 12345.678, 10, 8, 255, 1000000, "q"))
### percent formatting
print("%s %r %d %5.2f %x %o %e %% %c %-5s| %05d %+d" % ("s", "r", 42, 3.14159, 255, 8, 1234.5, "c", "l", 42, 7))
### format map and template
from string import Template
print("{a} {b[0]} {c.real}".format(a=1, b=[2], c=3), Template("$x ${y}z $$").substitute(x=1, y=2), "{x}".format_map({"x": 5}))
### translate
print("hello".translate(str.maketrans("el", "ip", "o")), "abc".translate({97: None, 98: "XY"}))
### repr of odd strings
print(repr("a'b"), repr('a"b'), repr("a'\"b"), repr("\t\n\x00\x7f\u200b\U0001f600"), ascii("é漢🎉"), repr(b"\x00\xff'"))
### regular expressions
import re
print(re.findall(r"(\w+)=(\d+)", "a=1 b=22"), re.sub(r"(\w)(\w)", r"\2\1", "abcd"), re.split(r"[,;]\s*", "a, b;c"), re.match(r"(?P<y>\d{4})-(?P<m>\d\d)", "2024-05").groupdict())
### regular expressions: look-around and flags
import re
print(re.findall(r"(?<=\$)\d+(?!\d|%)", "$10 $20% $30"), re.search(r"(?i)HELLO", "say hello").span(), re.findall(r"^\w", "a\nb", re.M), re.sub(r"\s+", lambda m: str(len(m[0])), "a  b   c"), re.fullmatch(r"(a|b)*", "abba") is not None)
### regular expressions: unicode and verbose
import re
p = re.compile(r"""(\w+)   # word
                   \s+ (\d+)""", re.X)
print(p.search("größe 42").groups(), re.findall(r"\b\w{5}\b", "hello größe 漢字"), re.escape("a.b*c"), re.compile("x").pattern)
### regular expression errors
import re
for p in ("(", "[a", "*a", "(?P<1>a)"):
    try: re.compile(p)
    except re.error as e: print(e.pos, e.msg)
### textwrap
import textwrap
t = "The quick brown fox jumps over the lazy dog. " * 2
print(textwrap.fill(t, 30)); print(textwrap.shorten(t, 30)); print(textwrap.dedent("  a\n    b\n  c")); print(textwrap.indent("a\nb", "> "))
### difflib
import difflib
print("\n".join(difflib.unified_diff(["a", "b", "c"], ["a", "x", "c"], "old", "new", lineterm=""))); print(difflib.get_close_matches("appel", ["ape", "apple", "peach"]), round(difflib.SequenceMatcher(None, "abcd", "bcde").ratio(), 3))
### string constants and capwords
import string
print(string.ascii_letters, string.digits, string.punctuation, string.capwords("hello big world"))
### pprint
import pprint
pprint.pprint({"b": [1, 2, 3], "a": {"x": "y" * 30, "z": list(range(20))}}, width=50); print(pprint.pformat({3: 1, 1: 2}))
### shlex
import shlex
print(shlex.split("a 'b c' \"d e\" f\\ g"), shlex.quote("it's"), shlex.join(["a b", "c"]), list(shlex.shlex("x=1 # c", posix=True)))
### html
import html
print(html.escape("<a href='x'>&\"</a>"), html.unescape("&lt;&eacute;&#233;&amp;&nbsp;"))
### html parser
from html.parser import HTMLParser
class P(HTMLParser):
    def handle_starttag(self, t, a): print("start", t, a)
    def handle_endtag(self, t): print("end", t)
    def handle_data(self, d): print("data", repr(d))
P().feed("<p class=x>Hi <b>there</b><br/></p>")
### stringio
import io
s = io.StringIO("a\nb\nc"); print(s.readline(), s.read(), s.seek(0), list(s)); b = io.BytesIO(); b.write(b"abc"); print(b.getvalue(), b.tell())
### fnmatch
import fnmatch
print(fnmatch.filter(["a.py", "b.txt", "C.PY"], "*.py"), fnmatch.fnmatchcase("a1", "[a-c][0-9]"), fnmatch.translate("*.x") != "")
### sorting text
print(sorted("banana Apple cherry".split()), sorted("bB aA".split(), key=str.casefold), "".join(sorted("hello")), min("b", "a"), max(["aa", "b"], key=len))
### tokenize
import tokenize, io
print([(tokenize.tok_name[t.type], t.string) for t in tokenize.generate_tokens(io.StringIO("x = 1 + y\n").readline)])
### ast
import ast
t = ast.parse("a = b + 1"); print(ast.unparse(t), type(t.body[0]).__name__, ast.literal_eval("{'a': [1, (2, 3)], 'b': None}"))
### difficult printing
import sys
print("a", file=sys.stderr); print("b", flush=True); sys.stdout.write("c\n"); print(*[1, 2], sep="\n"); sys.stdout.buffer.write(b"\xffraw\n")
### surrogates on output
import sys
sys.stdout.reconfigure(errors="backslashreplace"); print("\udcff ok")
### locale independent
import locale
print(format(1234567.891, ",.2f"), "{:n}".format(1234), locale.setlocale(locale.LC_ALL, "C"))
### binascii and base64
import base64, binascii
print(base64.b64encode(b"hello world"), base64.b64decode("aGk="), base64.urlsafe_b64encode(b"\xff\xfe"), base64.b32encode(b"hi"), base64.b16encode(b"hi"), base64.b85encode(b"hello"), base64.a85encode(b"hello"), binascii.crc32(b"hello"), binascii.hexlify(b"ab", ":"))
### quopri and uu-like
import quopri
print(quopri.encodestring(b"caf\xc3\xa9 = x"), quopri.decodestring(b"a=3Db"))
### stringprep and idna
print("bücher.example".encode("idna"), b"xn--bcher-kva.example".decode("idna"))
### locales that are there and not
import locale
print(locale.setlocale(locale.LC_ALL, "C"), locale.setlocale(locale.LC_ALL))
print(locale.setlocale(locale.LC_ALL, ""), locale.getencoding(), locale.localeconv()["decimal_point"])
print(locale.setlocale(locale.LC_CTYPE, "C"), locale.setlocale(locale.LC_CTYPE), locale.setlocale(locale.LC_TIME, None))
saved = locale.setlocale(locale.LC_ALL); print(saved); locale.setlocale(locale.LC_ALL, "C"); print(locale.setlocale(locale.LC_ALL, saved) == saved)
try: locale.setlocale(locale.LC_ALL, "zz_ZZ.UTF-8")
except locale.Error as error: print(error)
print(locale.format_string("%d", 1234567, grouping=True), locale.atof("1.5"), locale.strcoll("a", "b") < 0)
### strftime
import datetime, time
d = datetime.datetime(2024, 3, 5, 13, 3, 9, 55); t = d.timetuple()
for f in ("%k|%l|%P|%-k|%0l", "%-d.%-m. %_d %^a %^B", "%H:%M:%S.%f", "100%", "%i %J|%Q|%!", "%%k %%", "é %Y"): print(repr(d.strftime(f)), repr(time.strftime(f, t)), repr(d.date().strftime(f)))
print(f"{d:%I:%M%P}", time.strftime("%P")[-1:])
