"""What run and draw share: the table of cases, the clones and how they are built.

`cases` holds facts only: name | repository | good | bad | fix | kind of failure | commit of the test
data | which test (extract.py reads it from the clone). DIR/builds, which is not part of this
repository, has a line per clone: its name, the program that is built, the build command, separated
by tabs."""
import hashlib, os, subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def part_of(name):
    """A third is for tuning, the others are only reported; their names decide."""
    return 'tuning' if int(digest(name)[:8], 16) % 3 == 0 else 'reported'


def read_table(path, sep):
    with open(path) as file:
        return [[w.strip() for w in line.rstrip('\n').split(sep)] for line in file
                if line.strip() and not line.startswith('#')]


def read_cases():
    return read_table(HERE + '/cases', '|')


def read_builds(repos):
    """{repository: (program, build command)}"""
    return {r[0]: (r[1], r[2]) for r in read_table(repos + '/builds', '\t')}


def git(repo, *words):
    return subprocess.run(['git', '-C', repo, *words], stdout=subprocess.PIPE, check=True).stdout
