"""Test data of a program's own repository as cases: name, input files, shell command, expected output.

Every reader takes show(path) -> bytes and names() -> paths, both of one fixed commit, and yields
(name, {file: bytes}, command, expected bytes). BIN in a command is the program that was built."""
import re, subprocess, tempfile, os
from material import digest

FENCE = b'`' * 32

def spec(show, names, paths, program, drop=(b'<',)):
    """CommonMark's own format: fenced examples, input and output separated by a line with a dot."""
    for path in paths:
        number, part, state = 0, [[], [], []], None
        for line in show(path).split(b'\n'):
            if line.startswith(FENCE + b' example'):
                state, part = 0, [[], [], []]
                number += 1
            elif state is not None and line == FENCE:
                text, want = (b''.join(l + b'\n' for l in p).replace('\u2192'.encode(), b'\t') for p in part[:2])
                flags = b' '.join(part[2]).decode()
                if not any(d in text for d in drop):
                    yield f'{os.path.basename(path)}#{number}', {'in.md': text}, f'{program} {flags} < in.md', want
                state = None
            elif state is not None and line == b'.' and state < 2:
                state += 1
            elif state is not None:
                part[state].append(line)

def jq(show, names):
    """jq.test: groups of program, input, outputs."""
    groups = re.split(rb'\n[ \t]*\n', show('tests/jq.test'))
    for i, g in enumerate(groups):
        lines = [l for l in g.split(b'\n') if l.strip() and not l.startswith(b'#')]
        if len(lines) < 2 or lines[0].startswith(b'%%FAIL') or b'import' in lines[0] or b'include' in lines[0]: continue
        yield f'jq.test#{i}', {'p.jq': lines[0] + b'\n', 'in.json': lines[1] + b'\n'}, 'BIN -c -f p.jq in.json', \
              b''.join(l + b'\n' for l in lines[2:])

def pairs(show, names, folder, ext, ok, command, extra=()):
    """x.ext with its expected output in x.ok, and any x.EXTRA beside it."""
    have = set(names())
    for path in sorted(have):
        if not path.startswith(folder) or not path.endswith(ext): continue
        base = path[:-len(ext)]
        if base + ok not in have: continue
        files = {os.path.basename(path): show(path)}
        for e in extra:
            if base + e in have: files[os.path.basename(base + e)] = show(base + e)
        stem = os.path.basename(base)
        second = next((stem + e for e in extra if stem + e in files), '')
        yield stem, files, command.replace('FILE', os.path.basename(path)).replace('STEM', stem).replace('INPUT', second), show(base + ok)

def wren(show, names):
    """Lines '// expect: text' of a program are what it prints."""
    for path in sorted(names()):
        if not path.startswith('test/') or not path.endswith('.wren'): continue
        if path.startswith(('test/benchmark', 'test/api', 'test/unit')): continue
        text = show(path)
        if b'expect error' in text or b'expect runtime' in text or b'expect handled' in text: continue
        if b'import ' in text or b'// nontest' in text: continue
        want = b''.join(m + b'\n' for m in re.findall(rb'// expect: ?(.*)', text))
        yield path[5:-5].replace('/', '.'), {'t.wren': text}, 'BIN t.wren', want

