"""Quantities are compared with the Go package that every Kubernetes program uses: spelling, order, sums, refusals."""

import shutil
import subprocess
from itertools import pairwise, product

import pytest

from plumbline.base.environment import environment
from plumbline.base.errors import BadQuantity
from plumbline.base.json import decode, encode
from plumbline.kube.quantity import Quantity

pytestmark = pytest.mark.conformance

MODULE = """\
module example.org/quantities

go 1.26

require k8s.io/apimachinery v0.36.3
"""
PROGRAM = """\
package main

import (
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/api/resource"
)

type answer struct {
	Text  string `json:"text"`
	Fault string `json:"fault"`
	Order int    `json:"order"`
	Sum   string `json:"sum"`
}

func main() {
	var pairs [][2]string
	if err := json.NewDecoder(os.Stdin).Decode(&pairs); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(pairs))
	for _, pair := range pairs {
		left, err := resource.ParseQuantity(pair[0])
		if err != nil {
			answers = append(answers, answer{Fault: err.Error()})
			continue
		}
		found := answer{Text: left.String()}
		if right, err := resource.ParseQuantity(pair[1]); err == nil {
			found.Order = left.Cmp(right)
			left.Add(right)
			found.Sum = left.String()
		}
		answers = append(answers, found)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
"""

WHOLES = [
    "",
    "0",
    "1",
    "5",
    "8",
    "10",
    "64",
    "100",
    "999",
    "1000",
    "1023",
    "1024",
    "1536",
    "0012",
    "123456789",
    "10000000",
]
LONG = ["12345678901234", "123456789012345678", "1234567890123456789", "100000000000000000000"]
FRACTIONS = ["", ".", ".0", ".5", ".05", ".125", ".500", ".000000001", ".0000000001", ".12345678912345"]
SUFFIXES = [
    "",
    "n",
    "u",
    "m",
    "k",
    "M",
    "G",
    "T",
    "P",
    "E",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "Pi",
    "Ei",
    "e3",
    "E3",
    "e-2",
    "e+7",
    "e-11",
]
ODD = [
    "",
    " 1",
    "1 ",
    "x",
    "1x",
    "1.2.3",
    "1K",
    "1ki",
    "1ee3",
    "1e",
    "1E1E",
    "+",
    "-",
    "--1",
    "1-",
    "1+3",
    "1Mi1",
    "0x10",
    "1_0",
]
LARGEST = Quantity(1000, 18)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A program that says what Go makes of pairs of quantities."""
    go = shutil.which("go")
    if go is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    folder = tmp_path_factory.mktemp("quantities")
    (folder / "go.mod").write_text(MODULE)
    (folder / "main.go").write_text(PROGRAM)
    build = {**environment(), "GOFLAGS": "-mod=mod", "GOSUMDB": "off", "CGO_ENABLED": "0"}
    subprocess.run([go, "build", "-o", "compared", "."], cwd=folder, env=build, check=True, timeout=600)

    def answers(pairs):
        said = subprocess.run([folder / "compared"], input=encode(pairs), capture_output=True, check=True, timeout=60)
        return decode(said.stdout)

    return answers


def texts():
    for sign, whole, fraction, suffix in product(["", "-", "+"], WHOLES + LONG, FRACTIONS, SUFFIXES):
        yield f"{sign}{whole}{fraction}{suffix}"
    yield from ODD


def told(left_text, right_text):
    try:
        left = Quantity.parse(left_text)
    except BadQuantity as refused:
        return {"text": "", "fault": refused.why, "order": 0, "sum": ""}
    try:
        right = Quantity.parse(right_text)
    except BadQuantity:
        return {"text": str(left), "fault": "", "order": 0, "sum": ""}
    return {"text": str(left), "fault": "", "order": (left > right) - (left < right), "sum": str(left + right)}


def beyond_suffixes(text):
    """Go prints decimal numbers from 1000E up without a suffix; we do not follow it there."""
    quantity = Quantity.parse(text)
    return not -LARGEST < quantity < LARGEST


def test_every_quantity_is_what_go_makes_of_it(compared):
    pairs = list(pairwise(texts()))
    assert len(pairs) > 10_000
    others = []
    for pair, answer in zip(pairs, compared(pairs), strict=True):
        ours = told(*pair)
        if ours != answer and not any(beyond_suffixes(text) for text in (*pair, ours["sum"]) if text):
            others.append((pair, ours, answer))
    assert others == []
