#!/usr/bin/env python3
"""Writes one random pair of programs: generate.py SEED DIR [move] leaves DIR/good/p.c and
DIR/bad/p.c.

One statement a line, unsigned arithmetic only, every loop bounded, globals printed one by one. The
bad version has 20 executed statements changed: one or two so that they compute something else, the
others so that they compute the same in another way, or something else that never reaches the
output. With move the bad version also has lines that came, went and were broken in two, so that
hardly a line keeps its number."""
import os, random, re, subprocess, sys, tempfile

GLOBALS, SHADOWS, FUNCTIONS, CHANGES, MOVES = 8, 6, 5, 20, 12


class Program:
    def __init__(self, rng):
        self.rng, self.lines = rng, []

    def value(self, names, depth=2):
        r = self.rng
        if depth == 0 or r.random() < 0.3:
            return r.choice(names) if r.random() < 0.7 else f'{r.randrange(1, 100)}u'
        a, b = self.value(names, depth - 1), self.value(names, depth - 1)
        op = r.choice(['+', '-', '*', '^', '&', '|', '+', '-'])
        return f'({a} {op} {b})' if r.random() < 0.8 else f'({a} >> {r.randrange(1, 6)})'

    def assign(self, pad, names, targets):
        r = self.rng
        target = r.choice(targets)
        if r.random() < 0.25:
            self.lines.append(f'{pad}table[{self.value(names, 1)} & 7u] = {self.value(names)};')
        elif r.random() < 0.25:
            self.lines.append(f'{pad}{target} = table[{self.value(names, 1)} & 7u] + {self.value(names, 1)};')
        else:
            self.lines.append(f'{pad}{target} = {self.value(names)};')

    def shadow(self, pad, names):
        # Computed from everything, read by nothing that is printed.
        self.lines.append(f'{pad}s{self.rng.randrange(SHADOWS)} = {self.value(names)};')

    def block(self, pad, names, targets, n, depth):
        r = self.rng
        for _ in range(n):
            kind = r.random()
            if depth and kind < 0.15:
                self.lines.append(f'{pad}if ({self.value(names, 1)} % {r.randrange(2, 5)} != 1u) {{')
                self.block(pad + '    ', names, targets, 2, depth - 1)
                self.lines.append(f'{pad}}} else {{')
                self.block(pad + '    ', names, targets, 1, depth - 1)
                self.lines.append(f'{pad}}}')
            elif depth and kind < 0.25:
                self.lines.append(f'{pad}for (unsigned i = 0; i < {r.randrange(2, 5)}; i++) {{')
                self.block(pad + '    ', names + ['i'], targets, 2, 0)
                self.lines.append(f'{pad}}}')
            elif kind < 0.5:
                self.shadow(pad, names)
            else:
                self.assign(pad, names, targets)

    def make(self):
        r, out = self.rng, self.lines
        out.append('#include <stdio.h>')
        out += [f'static unsigned g{i} = {r.randrange(1, 50)};' for i in range(GLOBALS)]
        out += [f'static unsigned s{i} = {r.randrange(1, 50)};' for i in range(SHADOWS)]
        out.append('static unsigned table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };')
        some = [f'g{i}' for i in range(GLOBALS)]
        for f in range(FUNCTIONS):
            out.append(f'static unsigned f{f}(unsigned x, unsigned y) {{')
            out.append('    unsigned a = x + 1u, b = y ^ 5u;')
            self.block('    ', some + ['a', 'b', 'x', 'y'], some + ['a', 'b'], 9, 2)
            out.append('    return a ^ b;')
            out.append('}')
        out.append('int main(void) {')
        for f in range(FUNCTIONS):
            out.append(f'    {r.choice(some)} = f{f}({r.choice(some)}, {r.randrange(9)}u);')
        out += [f'    printf("g{i} = %u\\n", g{i});' for i in range(GLOBALS)]
        out += ['    return (int)(' + ' ^ '.join(f's{i}' for i in range(SHADOWS)) + ') & 0;', '}']
        return out