def discount(show, names):
    """The shell tests of discount, with `try` replaced by one that writes its arguments down."""
    for path in sorted(names()):
        if not re.match(r'tests/[^/]*\.t$', path): continue
        with tempfile.TemporaryDirectory() as d:
            os.mkdir(d + '/tests')
            open(d + '/tests/functions.sh', 'w').write('''
title() { :; }; summary() { :; }; match() { :; }; try_header() { :; }; need() { :; }
n=0
try() { F=; while [ "$1" ]; do case "$1" in -*) F="$F $1"; shift;; *) break;; esac; done
  case "$2" in -*) return;; esac
  n=$((n+1)); printf '%s\\n' "$2" > in.$n; printf '%s\\n' "$3" > want.$n; printf '%s' "$MARKDOWN_FLAGS|$F" > flags.$n; }
''')
            open(d + '/t', 'wb').write(show(path))
            try: subprocess.run(['sh', './t'], cwd=d, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=10)
            except subprocess.TimeoutExpired: continue
            for i in range(1, 400):
                if not os.path.exists(f'{d}/want.{i}'): break
                env, flags = open(f'{d}/flags.{i}').read().split('|')
                yield f'{os.path.basename(path)}#{i}', {'in.txt': open(f'{d}/in.{i}', 'rb').read()}, \
                      (f"MARKDOWN_FLAGS={env} " if env else '') + f'BIN {flags} in.txt', open(f'{d}/want.{i}', 'rb').read()

def onig(show, names):
    """Calls x2(pattern, text, from, to), x3(.., group) and n(pattern, text) of the UTF-8 test."""
    for i, line in enumerate(show('test/test_utf8.c').split(b'\n'), 1):
        line = line.strip()
        m = re.match(rb'(x2|x3|n)\((.*)\);$', line)
        if not m or b'SYNTAX' in line: continue
        lits = re.findall(rb'"((?:[^"\\]|\\.)*)"', m[2])
        if len(lits) != 2 or re.search(rb'"\s*"', m[2].replace(b'""', b'')): continue
        tail = re.sub(rb'"(?:[^"\\]|\\.)*"', b'', m[2]).replace(b' ', b'').strip(b',').split(b',')
        try: pat, text = (l.decode('utf8').encode('latin1', 'backslashreplace') and unescape(l) for l in lits)
        except Exception: continue
        if b'\0' in pat + text or b'\n' in pat + text: continue
        nums = [t.decode() for t in tail if t]
        want = 'no match\n' if m[1] == b'n' else f'{nums[0]}-{nums[1]}\n' if len(nums) >= 2 else None
        if want is None: continue
        group = nums[2] if m[1] == b'x3' and len(nums) > 2 else '0'
        yield f'utf8#{i}', {'in.txt': pat + b'\n' + text + b'\n'}, f'BIN {group} < in.txt', want.encode()

def lowdown(show, names):
    """regress/x.md with its output in x.html, x.latex, x.man and so on."""
    have = set(names())
    for path in sorted(p for p in have if re.match(r'regress/[^/]*\.md$', p)):
        for kind in ('html', 'latex', 'man', 'ms', 'term', 'gemini'):
            want = path[:-2] + kind
            if want in have:
                stem = os.path.basename(path)[:-3]
                yield f'{stem}.{kind}', {'in.md': show(path)}, f'BIN -T{kind} in.md 2>&1', show(want)

def lines(show, names, folder, command):
    """x.txt with x_results.txt of as many lines: each line is a test of its own."""
    have = set(names())
    for path in sorted(p for p in have if re.match(folder + r'/[^/_]*\.txt$', p)):
        if path[:-4] + '_results.txt' not in have: continue
        inputs, wants = (show(p).rstrip(b'\n').split(b'\n') for p in (path, path[:-4] + '_results.txt'))
        if len(inputs) != len(wants): continue
        for i, (line, want) in enumerate(zip(inputs, wants), 1):
            yield f'{os.path.basename(path)[:-4]}#{i}', {'in.txt': line + b'\n'}, command, want + b'\n'

def lua(show, names):
    """Asserts of one line and blocks that stand at the left margin; most need nothing before them."""
    for path in sorted(p for p in names() if re.match(r'testes/[^/]*\.lua$', p)):
        text, block = show(path).split(b'\n'), None
        for i, line in enumerate(text, 1):
            if line == b'do' or line.startswith((b'do ', b'do\t')):
                block = i
            elif line.rstrip() == b'end' and block:
                body, block, at = b'\n'.join(text[block - 1:i]), None, block
                yield f'{os.path.basename(path)}#{at}', {'t.lua': body + b'\nprint"ok"\n'}, 'BIN t.lua', b'ok\n'
            elif re.match(rb'assert\(.*\)$', line) and not block:
                yield f'{os.path.basename(path)}#{i}', {'t.lua': line + b'\nprint"ok"\n'}, 'BIN t.lua', b'ok\n'

