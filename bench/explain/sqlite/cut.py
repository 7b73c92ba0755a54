#!/usr/bin/env python3
"""Cuts one regression that find.py found down to the few statements that show it.

    cut.py SQLITE-SOURCE/test VERSIONS-DIR WORK-DIR TEST-FILE BLOCK GOOD BAD FIXED OUT.sql

Statements before the block are dropped one by one while the good and the fixed version still give
one answer and the bad version another."""
import os, re, sqlite3, subprocess, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import find


def statements(text):
    out, now = [], ''
    for part in re.split('(;)', text):
        now += part
        if part == ';' and sqlite3.complete_statement(now):
            out.append(now.strip())
            now = ''
    return out + ([now.strip()] if now.strip() else [])


def build(versions, work, version):
    binary = f'{work}/driver-{version}'
    if not os.path.exists(binary):
        base = f'{versions}/{version}'
        subprocess.run(['tcc', *find.OPTIONS, '-I', base, find.HERE + '/driver.c', base + '/sqlite3.c', '-lm',
                        '-o', binary], check=True, stderr=subprocess.DEVNULL)
    return binary


def main():
    tests, versions, work, name, block, good, bad, fixed, out = sys.argv[1:10]
    os.makedirs(work, exist_ok=True)
    text = find.script(f'{tests}/{name}')
    upto = text[:text.index(f'--#{block}\n')]
    upto = upto[upto.rindex('--#new'):]
    setup = statements(re.sub(r'^--#.*\n', '', upto, flags=re.M))
    body = text[text.index(f'--#{block}\n') + len(block) + 4:]
    last = statements(body[:body.find('\n--#') if '\n--#' in body else None])
    drivers = [build(versions, work, v) for v in (good, bad, fixed)]

    def shows(list_, mark=True):
        if mark:
            list_ = [s for s in list_ if s not in last] + ['--#last'] + [s for s in list_ if s in last]
        path = f'{work}/cut-{os.getpid()}.sql'
        open(path, 'w').write('\n'.join(list_) + '\n')
        got = []
        for d in drivers:
            try:
                r = subprocess.run([d, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10)
            except subprocess.TimeoutExpired:
                return False
            got.append((r.returncode, r.stdout.split(b'== last\n')[-1] if mark else r.stdout))
        os.unlink(path)
        return got[0] == got[2] and got[0] != got[1] and got[0][0] == 0 and b'error: no such' not in got[0][1] + got[1][1]

    now = setup + last
    if not shows(now):
        sys.exit(f'{name} {block}: does not show by itself')
    size = len(now) // 2
    while size:
        i = len(now)
        while i > 0:
            fewer = now[:max(0, i - size)] + now[i:]
            if fewer and shows(fewer):
                now = fewer
            i -= size
        size //= 2
    for i in reversed(range(len(now))):
        fewer = now[:i] + now[i + 1:]
        if fewer and shows(fewer):
            now = fewer
    if not shows(now, False):
        sys.exit(f'{name} {block}: shows only among other differences')
    open(out, 'w').write('\n'.join(now) + '\n')


main()
