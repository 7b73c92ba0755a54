#!/usr/bin/env python3
"""Judges a random program (one SEED DDMIN.json AFTER.json: a line), or all of them (all LINES)."""
import json, sys


def load(path):
    try:
        return json.load(open(path))
    except ValueError:
        return {}


def places(answer):
    return {c['place'] for c in answer.get('roots', [])}


def one(seed, ddmin, after):
    d, a = load(ddmin), load(after)
    matter = places(d)
    named = places(a) | {c['place'] for c in a.get('auxiliary', [])}
    marks = [s['mark'] for n in a.get('tree', {}).get('nodes', []) for s in n['steps'] if s.get('change')]
    print(seed, 'changes', d.get('changes'), 'matter', len(matter), 'named', len(named),
          'restores', int(bool(a.get('verified'))), 'contains', int(matter <= named),
          'traced', int(bool(a.get('traced'))), 'proved', int('proved' in marks),
          'causes', a.get('causes'), 'cores', a.get('cores'), 'checked', a.get('cores_checked'),
          'diverged', a.get('diverged'), 'builds', d.get('builds'), a.get('builds'),
          'seconds', '%.1f %.1f' % (d.get('seconds', 0), a.get('seconds', 0)), flush=True)


def all_(path):
    rows = []
    for line in open(path):
        w = line.split()
        rows.append({w[i]: w[i + 1] for i in range(1, len(w) - 1)})
    number = lambda r, k: 0 if r[k] == 'None' else float(r[k])
    used = [r for r in rows if number(r, 'matter') in (1, 2)]
    if not used:
        sys.exit('no program was usable')
    n = len(used)
    share = lambda k: sum(number(r, k) for r in used) / n
    print(f'programs {n} (of {len(rows)}; the others need more than two changes)')
    print(f'reverting what it names restores the output: {100 * share("restores"):.1f}%')
    print(f'what it names contains the changes that matter: {100 * share("contains"):.1f}%')
    print(f'changes named on average: {share("named"):.2f}, by ddmin {share("matter"):.2f}')
    print(f'traced {100 * share("traced"):.1f}%, a proved step on a named change {100 * share("proved"):.1f}%')
    print(f'cores {sum(number(r, "cores") for r in used):.0f}, checked again {sum(number(r, "checked") for r in used):.0f},'
          f' replays that diverged {sum(number(r, "diverged") > 0 for r in used)}')
    goals = [('restores the output, always', share('restores') == 1),
             ('contains what matters, in 95%', share('contains') >= 0.95),
             ("names no more changes than ddmin", share('named') <= share('matter') + 1e-9),
             ('what is called proved was found again', all(number(r, 'proved') <= number(r, 'checked') for r in used)),
             ('no replay diverges', all(number(r, 'diverged') == 0 for r in used))]
    missed = [name for name, held in goals if not held]
    print('goals: ' + ('all held' if not missed else 'MISSED: ' + '; '.join(missed)))
    sys.exit(bool(missed))


one(*sys.argv[2:5]) if sys.argv[1] == 'one' else all_(sys.argv[2])