def janet_form(text, at):
    """Where the form that begins at text[at] ends."""
    depth = 0
    for m in re.compile(rb'#[^\n]*|(`+).*?\1|"(?:[^"\\]|\\.)*"|[(\[{]|[)\]}]|\s+|[^\s()\[\]{}"`#]+', re.S).finditer(text, at):
        word = m[0]
        depth += (word in (b'(', b'[', b'{')) - (word in (b')', b']', b'}'))
        if depth == 0 and not word.isspace() and not word.startswith(b'#') and word not in (b'@', b"'", b'~', b'|', b';', b','):
            return m.end()
    return len(text)

def janet(show, names):
    """What (assert FORM ..) at the left margin asserts."""
    for path in sorted(p for p in names() if re.match(r'test/suite[^/]*\.janet$', p)):
        text = show(path)
        for m in re.finditer(rb'^\(assert\s+', text, re.M):
            form = text[m.end():janet_form(text, m.end())]
            line = text.count(b'\n', 0, m.start()) + 1
            name = f'{os.path.basename(path)[6:-6]}#{line}'
            yield name, {'t.janet': b'(print (if ' + form + b' "ok" "no"))\n'}, 'BIN t.janet', b'ok\n'

def tidy(show, names):
    """cases/SET-cases/case-N.html with its .conf; what is written is in SET-expects."""
    have = set(names())
    for path in sorted(have):
        m = re.match(r'(regression_testing/cases/)(\w+)-cases/(case-[^@/]*)(@\d)?\.x?html$', path)
        if not m: continue
        want, conf = f'{m[1]}{m[2]}-expects/{m[3]}.html', f'{m[1]}{m[2]}-cases/{m[3]}.conf'
        if want in have and conf in have:
            yield f'{m[2]}.{m[3]}', {'in.html': show(path), 'in.conf': show(conf)}, \
                  'BIN -config in.conf --tidy-mark no -quiet in.html', show(want)

HARNESS = b'''function Test262Error(m) { this.message = m; }
Test262Error.prototype.toString = function () { return "Test262Error: " + this.message; };
function assert(v, m) { if (v !== true) throw new Test262Error(m); }
assert.same = function (a, b) { return a === b ? a !== 0 || 1 / a === 1 / b : a !== a && b !== b; };
assert.sameValue = function (a, b, m) { if (!assert.same(a, b)) throw new Test262Error(m); };
assert.notSameValue = function (a, b, m) { if (assert.same(a, b)) throw new Test262Error(m); };
assert.throws = function (kind, f, m) {
  try { f(); } catch (e) { if (e.constructor === kind) return; throw new Test262Error(m); }
  throw new Test262Error(m);
};
'''

def test262(show, names):
    """Sputnik's tests of ES5: a program that throws when it is wrong. The names of the others say that
    they are younger, and most need what ES5 does not have. A sixteenth of them, by the sha256 of
    their names: there are five thousand."""
    for path in sorted(names()):
        if not re.match(r'test/(built-ins|language)/.*/S\d[^/]*\.js$', path): continue
        if not digest(os.path.basename(path)[:-3]).startswith('0'): continue
        text = show(path)
        head = text[:text.find(b'---*/') + 5]
        if any(w in head for w in (b'features:', b'includes:', b'negative:', b'flags:')): continue
        yield os.path.basename(path)[:-3], {'t.js': HARNESS + text + b'\nprint("ok");\n'}, 'BIN t.js 2>&1', b'ok\n'

