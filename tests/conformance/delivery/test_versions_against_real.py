"""Constraints and addresses are compared with the Go libraries that upstream reads them with, over texts made at random."""

import random
import shutil
import subprocess

import pytest

from plumbline.base import versions
from plumbline.base.environment import environment
from plumbline.base.json import decode, encode
from plumbline.source.gourl import lowered, rewritten

pytestmark = pytest.mark.conformance

MODULE = """\
module example.org/versions

go 1.26

require github.com/Masterminds/semver/v3 v3.4.0
"""
PROGRAM = """\
package main

import (
	"encoding/json"
	"net/url"
	"os"

	"github.com/Masterminds/semver/v3"
)

type question struct {
	Constraints []string `json:"constraints"`
	Versions    []string `json:"versions"`
	Addresses   []string `json:"addresses"`
}

type answer struct {
	Read      []bool    `json:"read"`
	Allowed   [][]bool  `json:"allowed"`
	Known     []bool    `json:"known"`
	Order     [][]int   `json:"order"`
	Addresses []*string `json:"addresses"`
}

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	found := answer{}
	known := []*semver.Version{}
	for _, text := range asked.Versions {
		version, err := semver.NewVersion(text)
		found.Known = append(found.Known, err == nil)
		if err == nil {
			known = append(known, version)
		}
	}
	for _, one := range known {
		row := []int{}
		for _, other := range known {
			row = append(row, one.Compare(other))
		}
		found.Order = append(found.Order, row)
	}
	for _, text := range asked.Constraints {
		constraint, err := semver.NewConstraint(text)
		found.Read = append(found.Read, err == nil)
		row := []bool{}
		for _, version := range known {
			row = append(row, err == nil && constraint.Check(version))
		}
		found.Allowed = append(found.Allowed, row)
	}
	for _, text := range asked.Addresses {
		parsed, err := url.Parse(text)
		if err != nil {
			found.Addresses = append(found.Addresses, nil)
			continue
		}
		written := parsed.String()
		found.Addresses = append(found.Addresses, &written)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}
"""

OPERATORS = ["", "", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^", "==", "><"]
NUMBERS = ["0", "1", "2", "3", "10", "01", "x", "X", "*", "1x", "1|2", "18446744073709551615", "18446744073709551616"]
PRERELEASES = ["", "", "", "-a", "-a.1", "-0", "-1", "-01", "-rc.11", "-a-b", "-18446744073709551616", "--", "-x"]
METADATA = ["", "", "", "+b", "+b.1", "+001"]
BETWEEN = [" ", ",", " , ", " || ", "||", " | ", "  ", "", " - ", "\t", "\n"]
PIECES = [
    "https:", "ssh:", "//", "/", "git@", "u:p@", "u%40:p%2f@", "h", ".git", ":22", ":x", ":", "@", "[::1]", "[x]", "%", "%41",
    "%2f", "%zz", "?", "#", "a b", "é", "a'b", "a!b", "^", "<", '"', "~x", "..", "*", "+", ";", "\\",
]  # fmt: skip


class Texts:
    def __init__(self, seed):
        self.dice = random.Random(seed)  # noqa: S311 - texts, not secrets

    def version(self, numbers=NUMBERS):
        pick = self.dice.choice
        count = pick([1, 2, 3, 3, 3, 4])
        return (
            pick(["", "", "v", "V"])
            + ".".join(pick(numbers) for _ in range(count))
            + pick(PRERELEASES)
            + pick(METADATA)
        )

    def constraint(self):
        pick = self.dice.choice
        text = pick(["", "", " "])
        for _ in range(pick([1, 1, 1, 2, 2, 3])):
            numbers = pick([NUMBERS, ["0", "1", "2", "x"]])
            text += pick(OPERATORS) + pick(["", "", " "]) + self.version(numbers) + pick(BETWEEN)
        return text.removesuffix(pick(BETWEEN))

    def address(self):
        return "".join(self.dice.choice(PIECES) for _ in range(self.dice.randint(1, 8)))


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    go = shutil.which("go")
    if go is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    folder = tmp_path_factory.mktemp("versions")
    (folder / "go.mod").write_text(MODULE)
    (folder / "main.go").write_text(PROGRAM)
    build = {**environment(), "GOFLAGS": "-mod=mod", "GOSUMDB": "off", "CGO_ENABLED": "0"}
    subprocess.run([go, "build", "-o", "compared", "."], cwd=folder, env=build, check=True, timeout=600)

    def answers(**question):
        asked = {"constraints": [], "versions": [], "addresses": [], **question}
        said = subprocess.run([folder / "compared"], input=encode(asked), capture_output=True, check=True, timeout=60)
        return decode(said.stdout)

    return answers


def test_constraints_allow_what_the_library_allows(compared):
    texts = Texts(1)
    tags = sorted({texts.version(["0", "1", "2", "3", "10", "00", "x"]) for _ in range(120)})
    constraints = [texts.constraint() for _ in range(6000)]
    said = compared(constraints=constraints, versions=tags)
    assert [versions.is_version(tag) for tag in tags] == said["known"]
    known = [versions.parse(tag) for tag, read in zip(tags, said["known"], strict=True) if read]
    orders = [[(one.order > other.order) - (one.order < other.order) for other in known] for one in known]
    assert orders == said["order"]
    others = []
    for text, read, allowed in zip(constraints, said["read"], said["allowed"], strict=True):
        ours = versions._constraint(text)
        if (ours is not None) != read or (ours and [ours.allows(version) for version in known] != allowed):
            others.append(text)
    assert others == []
    assert said["read"].count(True) > 500


def test_addresses_are_written_back_as_go_writes_them(compared):
    texts = Texts(2)
    addresses = [lowered(texts.address()) for _ in range(20_000)]
    said = compared(addresses=addresses)["addresses"]
    assert [(text, go) for text, go in zip(addresses, said, strict=True) if rewritten(text) != go] == []
    assert sum(go is not None for go in said) > 5000
