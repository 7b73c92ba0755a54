"""Whether an answer is where the developers fixed it.

matched: the fix touches a line of a root change or a line of the tree of causes, within three lines;
shown: a root or one of the ten lines that are shown of the tree. The fix's
lines are those of the version before it; they are followed back into the version that was explained."""
import re
from material import git

SLACK = 3
HUNK = re.compile(rb'^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@')


def hunks(clone, old, new):
    """{file in new: (file in old, [(old first, old count, new first, new count)])} of the difference."""
    found, name = {}, None
    for line in git(clone, 'diff', '-U0', '-M', '--no-color', '--no-ext-diff', old, new).split(b'\n'):
        if line.startswith(b'--- '):
            name = line[6:].decode(errors='replace')
        elif line.startswith(b'+++ '):
            found[line[6:].decode(errors='replace')] = name, []
            name = line[6:].decode(errors='replace')
        elif (m := HUNK.match(line)) and name in found:
            found[name][1].append(tuple(int(g) if g else 1 for g in m.groups()))
    return found


def back(span, table):
    """Lines of the newer text as lines of the older one, by the hunks between them."""
    def line(at):
        shift = 0
        for old, n_old, new, n_new in table:
            first = new if n_new else new + 1
            if at < first: break
            if at < first + n_new: return min(old + (at - first), old + max(n_old, 1) - 1)
            shift = (old + n_old if n_old else old + 1) - (first + n_new)
        return at + shift
    return line(span[0]), line(span[1])


def fixed_lines(clone, fix, version):
    """[(file, first, last)] in version of what the fix touches."""
    before = fix + '^'
    between = hunks(clone, version, before)
    spans = []
    for new, (old, table) in hunks(clone, before, fix).items():
        if not old or not re.search(r'\.(c|h|y|l|cc|cpp|inc|in|re)$', old): continue
        file, shifts = between.get(old, (old, []))
        spans += [(file or old, *back((at, at + max(n - 1, 0)), shifts)) for at, n, _, _ in table]
    return spans


def touched(answer, shown):
    """[(file, first, last)] of the root changes, and of the steps in the bad version: all of the tree,
    or those that are shown by default."""
    spans = [(r['file'], r['new_line'], r['new_line'] + max(r['new'].count('\n'), 1) - 1) for r in answer.get('roots', [])]
    tree = [s for n in answer.get('tree', {}).get('nodes', []) for s in n['steps']]
    steps = [s for s in (answer.get('chain', []) if shown else tree) if s.get('version', 'bad') == 'bad']
    return spans + [(s['file'], s['line'], s['line']) for s in steps]


def is_matched(answer, wanted, shown=False):
    return any(file == other and first <= end + SLACK and begin <= last + SLACK
               for file, first, last in touched(answer, shown) for other, begin, end in wanted)
