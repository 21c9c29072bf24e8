import pytest
from tests.apiserver.crds.corpus import PROBE, RATCHETED, I, T, crd, schema

from plumbline.apiserver.cel.textformats import FORMATS, has_format, supported_format
from plumbline.apiserver.crds import Definition

SERVED = Definition(crd(kind="Probe", root=PROBE)).version("v1")


def errors(spec, old=None, **more):
    def obj(value):
        return {"apiVersion": "example.org/v1", "kind": "Probe", "metadata": {"name": "x"}, "spec": value}

    return [str(each) for each in SERVED.validate(obj(spec), None if old is None else obj(old), **more).errors]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"i": "x"}, ['spec.i: Invalid value: "string": spec.i in body must be of type integer: "string"']),
        ({"i": 0}, ["spec.i: Invalid value: 0: spec.i in body should be greater than or equal to 1"]),
        ({"i": 11}, ["spec.i: Invalid value: 11: spec.i in body should be less than or equal to 10"]),
        ({"i": 2.0}, []),
        ({"i": 1.5}, ['spec.i: Invalid value: "number": spec.i in body must be of type integer: "number"',
                      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.i']),
        ({"n": 10}, ["spec.n: Invalid value: 0: factor MultipleOf declared for spec.n must be positive: 0",
                     "spec.n: Invalid value: 10: spec.n in body should be less than 10"]),
        ({"n": 0.3}, ["spec.n: Invalid value: 0.3: spec.n in body should be a multiple of 0.5"]),
        ({"big": 6000000.5}, ["spec.big: Invalid value: 6.0000005e+06: spec.big in body should be less than or equal to 5e+06"]),
        ({"s": "b"}, ['spec.s: Invalid value: "b": spec.s in body should be at least 2 chars long']),
        ({"s": "bb"}, ["spec.s: Invalid value: \"bb\": spec.s in body should match '^a'"]),
        ({"s": "abcde"}, ["spec.s: Too long: may not be more than 4 bytes"]),
        ({"e": "z"}, ['spec.e: Unsupported value: "z": supported values: "x", "y"']),
        ({"ei": 3}, ['spec.ei: Unsupported value: 3: supported values: "1", "2"']),
        ({"l": []}, ["spec.l: Invalid value: 0: spec.l in body should have at least 1 items"]),
        ({"l": ["a", "b", "c"]}, ["spec.l: Too many: 3: must have at most 2 items"]),
        ({"l": [None]}, ['spec.l[0]: Invalid value: "null": spec.l[0] in body must be of type string: "null"']),
        ({"m": {}}, ["spec.m: Invalid value: 0: spec.m in body should have at least 1 properties"]),
        ({"m": {"a": 1, "b": 2, "c": 3}}, ["spec.m: Too many: 3: must have at most 2 items"]),
        ({"m": {"a": "x"}}, ['spec.m.a: Invalid value: "string": spec.m.a in body must be of type integer: "string"']),
        ({"r": {}}, ["spec.r.a: Required value", "spec.r.b: Required value"]),
        ({"closed": {"a": 1}}, ['spec.closed: Invalid value: "a": spec.closed.a in body is a forbidden property']),
        ({"o": {}}, ['<nil>: Invalid value: "": "spec.o" must validate one and only one schema (oneOf). Found none valid',
                     "spec.o.p: Required value"]),
        ({"o": {"p": "", "q": ""}},
         ['<nil>: Invalid value: "": "spec.o" must validate one and only one schema (oneOf). Found 2 valid alternatives']),
        ({"ao": {"q": "a"}}, ['<nil>: Invalid value: "": "spec.ao" must validate at least one schema (anyOf)',
                              "spec.ao.q: Invalid value: \"a\": spec.ao.q in body should match 'z'"]),
        ({"al": {}}, ["spec.al.p: Required value", "spec.al.q: Required value",
                      '<nil>: Invalid value: "": "spec.al" must validate all the schemas (allOf). None validated']),
        ({"al": {"p": ""}}, ["spec.al.q: Required value",
                             '<nil>: Invalid value: "": "spec.al" must validate all the schemas (allOf)']),
        ({"no": "bad"}, ['<nil>: Invalid value: "": "spec.no" must not validate the schema (not)']),
        ({"dt": "x"}, ['spec.dt: Invalid value: "x": spec.dt in body must be of type date-time: "x"']),
        ({"dt": 5}, ['spec.dt: Invalid value: "int64": spec.dt in body must be of type date-time: "int64"']),
        ({"i32": 2**31}, ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.i32']),
        ({"f": 1e39}, ['<nil>: Invalid value: "": Checked value must be of type number with format float in spec.f']),
        ({"set": ["a", "b", "a", "a", "b"]}, ['spec.set[2]: Duplicate value: "a"', 'spec.set[4]: Duplicate value: "b"']),
        ({"map": [{"k": "a"}, {"k": "a"}]}, ['spec.map[1]: Duplicate value: {"k":"a"}']),
        ({"map2": [{"k": "a", "p": 1}, {"k": "a", "p": 1}]}, ['spec.map2[1]: Duplicate value: {"k":"a","p":1}']),
        ({"map": [1]}, ['spec.map[0]: Invalid value: "integer": spec.map[0] in body must be of type object: "integer"',
                        "spec.map[0]: Invalid value: 1: must be an object for an array of list-type map"]),
        ({"emb": {}}, ["spec.emb.apiVersion: Required value", "spec.emb.kind: Required value"]),
        ({"emb": {"apiVersion": 1, "kind": 1}}, ["spec.emb.apiVersion: Invalid value: 1: must be a string",
                                                 "spec.emb.kind: Invalid value: 1: must be a string"]),
        ({"emb": {"apiVersion": "", "kind": ""}}, ['spec.emb.apiVersion: Invalid value: "": must not be empty',
                                                   'spec.emb.kind: Invalid value: "": must not be empty']),
        ({"emb": {"apiVersion": "a/b/c", "kind": "A"}},
         ['spec.emb.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c']),
        ({"ios": "a"}, []), ({"ios": 1}, []),
        ({"ios": True}, ['spec.ios: Invalid value: "boolean": spec.ios in body must be of type integer,string: "boolean"']),
        ("x", ['spec: Invalid value: "string": spec in body must be of type object: "string"']),
    ],
)  # fmt: skip
def test_faults_are_told_in_the_servers_words_and_order(spec, said):
    assert errors(spec) == said


def test_a_kind_that_is_no_label_is_told():
    (told,) = errors({"emb": {"apiVersion": "v1", "kind": "P od"}})
    assert told.startswith('spec.emb.kind: Invalid value: "P od": may have mixed case, but should otherwise match: ')


def test_items_of_lists_may_have_to_differ():
    served = Definition(crd(root=schema(l={"type": "array", "uniqueItems": True}))).version("v1")
    (told,) = served.validate({"l": [{"a": 1}, 1, {"a": 1}]}).errors
    assert told.message == 'Invalid value: "": l in body shouldn\'t contain duplicates'
    assert not served.validate({"l": [1, 1.0, True]}).errors


def test_a_pattern_that_cannot_be_read_matches_nothing():
    served = Definition(crd(root=schema(a={**T, "pattern": "("}))).version("v1")
    (told,) = served.validate({"a": "x"}).errors
    assert "but pattern is invalid: error parsing regexp" in told.message


def test_limits_that_are_no_numbers_of_the_type_are_told_too():
    node = {**I, "minimum": 0.5, "maximum": 9.5, "multipleOf": 0.5}
    served = Definition(crd(root=schema(a=node))).version("v1")
    told = [each.message for each in served.validate({"a": 10}).errors]
    assert told == [
        'Invalid value: "": MultipleOf value must be of type integer (default format) in a',
        'Invalid value: "": Minimum boundary value must be of type integer (default format) in a',
        'Invalid value: "": Maximum boundary value must be of type integer (default format) in a',
        "Invalid value: 10: a in body should be less than or equal to 9.5",
    ]


@pytest.mark.parametrize(("old", "new"), RATCHETED)
def test_only_what_changed_is_refused(old, new):
    fresh, changed = errors(new), errors(new, old)
    assert set(changed) <= set(fresh)
    assert not errors(old, old) or old == {"set": ["a", "b"]}


@pytest.mark.parametrize(
    ("old", "new", "left", "why"),
    [
        ({"s": "zz"}, {"s": "zz", "i": 1}, 0, "a field that did not change is forgiven"),
        ({"s": "zz"}, {"s": "yy"}, 1, "one that did is not"),
        (
            {"map": [{"k": "a", "v": 1}]},
            {"map": [{"k": "b"}, {"k": "a", "v": 1}]},
            0,
            "items with keys are found again",
        ),
        ({"l": ["a", "b", "c"]}, {"l": ["a", "b", "d"]}, 1, "items without are not"),
        ({"set": ["a", "a"]}, {"set": ["a", "a", "b", "b"]}, 0, "a set that was none may stay none"),
        ({"set": ["a", "b"]}, {"set": ["a", "a"]}, 1, "one that was may not become none"),
    ],
)
def test_what_was_wrong_before_may_stay_wrong(old, new, left, why):
    assert len(errors(new, old)) == left, why


def test_a_status_is_validated_alone():
    root = schema(
        spec=schema(a=I), status=schema(b=I, s={"type": "array", "x-kubernetes-list-type": "set", "items": I})
    )
    served = Definition(crd(root=root)).version("v1")
    new, old = {"spec": {"a": "x"}, "status": {"b": "x", "s": [1, 1]}}, {"spec": {"a": "x"}, "status": {}}
    told = [str(each) for each in served.validate(new, old, subresource="status").errors]
    assert told == [
        'status.b: Invalid value: "string": b in body must be of type integer: "string"',
        "status.s[1]: Duplicate value: 1",
    ]
    assert not served.validate(new, new, subresource="status").errors
    assert not served.validate({"spec": 1}, {}, subresource="status").errors


FORMED = {
    "bsonobjectid": (["507f1f77bcf86cd799439011"], ["x"]),
    "byte": (["YWJj", "YQ=="], ["", "@", "YQ"]),
    "cidr": (["10.0.0.0/8", "::/0", "010.0.0.0/8"], ["10.0.0.0", "10.0.0.0/33", "x/8"]),
    "creditcard": (["4220 8554-2622 2389"], ["4220855426213389", "x"]),
    "date": (["2020-02-29"], ["2019-02-29", "2020-2-9", "20200229xx"]),
    "datetime": (["2020-01-01T00:00:00Z", "2020-01-01t00:00:00.5+02:00"], ["2020-01-01", "2020-01-01T25:00:00Z", "x"]),
    "duration": (["1h", "3 days", "5 min"], ["x", "", "5 parsecs"]),
    "email": (["a@b", "Bob <a@b.c>", '"a b"@c', "a@[1.2.3.4]"], ["a", "a@", "<a@b", "a b@c"]),
    "hexcolor": (["#fff", "CCccCC"], ["#ff", "#ff12FG"]),
    "hostname": (["a", "a.example.com"], ["-a", "a_b", "a" * 64 + ".com", "a." * 150]),
    "ipv4": (["1.2.3.4", "1.2.3.04"], ["::1", "1.2.3", "1.2.3.4%e"]),
    "ipv6": (["::1", "::ffff:1.2.3.4"], ["1.2.3.4", "fe80::1%eth0", ":x"]),
    "isbn": (["3836221195", "978-4-87311-368-5"], ["1234567890", "x"]),
    "isbn10": (["3 401 01319 X"], ["9784873113685"]),
    "isbn13": (["9784873113685"], ["3836221195", "9784873113686"]),
    "k8sshortname": (["a-b"], ["A", "a" * 64]),
    "k8slongname": (["a.b"], ["a..b", "a" * 254]),
    "mac": (
        ["00:00:5e:00:53:01", "0000.5e00.5301", "00-00-5e-00-53-01-02-03"],
        ["00:00:5e:00:53", "00:00-5e:00:53:01"],
    ),
    "password": (["anything"], []),
    "rgbcolor": (["rgb(0, 31,255)"], ["rgb(1,349,275)", "rgba(0,0,0)"]),
    "ssn": (["123-45-6789"], ["123456789"]),
    "uri": (["http://a/b", "/path", "mailto:a@b"], ["x", "http://a b", ""]),
    "uuid": (["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"], ["x"]),
    "uuid3": (["a3bb189e-8bf9-3888-9912-ace4e6543002"], ["a3bb189e-8bf9-4888-9912-ace4e6543002"]),
    "uuid4": (["a3bb189e-8bf9-4888-9912-ace4e6543002"], ["a3bb189e-8bf9-4888-1912-ace4e6543002"]),
    "uuid5": (["a3bb189e-8bf9-5888-9912-ace4e6543002"], ["a3bb189e-8bf9-4888-9912-ace4e6543002"]),
}


@pytest.mark.parametrize("name", FORMED)
def test_formats_take_what_they_should(name):
    right, wrong = FORMED[name]
    assert [text for text in right if not has_format(text, name)] == []
    assert [text for text in wrong if has_format(text, name)] == []


def test_every_format_is_tried():
    assert set(FORMED) == set(FORMATS)


def test_formats_are_checked_only_of_the_types_they_are_for():
    assert supported_format(("string",), "date-time") == "date-time"
    assert supported_format((), "ipv4") == "ipv4"
    assert supported_format(("string",), "int32") == ""
    assert supported_format(("integer",), "int64") == "int64"
    assert supported_format(("integer",), "float") == ""
    assert supported_format(("object",), "date") == ""
