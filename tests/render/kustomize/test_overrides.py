import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.kinds.application import ApplicationSourceKustomize, KustomizePatch, KustomizeReplica, KustomizeSelector
from plumbline.render.environment import Environment
from plumbline.render.kustomize.images import images
from plumbline.render.kustomize.overrides import changes, overridden, substituted

DIGEST = "sha256:" + "0" * 64


def changed(document, **wanted):
    return overridden(document, ApplicationSourceKustomize(**wanted))


@pytest.mark.parametrize(
    ("text", "image"),
    [
        ("nginx:1.2", {"name": "nginx", "newTag": "1.2"}),
        (f"nginx@{DIGEST}", {"name": "nginx", "digest": DIGEST}),
        (f"nginx:1@{DIGEST}", {"name": "nginx", "newTag": "1", "digest": DIGEST}),
        ("a=b", {"name": "a", "newName": "b"}),
        ("a=b:1", {"name": "a", "newName": "b", "newTag": "1"}),
        ("host:5000/x:2", {"name": "host:5000/x", "newTag": "2"}),
        ("a=host:5000/x", {"name": "a", "newName": "host:5000/x"}),
        ("=x:1", {"name": "x", "newTag": "1"}),
        ("a=*:1", {"name": "a", "newTag": "1"}),
    ],
)
def test_images_are_read_as_kustomize_reads_them(text, image):
    assert images([], (text,)) == [image]


@pytest.mark.parametrize("text", ["nginx", "host:5000/x", ""])
def test_an_image_that_says_nothing_new_is_refused(text):
    with pytest.raises(InvalidInput, match="it says nothing new"):
        images([], (text,))


def test_images_replace_those_of_their_name_and_come_sorted():
    present = [{"name": "z", "newTag": "1"}, {"name": "a", "newTag": "1"}, {"name": "z", "newTag": "2"}]
    assert images(present, ("m:1", "a:2")) == [
        {"name": "a", "newTag": "2"}, {"name": "m", "newTag": "1"}, {"name": "z", "newTag": "1"},
    ]  # fmt: skip


def test_stars_keep_what_the_first_of_that_name_says():
    present = [{"name": "a", "newName": "x", "digest": "d"}, {"name": "a", "newName": "y", "newTag": "t"}]
    assert images(present, ("a=*:*@*",)) == [{"name": "a", "newName": "x", "digest": "d"}]


@given(st.lists(st.sampled_from(["a:1", "b:2", "c=d", f"e@{DIGEST}"]), min_size=1))
def test_setting_images_twice_is_setting_them_once(wanted):
    once = images([{"name": "z", "newTag": "9"}], tuple(wanted))
    assert images(once, tuple(wanted)) == once


def test_names_and_the_namespace_are_set():
    document = {"namePrefix": "old-", "resources": []}
    assert changed(document, name_prefix="p-", name_suffix="-s", namespace="n") == {
        "namePrefix": "p-", "nameSuffix": "-s", "namespace": "n", "resources": [],
    }  # fmt: skip
    assert document == {"namePrefix": "old-", "resources": []}


def test_images_of_the_old_days_become_images():
    document = {"images": [{"Name": "a", "newtag": "1"}], "imageTags": [{"name": "b", "newTag": "1"}]}
    assert changed(document, images=("a:2",)) == {
        "images": [{"name": "a", "newTag": "2"}, {"name": "b", "newTag": "1"}]
    }


def test_replicas_replace_those_of_their_name():
    document = {"replicas": [{"name": "a", "count": 1}, {"name": "c", "count": 3}]}
    wanted = (KustomizeReplica(name="b", count="2"), KustomizeReplica(name="a", count=0))
    assert changed(document, replicas=wanted)["replicas"] == [
        {"name": "a", "count": 0}, {"name": "b", "count": 2}, {"name": "c", "count": 3},
    ]  # fmt: skip


@pytest.mark.parametrize("replica", [KustomizeReplica(name="a", count="x"), KustomizeReplica(name="a=b", count=1)])
def test_replicas_that_are_none_are_refused(replica):
    with pytest.raises(InvalidInput):
        changed({}, replicas=(replica,))


def test_labels_go_into_selectors_unless_told_otherwise():
    labels = {"a": "1"}
    assert changed({}, common_labels=labels) == {"commonLabels": {"a": "1"}}
    assert changed({}, common_labels=labels, label_without_selector=True) == {"labels": [{"pairs": {"a": "1"}}]}
    assert changed({}, common_labels=labels, label_without_selector=True, label_include_templates=True) == {
        "labels": [{"pairs": {"a": "1"}, "includeTemplates": True}]
    }


