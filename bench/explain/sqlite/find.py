#!/usr/bin/env python3
"""Finds regressions between released SQLite versions by machine.

    find.py SQLITE-SOURCE/test VERSIONS-DIR OUT-DIR

The SQL blocks of the project's own test scripts are replayed by driver.c against every version. A
block whose answer is the same in two or more versions, another one in the versions that follow, and
the first one again later is a regression together with its fix. What can only be run by Tcl is left
out.
"""
import json, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = ['-DSQLITE_THREADSAFE=0', '-DSQLITE_OMIT_LOAD_EXTENSION', '-DSQLITE_ENABLE_FTS5', '-DSQLITE_ENABLE_FTS4',
           '-DSQLITE_ENABLE_JSON1', '-DSQLITE_ENABLE_MATH_FUNCTIONS', '-DSQLITE_ENABLE_STAT4']
VOLATILE = re.compile(r'random|date\(|time\(|now|sqlite_version|sqlite_source_id|compile_options|explain|pragma_|'
                      r'function_list|module_list|dbstat|bytecode|memory_used|temp_store', re.I)


def words(text):
    """The first-level words of a Tcl script, as (is_braced, text); good enough for test files."""
    i, n, line_start = 0, len(text), True
    while i < n:
        c = text[i]
        if c in ' \t\\':
            i += 1
        elif c in '\n;':
            yield None
            i += 1
            line_start = True
            continue
        elif c == '#' and line_start:
            i = text.find('\n', i)
            if i < 0:
                return
        elif c == '{':
            depth, j = 1, i + 1
            while j < n and depth:
                if text[j] == '\\':
                    j += 1
                elif text[j] == '{':
                    depth += 1
                elif text[j] == '}':
                    depth -= 1
                j += 1
            yield True, text[i + 1:j - 1]
            i = j
        else:
            j = i
            while j < n and text[j] not in ' \t\n;':
                j += 1
            yield False, text[i:j]
            i = j
        line_start = False


def commands(text):
    now = []
    for word in words(text):
        if word is None:
            if now:
                yield now
            now = []
        else:
            now.append(word)
    if now:
        yield now


def blocks(text):
    for command in commands(text):
        name, args = command[0][1], command[1:]
        if name == 'reset_db':
            yield 'new', ''
        elif name in ('do_execsql_test', 'do_catchsql_test', 'do_eqp_test') and len(args) > 1 and args[1][0]:
            if args[0][1].startswith('-'):
                args = args[2:] if args[0][1] == '-db' else args[1:]
            if len(args) > 1 and name != 'do_eqp_test':
                yield args[0][1], args[1][1]
        elif name in ('execsql', 'catchsql', 'db') and args:
            yield 'setup', args[-1][1] if name != 'db' else args[1][1] if args[0][1] == 'eval' and len(args) > 1 else ''
        elif name == 'do_test' and len(args) > 1:
            for inner in commands(args[1][1]):
                if inner[0][1] in ('execsql', 'catchsql') and len(inner) > 1 and inner[1][0]:
                    yield args[0][1], inner[1][1]
        elif name in ('ifcapable', 'if') and args:
            for body in args[1:2]:
                yield from blocks(body[1])


def script(path):
    out = ['--#new']
    for i, (name, sql) in enumerate(blocks(open(path, errors='replace').read())):
        if name == 'new':
            out.append('--#new')
        elif sql.strip() and '$' not in sql:
            if re.search(r'attach|vacuum\s+into|\.db', sql, re.I):
                continue
            out.append('--#%d %s' % (i, name.replace('\n', ' ')))
            out.append(sql)
    return '\n'.join(out) + '\n'


def answers(binary, path, cwd):
    try:
        r = subprocess.run(['nice', '-n', '15', binary, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           timeout=20, cwd=cwd)
        out, code = r.stdout, r.returncode
    except subprocess.TimeoutExpired as e:
        out, code = e.stdout or b'', 'timeout'
    result, name = {}, None
    for line in out.decode('latin-1').split('\n'):
        if line.startswith('== '):
            name = line[3:]
            result[name] = []
        elif name is not None:
            result[name].append(line)
    if name is not None and code != 0:
        result[name].append('died: %s' % code)
    return {k: '\n'.join(v).strip() for k, v in result.items()}


def main():
    tests, versions_dir, out = map(os.path.abspath, sys.argv[1:4])
    os.makedirs(out, exist_ok=True)
    versions = sorted((d for d in os.listdir(versions_dir) if os.path.exists(versions_dir + '/' + d + '/sqlite3.c')),
                      key=lambda v: [int(x) for x in v.split('.')])
    binaries = {}
    for v in versions:
        binaries[v] = f'{out}/driver-{v}'
        if not os.path.exists(binaries[v]):
            base = f'{versions_dir}/{v}'
            subprocess.run(['nice', '-n', '15', 'tcc', *OPTIONS, '-I', base, HERE + '/driver.c', base + '/sqlite3.c',
                            '-lm', '-o', binaries[v]], check=True, stderr=subprocess.DEVNULL)
    found = []
    names = sorted(f for f in os.listdir(tests) if f.endswith('.test') and not re.search(
        r'fuzz|malloc|corrupt|crash|thread|wal|lock|ioerr|big|speed|bench|mem|stress|soak|fault', f))
    for f in names:
        sql = script(f'{tests}/{f}')
        if sql.count('--#') < 3:
            continue
        path = f'{out}/{f}.sql'
        open(path, 'w').write(sql)
        os.makedirs(out + '/cwd', exist_ok=True)
        by_version = {v: answers(binaries[v], path, out + '/cwd') for v in versions}
        texts = dict(re.findall(r'^--#(.*)\n((?:(?!--#).*\n)*)', sql, re.M))
        for block in by_version[versions[-1]]:
            seq = [by_version[v].get(block) for v in versions]
            if None in seq or VOLATILE.search(texts.get(block, '')):
                continue
            last = seq[-1]
            for i in range(1, len(seq)):
                if seq[i - 1] == last and seq[i] != last and 'no such' not in seq[i]:
                    j = i
                    while seq[j] != last:
                        j += 1
                    hit = dict(file=f, block=block, good=versions[i - 1], bad=versions[i], fixed=versions[j],
                               right=last[:300], wrong=seq[i][:300])
                    found.append(hit)
                    print(json.dumps(hit), flush=True)
    json.dump(found, open(out + '/found.json', 'w'), indent=1)


if __name__ == "__main__":
    main()
