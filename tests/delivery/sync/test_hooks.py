import pytest

from plumbline.delivery.sync.hooks import departs, phases, policies, role
from plumbline.delivery.sync.waves import wave

HOOK, HELM = "argocd.argoproj.io/hook", "helm.sh/hook"
POLICY, HELM_POLICY = "argocd.argoproj.io/hook-delete-policy", "helm.sh/hook-delete-policy"
WAVE, WEIGHT = "argocd.argoproj.io/sync-wave", "helm.sh/hook-weight"


@pytest.mark.parametrize(
    ("annotations", "expected", "runs_in", "why"),
    [
        ({}, "resource", (), "no annotation"),
        ({HOOK: "PreSync"}, "hook", ("PreSync",), "one phase"),
        ({HOOK: "PostSync, PreSync,PreSync"}, "hook", ("PreSync", "PostSync"), "several phases, each once"),
        ({HOOK: "Skip"}, "skipped", (), "Skip alone is never applied"),
        ({HOOK: "Skip,Sync"}, "hook", ("Sync",), "Skip among others does not count"),
        ({HOOK: "presync"}, "ignored", (), "names are exact"),
        ({HOOK: ""}, "ignored", (), "a hook of nothing"),
        ({HOOK: "PreDelete"}, "ignored", (), "a hook of deletion takes no part in a sync"),
        ({HOOK: "PreDelete,SyncFail"}, "hook", ("SyncFail",), "one hook may be both"),
        ({HELM: "pre-install"}, "hook", ("PreSync",), "Helm's hooks are mapped"),
        ({HELM: "pre-install,pre-upgrade"}, "hook", ("PreSync",), "two of Helm's are one of ours"),
        ({HELM: "post-upgrade,pre-install"}, "hook", ("PreSync", "PostSync"), "before and after"),
        ({HELM: "crd-install"}, "resource", (), "Helm marks CRDs as hooks, which they are not"),
        ({HELM: "crd-install,pre-install"}, "hook", ("PreSync",), "only alone it marks a CRD"),
        ({HELM: "test"}, "ignored", (), "tests are not run"),
        ({HELM: "pre-rollback"}, "ignored", (), "there are no rollbacks of releases"),
        ({HELM: "post-delete"}, "ignored", (), "deletion again"),
        ({HOOK: "Sync", HELM: "pre-install"}, "hook", ("Sync",), "ours beats Helm's"),
        ({HOOK: "garbage", HELM: "pre-install"}, "hook", ("PreSync",), "what means nothing beats nothing"),
        ({HOOK: "Skip", HELM: "pre-install"}, "skipped", (), "Skip beats Helm's too"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_annotations_say_what_an_object_is_to_a_sync(annotations, expected, runs_in, why):
    assert role(annotations) == expected, why
    assert phases(annotations) == runs_in, why


@pytest.mark.parametrize(
    ("annotations", "expected", "why"),
    [
        ({}, {"BeforeHookCreation"}, "the default"),
        ({POLICY: "HookSucceeded"}, {"HookSucceeded"}, "one that is named replaces the default"),
        ({POLICY: "HookSucceeded, HookFailed"}, {"HookSucceeded", "HookFailed"}, "several"),
        ({HELM_POLICY: "hook-succeeded,before-hook-creation"}, {"HookSucceeded", "BeforeHookCreation"}, "Helm's names"),
        ({POLICY: "HookFailed", HELM_POLICY: "hook-succeeded"}, {"HookFailed", "HookSucceeded"}, "both count"),
        ({POLICY: "whenever"}, {"BeforeHookCreation"}, "what nobody knows is not said"),
    ],
)
def test_hooks_are_deleted_when_their_policies_say(annotations, expected, why):
    assert policies(annotations) == expected, why


def test_hooks_of_deletion_are_found_by_either_name():
    assert departs({HOOK: "PostSync, PreDelete"}, "PreDelete")
    assert departs({HELM: "post-delete"}, "PostDelete")
    assert not departs({HELM: "post-delete"}, "PreDelete")
    assert not departs({}, "PostDelete")


@pytest.mark.parametrize(
    ("annotations", "expected", "why"),
    [
        ({}, 0, "nothing said"),
        ({WAVE: "-3"}, -3, "negative waves come first"),
        ({WAVE: "+2"}, 2, "Go reads a plus"),
        ({WEIGHT: "5"}, 5, "Helm's weight"),
        ({WAVE: "1", WEIGHT: "5"}, 1, "the wave beats the weight"),
        ({WAVE: "soon", WEIGHT: "5"}, 5, "what is no number is not said"),
        ({WAVE: "1.5"}, 0, "no fractions"),
        ({WAVE: " 1"}, 0, "no blanks"),
        ({WAVE: "1_0"}, 0, "no underscores, whatever Python thinks"),
        ({WAVE: "9223372036854775808"}, 0, "more than 64 bits"),
        ({WAVE: "٣"}, 0, "other digits are not digits"),
    ],
)
def test_waves_are_whole_numbers_or_zero(annotations, expected, why):
    assert wave(annotations) == expected, why