def test_labels_join_the_first_that_are_of_their_kind():
    document = {"labels": [
        {"pairs": {"s": "1"}, "includeSelectors": True}, {"pairs": {"t": "1"}, "includeTemplates": True},
        {"pairs": {"x": "1"}, "fields": []}, {"pairs": {"y": "1"}},
    ]}  # fmt: skip
    labels = changed(document, common_labels={"a": "1"}, label_without_selector=True)["labels"]
    assert [each["pairs"] for each in labels] == [{"s": "1"}, {"t": "1"}, {"x": "1", "a": "1"}, {"y": "1"}]
    assert document["labels"][2]["pairs"] == {"x": "1"}


@pytest.mark.parametrize(
    ("document", "wanted", "option"),
    [
        ({"commonLabels": {"a": "0"}}, {"common_labels": {"a": "1"}}, "forceCommonLabels"),
        ({"labels": [{"pairs": {"a": "0"}}]}, {"common_labels": {"a": "1"}, "label_without_selector": True}, "forceCommonLabels"),
        ({"commonAnnotations": {"a": "0"}}, {"common_annotations": {"a": "1"}}, "forceCommonAnnotations"),
    ],
)  # fmt: skip
def test_what_is_there_is_replaced_by_force_alone(document, wanted, option):
    with pytest.raises(InvalidInput, match="already in kustomization file") as raised:
        changed(document, **wanted)
    assert option in raised.value.hint
    assert '"1"' in str(changed(document, **wanted, force_common_labels=True, force_common_annotations=True)).replace(
        "'", '"'
    )


@pytest.mark.parametrize(
    "wanted",
    [
        {"common_labels": {"a": "1"}, "label_include_templates": True},
        {"common_labels": {"": "1"}},
        {"common_annotations": {":x": "1"}},
    ],
)
def test_labels_that_cannot_be_added_are_refused(wanted):
    with pytest.raises(InvalidInput):
        changed({}, **wanted)


def test_pairs_arrive_as_through_a_command_line():
    assert changed({}, common_annotations={"a:b": "c", "q": '"x y"', "one": '"'}) == {
        "commonAnnotations": {"a": "b:c", "q": "x y", "one": '"'}
    }


def test_patches_and_components_come_last():
    patch = KustomizePatch(path="p.yaml", target=KustomizeSelector(kind="X"), options={"allowNameChange": True})
    document = {"patches": [{"path": "a"}], "components": ["c"]}
    assert changed(document, patches=(patch,), components=("c", "d", "d")) == {
        "patches": [{"path": "a"}, {"path": "p.yaml", "target": {"kind": "X"}, "options": {"allowNameChange": True}}],
        "components": ["c", "d"],
    }


@pytest.mark.parametrize(
    ("document", "wanted"),
    [
        ({"images": {}}, {"images": ("a:1",)}),
        ({"images": ["a"]}, {"images": ("a:1",)}),
        ({"commonLabels": []}, {"common_labels": {"a": "1"}}),
        ({"patches": "x"}, {"patches": (KustomizePatch(path="p"),)}),
    ],
)
def test_a_document_of_another_shape_is_refused(document, wanted):
    with pytest.raises(InvalidInput, match="Cannot change the kustomization"):
        changed(document, **wanted)


def test_variables_are_replaced_in_images_and_labels_and_on_request_in_annotations():
    variables = Environment({"NAME": "shop"})
    wanted = ApplicationSourceKustomize(
        images=("a:$NAME",),
        common_labels={"l": "$NAME"},
        common_annotations={"a": "$NAME"},
        version="v5",
        kube_version="1",
    )
    replaced = substituted(wanted, variables)
    assert (replaced.images, replaced.common_labels, replaced.common_annotations) == (
        ("a:shop",),
        {"l": "shop"},
        {"a": "$NAME"},
    )
    again = substituted(
        ApplicationSourceKustomize(common_annotations={"a": "$NAME"}, common_annotations_envsubst=True), variables
    )
    assert again.common_annotations == {"a": "shop"}


def test_what_does_not_touch_the_document_is_no_change():
    assert not changes(substituted(ApplicationSourceKustomize(version="v5", kube_version="1.30"), Environment({})))
    assert changes(ApplicationSourceKustomize(namespace="n"))
