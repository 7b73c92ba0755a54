#!/usr/bin/env python3
"""Rows, classes and totals of bench/explain.

matched: the developers' fix touches a root change, or its lines are on the tree; partial: the revert passes but
the fix is elsewhere; missed: it does not pass, or only dodges."""
import glob, json, math, os, sys


def load(path):
    try:
        return json.load(open(path))
    except (ValueError, OSError):
        return {}


def spans(text):
    """"10-12,40" as pairs of lines."""
    return [tuple(int(x) for x in (p.split('-') * 2)[:2]) for p in text.split(',') if p.strip()]


def lines(change):
    first = change['new_line']
    return first, first + max(change['new'].count('\n'), 1) - 1


def near(a, b, slack=3):
    return a[0] <= b[1] + slack and b[0] <= a[1] + slack


def verdict(answer, fix):
    if not answer.get('verified') or answer.get('dodges'):
        return 'missed'
    wanted = spans(fix)
    if not wanted:
        return '?'
    if any(near(lines(c), w) for c in answer['roots'] for w in wanted):
        return 'matched'
    steps = [s for n in answer['tree']['nodes'] for s in n['steps'] if s['version'] == 'bad']
    if any(near((s['line'], s['line']), w) for s in steps for w in wanted):
        return 'matched'
    return 'partial'


HEAD = ('case', 'method', 'hunks', 'changes', 'root', 'aux', 'causes', 'class', 'builds', 'tests', 'solver s', 'time s', 'cpu s')
FORMAT = '{:10} {:6} {:>6} {:>8} {:>5} {:>5} {:>7} {:8} {:>7} {:>6} {:>9} {:>8} {:>7}'


def row(name, method, path, fix):
    a = load(path)
    if not a:
        print(name, method, 'failed:', open(path + '.err').read().strip().split('\n')[-1])
        return
    late = any('stopped before' in n for n in a['notes'])
    print(FORMAT.format(name, method, a['hunks'], a['changes'], len(a['roots']), len(a['auxiliary']), a['causes'],
                        verdict(a, fix), ('>' if late else '') + str(a['builds']), a['tests'],
                        '%.1f' % a['solver_seconds'], ('>' if late else '') + '%.0f' % a['seconds'],
                        ('>' if late else '') + '%.0f' % a['cpu_seconds']), flush=True)


def mean(values):
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float('nan')


def total(results, cases):
    fix = {l.split('|')[0]: l.rstrip('\n').split('|')[6] for l in open(cases) if '|' in l and l[0] != '#'}
    by = {}
    for path in glob.glob(results + '/*.json'):
        name, method = os.path.basename(path).split('.')[:2]
        if method != 'fix' and name in fix and load(path):
            by.setdefault(method, {})[name] = load(path)
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


what = sys.argv[1]
if what == 'head':
    print(FORMAT.format(*HEAD))
elif what == 'row':
    row(*sys.argv[2:6])
elif what == 'limit':
    print('%ds' % (float(sys.argv[3]) * load(sys.argv[2]).get('cpu_seconds', 60)))
elif what == 'fix':
    a = load(sys.argv[3])
    print(sys.argv[2], ','.join('%d-%d' % lines(c) for c in a.get('roots', [])), 'verified' if a.get('verified') else 'NOT verified')
    for c in a.get('roots', []):
        print(c['diff'])
elif what == 'total':
    total(sys.argv[2], sys.argv[3])
