#!/usr/bin/env python3
"""Rows, classes and totals of bench/explain.

matched: the developers' fix touches a root change, or its lines are on the tree; partial: the
revert passes but the fix is elsewhere; missed: it does not pass, or only dodges."""
import glob, json, math, os, sys


def load(path):
    try:
        return json.load(open(path))
    except (ValueError, OSError):
        return {}


def spans(text):
    """"10-12,a.c:40" as triples of file (or None) and lines."""
    parts = [p.strip().rpartition(':') for p in text.split(',') if p.strip()]
    return [(file or None, *(int(x) for x in (lines.split('-') * 2)[:2])) for file, _, lines in parts]


def lines(change):
    first = change['new_line']
    return first, first + max(change['new'].count('\n'), 1) - 1


def near(file, a, wanted, slack=3):
    return wanted[0] in (None, file) and a[0] <= wanted[2] + slack and wanted[1] <= a[1] + slack


def verdict(answer, fix):
    if not answer.get('verified') or answer.get('dodges'):
        return 'missed'
    wanted = spans(fix)
    if not wanted:
        return '?'
    if any(near(c['file'], lines(c), w) for c in answer['roots'] for w in wanted):
        return 'matched'
    steps = [s for n in answer['tree']['nodes'] for s in n['steps'] if s['version'] == 'bad']
    if any(near(s['file'], (s['line'], s['line']), w) for s in steps for w in wanted):
        return 'matched'
    return 'partial'


def code_lines(answer):
    """Lines of C in the bad version."""
    sources = [p for end in ('c', 'h') for p in glob.glob(answer['bad'] + '/**/*.' + end, recursive=True)]
    return sum(open(p, 'rb').read().count(b'\n') for p in sources)


HEAD = ('case', 'method', 'lines', 'hunks', 'changes', 'root', 'aux', 'causes', 'class', 'builds', 'tests', 'solver s', 'time s', 'cpu s')
FORMAT = '{:10} {:6} {:>7} {:>6} {:>8} {:>5} {:>5} {:>7} {:8} {:>7} {:>6} {:>9} {:>8} {:>7}'


def cells(name, method, a, fix):
    late = '>' if any('stopped before' in n for n in a['notes']) else ''
    return (name, method, code_lines(a), a['hunks'], a['changes'], len(a['roots']), len(a['auxiliary']), a['causes'],
            'not yet' if late else verdict(a, fix), late + str(a['builds']), a['tests'], '%.1f' % a['solver_seconds'],
            late + '%.0f' % a['seconds'], late + '%.0f' % a['cpu_seconds'])


def row(name, method, path, fix):
    a = load(path)
    if not a:
        print(name, method, 'failed:', open(path + '.err').read().strip().split('\n')[-1])
        return
    print(FORMAT.format(*cells(name, method, a, fix)), flush=True)


def mean(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float('nan')


def answers(results, cases):
    """The fix of each case in the order of the file, and the answers: method to name to answer."""
    fix = {l.split('|')[0]: l.rstrip('\n').split('|')[6] for l in open(cases) if '|' in l and l[0] != '#'}
    by = {}
    for path in glob.glob(results + '/*.json'):
        name, method = os.path.basename(path).split('.')[:2]
        if method != 'fix' and name in fix and load(path):
            by.setdefault(method, {})[name] = load(path)
    return fix, by


def markdown(results, cases):
    """The table of docs/BENCHMARKS.md."""
    fix, by = answers(results, cases)
    print('| ' + ' | '.join(HEAD) + ' |\n|' + ' --- |' * len(HEAD))
    for name in fix:
        for method in ('after', 'ddmin', 'add', 'dd'):
            if name in by.get(method, {}):
                print('| ' + ' | '.join(str(c) for c in cells(name, method, by[method][name], fix[name])) + ' |')


def total(results, cases):
    fix, by = answers(results, cases)
    after = by.get('after', {})
    if not after:
        return
    print(f'after: {sum(verdict(a, fix[n]) == "matched" for n, a in after.items())} of {len(after)} matched, '
          f'{sum(len(a["roots"]) for a in after.values()) / len(after):.2f} root changes on average')
    for method in ('ddmin', 'add', 'dd'):
        both = [n for n in by.get(method, {}) if n in after]
        if both:
            print(f'{method}: time {mean(by[method][n]["seconds"] / after[n]["seconds"] for n in both):.1f} times after\'s,'
                  f' CPU time {mean(by[method][n]["cpu_seconds"] / after[n]["cpu_seconds"] for n in both):.1f} times,'
                  f' builds {mean(max(by[method][n]["builds"], 1) / max(after[n]["builds"], 1) for n in both):.1f} times'
                  f' (geometric means over {len(both)}; lower bounds where it ran out of time)')
    sys.exit(missed(fix, by, after))


def missed(fix, by, after):
    """The goals of the spec over the cases that were run; says which are missed."""
    both = [n for n in by.get('ddmin', {}) if n in after]
    goals = [('a verified root in every case', all(a['verified'] for a in after.values())),
             ('every case matched', all(verdict(a, fix[n]) == 'matched' for n, a in after.items())),
             ('at most 3 root changes on average', sum(len(a['roots']) for a in after.values()) <= 3 * len(after)),
             ("a quarter of ddmin's CPU time", not both or
              mean(by['ddmin'][n]['cpu_seconds'] / after[n]['cpu_seconds'] for n in both) >= 4)]
    names = [name for name, held in goals if not held]
    print('goals: ' + ('all held' if not names else 'MISSED: ' + '; '.join(names)))
    return bool(names)


what = sys.argv[1]
if what == 'head':
    print(FORMAT.format(*HEAD))
elif what == 'row':
    row(*sys.argv[2:6])
elif what == 'limit':
    print('%ds' % (float(sys.argv[3]) * load(sys.argv[2]).get('cpu_seconds', 60)))
elif what == 'fix':
    a = load(sys.argv[3])
    print(sys.argv[2], ','.join('%s:%d-%d' % (c['file'], *lines(c)) for c in a.get('roots', [])), 'verified' if a.get('verified') else 'NOT verified')
    for c in a.get('roots', []):
        print(c['diff'])
elif what == 'markdown':
    markdown(sys.argv[2], sys.argv[3])
elif what == 'total':
    total(sys.argv[2], sys.argv[3])
