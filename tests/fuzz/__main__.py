"""Make many calls and print the findings; see the package's docstring."""

import argparse
import random
import re
import sys
import time

from fuzz.names import missing, random_call
from fuzz.workers import Worker


def call_number(number, seed):
    """The same call whatever came before it."""
    return random_call(random.Random(f"{seed}:{number}"))


def run(count, seed, seconds, show=lambda done, findings: None):
    """The findings among so many calls: {what is wrong: [(number of the call, call)]}."""
    findings = {}
    with Worker(seconds) as worker:
        for number in range(count):
            call = call_number(number, seed)
            if wrong := worker.verdict(call):
                findings.setdefault((call.name, kind(wrong)), []).append((number, wrong, call))
            show(number + 1, findings)
    return findings


def kind(wrong):
    """The place in our code if it names one, else the words without their numbers."""
    place = re.search(r"\((\w+\.py:\d+)", wrong)
    return place[1] if place else re.sub(r"[\d.e+-]+", "#", wrong)[:60]


def report(findings, seed):
    """The findings in words, the shortest call of each kind."""
    for (name, _), found in sorted(findings.items(), key=lambda item: item[0]):
        number, wrong, call = min(found, key=lambda each: len(str(each[2])))
        where = f"({len(found)} such; seed {seed}, call {number})"
        yield f"{name}: {wrong}\n    {call}\n    {where}"


def main():
    parser = argparse.ArgumentParser(prog="python -m fuzz")
    parser.add_argument("--calls", type=int, default=25_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=6, help="that a call may take")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this call of the seed")
    options = parser.parse_args()
    if unknown := [*missing()]:
        sys.exit("\n".join(unknown))
    if options.only is not None:
        call = call_number(options.only, options.seed)
        print(call)
        with Worker(options.seconds) as worker:
            sys.exit(worker.verdict(call))
    start = time.perf_counter()

    def show(done, findings):
        if done % 100 == 0 or done == options.calls:
            seconds = time.perf_counter() - start
            print(
                f"\r{done:,} of {options.calls:,} calls, {len(findings)} findings, "
                f"{seconds:.0f} s ",
                end="",
                file=sys.stderr,
                flush=True,
            )

    findings = run(options.calls, options.seed, options.seconds, show)
    print(file=sys.stderr)
    print(*report(findings, options.seed), sep="\n")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