def executed(lines):
    """Which lines ran, from gcov."""
    with tempfile.TemporaryDirectory() as d:
        open(d + '/p.c', 'w').write('\n'.join(lines) + '\n')
        for command in (['gcc', '-w', '--coverage', '-O0', '-o', 'p', 'p.c'], ['./p'],
                        ['gcov', '-o', '.', 'p.gcda']):
            subprocess.run(command, cwd=d, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=20)
        ran = set()
        for line in open(d + '/p.c.gcov'):
            m = re.match(r'\s*(\d+)\*?:\s*(\d+):', line)
            if m:
                ran.add(int(m.group(2)) - 1)
        return ran


def output(lines):
    with tempfile.TemporaryDirectory() as d:
        open(d + '/p.c', 'w').write('\n'.join(lines) + '\n')
        subprocess.run(['gcc', '-w', '-O0', '-o', d + '/p', d + '/p.c'], check=True)
        return subprocess.run([d + '/p'], stdout=subprocess.PIPE, timeout=20).stdout


def same(r, text):
    """The same value, computed otherwise."""
    kind = r.randrange(4)
    m = re.match(r'(.*?= )(.*);$', text)
    left, right = m.groups()
    return left + [f'({right}) + 0u', f'0u ^ ({right})', f'({right}) * 1u', f'({right}) | 0u'][kind] + ';'


def other(r, text):
    """Another value."""
    left, right = re.match(r'(.*?= )(.*);$', text).groups()
    return f'{left}{right} + {r.randrange(1, 9)}u;' if r.random() < 0.5 else f'{left}({right}) ^ {r.randrange(1, 99)}u;'


def moved(r, lines):
    """The same output from lines at other places: whole functions, comments and shadows come, shadows go,
    statements are broken in two."""
    lines = list(lines)
    body = [i for i, l in enumerate(lines) if re.match(r'    +(g\d|a|b|s\d) = ', l)]
    for i in sorted(r.sample(body, min(MOVES, len(body))), reverse=True):
        pad, kind = re.match(r' *', lines[i])[0], r.randrange(4)
        if kind == 0: lines[i:i] = [f'{pad}/* {r.randrange(100)} times */', '']
        elif kind == 1: lines.insert(i, f'{pad}s{r.randrange(SHADOWS)} += {r.randrange(1, 9)}u;')
        elif kind == 2 and lines[i].lstrip().startswith('s'): del lines[i]
        else: lines[i:i + 1] = lines[i].replace(' = ', ' =\n' + pad + '    ', 1).split('\n')
    starts = [i for i, l in enumerate(lines) if l.startswith('static unsigned f')]
    for n, i in enumerate(sorted(r.sample(starts, 2), reverse=True)):
        lines[i:i] = [f'unsigned new{n}(unsigned x);', f'unsigned new{n}(unsigned x) {{', f'    return x * {n + 3}u;', '}', '']
    return lines


def main():
    seed, out = int(sys.argv[1]), sys.argv[2]
    for attempt in range(100):
        r = random.Random(seed * 1000 + attempt)
        good = Program(r).make()
        ran = executed(good)
        lines = [i for i in sorted(ran) if re.match(r'\s+(g\d|a|b|s\d|table\[[^=]*) = ', good[i])
                 and not good[i].lstrip().startswith('unsigned')]
        shadows = [i for i in lines if re.match(r'\s+s\d', good[i])]
        real = [i for i in lines if i not in shadows]
        if len(lines) < CHANGES + 4 or len(real) < CHANGES - 4:
            continue
        matter = r.sample(real, r.choice([1, 1, 2]))
        rest = [i for i in lines if i not in matter]
        chosen = r.sample(rest, CHANGES - len(matter))
        bad = list(good)
        for i in matter:
            bad[i] = other(r, good[i])
        for i in chosen:
            bad[i] = other(r, good[i]) if i in shadows else same(r, good[i])
        if sys.argv[3:] == ['move']:
            bad = moved(random.Random(seed), bad)
        if output(good) == output(bad):
            continue
        for side, text in (('good', good), ('bad', bad)):
            os.makedirs(f'{out}/{side}', exist_ok=True)
            open(f'{out}/{side}/p.c', 'w').write('\n'.join(text) + '\n')
        return
    sys.exit('no program with enough executed statements')


main()