def chibicc(show, names):
    """ASSERT(number, expression) on one line, where the expression brings its own declarations: what
    the program that was compiled prints."""
    for path in sorted(p for p in names() if re.match(r'test/[^/]*\.c$', p)):
        for i, line in enumerate(show(path).split(b'\n'), 1):
            m = re.match(rb'\s*ASSERT\((-?\d+), (\(\{.*\}\))\);$', line)
            if not m: continue
            text = b'int printf();\nint main() { printf("%d\\n", ' + m[2] + b'); return 0; }\n'
            yield f'{os.path.basename(path)[:-2]}#{i}', {'t.c': text}, \
                  '{ BIN -S -o t.s t.c || BIN -o t.s t.c; } && gcc -no-pie -o t t.s && ./t', m[1] + b'\n'

def unescape(lit):
    out, i = bytearray(), 0
    while i < len(lit):
        c = lit[i:i+1]
        if c != b'\\': out += c; i += 1; continue
        d = lit[i+1:i+2]
        if d == b'x':
            m = re.match(rb'[0-9a-fA-F]{1,2}', lit[i+2:]); out.append(int(m[0], 16)); i += 2 + len(m[0])
        elif d in b'01234567':
            m = re.match(rb'[0-7]{1,3}', lit[i+1:]); out.append(int(m[0], 8) & 255); i += 1 + len(m[0])
        else:
            out += {b'n': b'\n', b't': b'\t', b'r': b'\r', b'a': b'\a', b'f': b'\f', b'v': b'\v', b'b': b'\b', b'e': b'\x1b'}.get(d, d); i += 2
    return bytes(out)


READERS = {
    'cmark': lambda s, n: spec(s, n, ['test/spec.txt', 'test/regression.txt'], 'BIN'),
    'md4c': lambda s, n: spec(s, n, [p for p in n() if re.match(r'test/(spec|regr|cov)[^/]*\.txt$', p)], 'BIN', drop=()),
    'discount': discount,
    'awk': lambda s, n: pairs(s, n, 'bugs-fixed/', '.awk', '.ok', 'BIN -f FILE INPUT 2>&1', extra=('.in',)),
    'picoc': lambda s, n: pairs(s, n, 'tests/', '.c', '.expect', 'BIN FILE'),
    'tinycc': lambda s, n: pairs(s, n, 'tests/tests2/', '.c', '.expect', 'BIN -B$(dirname BIN) -run FILE 2>&1'),
    'wren': wren,
    'oniguruma': onig,
    'mujs': test262,
    'chibicc': chibicc,
    'jq': jq,
    'lowdown': lowdown,
    'bc': lambda s, n: lines(s, n, 'tests/bc', 'BIN -lq in.txt < /dev/null'),
    'lua': lua,
    'janet': janet,
    'tidy': tidy,
}

# Whose clone has the test data, where it is not the program's own.
ELSEWHERE = {'mujs': 'test262'}


def data_clone(clone):
    where, name = os.path.split(clone)
    return os.path.join(where, ELSEWHERE.get(name, name))


def find(clone, head, test):
    """files, command and expected output of test "READER:NAME" in the test data of commit head; or
    "own:COMMAND=EXPECTED", which is no file of the repository at all."""
    kind, name = test.split(':', 1)
    clone = data_clone(clone)
    if kind == 'own':
        command, expected = name.rsplit('=>', 1)
        return {}, command.strip(), expected.strip().encode().decode('unicode_escape').encode()
    def git(*words):
        return subprocess.run(['git', '-C', clone, *words], stdout=subprocess.PIPE, check=True).stdout
    listing = git('ls-tree', '-r', '--name-only', head).decode().split('\n')
    for case, files, command, expected in READERS[kind](lambda p: git('show', f'{head}:{p}'), lambda: listing):
        if case == name:
            return files, command, expected
    raise SystemExit(f'no test {name} in {clone} at {head}')
