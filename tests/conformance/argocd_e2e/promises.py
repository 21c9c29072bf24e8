"""Which of Argo CD's own end-to-end tests are kept, by their files, and why the others are not."""

from typing import Final

KEPT: Final = {
    "accounts": (
        "TestCreateAndUseAccount", "TestCanIGetLogsAllow", "TestCanIGetLogsDeny", "TestCreateAndUseAccountCLI",
        "TestLoginBadCredentials", "TestAccountSessionToken",
    ),
    "app_autosync": (
        "TestAutoSyncSelfHealDisabled", "TestAutoSyncSelfHealEnabled", "TestAutoSyncRetryAndRefreshEnabled",
        "TestAutoSyncAllowEmptyCanBeDisabled",
    ),
    "app_autosync_ns": (
        "TestNSAutoSyncSelfHealDisabled", "TestNSAutoSyncSelfHealEnabled",
    ),
    "app_deletion": (
        "TestDeletingAppByLabel", "TestDeletingAppByLabelWait",
    ),
    "app_k8s_events": (
        "TestLabelsOnAppK8sEvents", "TestNoLabelsOnAppK8sEvents",
    ),
    "app_management": (
        "TestGetLogsAllowNoSwitch", "TestGetLogsDeny", "TestAppCreation", "TestAppCreationWithoutForceUpdate",
        "TestPatchValuesObject", "TestGetAppResource", "TestDeleteAppResource", "TestImmutableChange",
        "TestMultiSyncCRDClientSideSame", "TestMultiSyncCRDClientSideChanged", "TestMultiSyncCRDServerSideSame",
        "TestMultiSyncCRDServerSideSameBig", "TestMultiSyncCRDServerSideChanged",
        "TestMultiSyncCRDServerSideChangedBig", "TestMultiSyncBuiltinClientSideSame",
        "TestMultiSyncBuiltinClientSideChanged", "TestMultiSyncBuiltinServerSideSame",
        "TestMultiSyncBuiltinServerSideSameBig", "TestMultiSyncBuiltinServerSideChanged",
        "TestMultiSyncBuiltinServerSideChangedBig", "TestInvalidAppProject", "TestAppDeletion", "TestAppLabels",
        "TestTrackAppStateAndSyncApp", "TestAppRollbackSuccessful", "TestComparisonFailsIfClusterNotAdded",
        "TestComparisonFailsIfDestinationClusterIsInvalid", "TestComparisonFailsIfInClusterDisabled",
        "TestCannotSetInvalidPath", "TestManipulateApplicationResources", "TestOldStyleResourceAction",
        "TestNewStyleResourceActionPermitted", "TestNewStyleResourceActionMixedOk", "TestSyncResourceByLabel",
        "TestSyncResourceByProject", "TestLocalManifestSync", "TestLocalSync", "TestNoLocalSyncWithAutosyncEnabled",
        "TestLocalSyncDryRunWithAutosyncEnabled", "TestSyncAsync", "TestPermissionWithScopedRepo",
        "TestPermissionDeniedWithScopedRepo", "TestPermissionDeniedWithNegatedNamespace",
        "TestPermissionDeniedWithNegatedServer", "TestSyncOptionPruneFalseResourceLevel",
        "TestSyncOptionPruneFalseAppLevel", "TestSyncOptionPruneFalseResourceOverride",
        "TestCompareOptionIgnoreExtraneous",
        "TestSourceNamespaceCanBeMigratedToManagedNamespaceWithoutBeingPrunedOrOutOfSync", "TestSelfManagedApps",
        "TestExcludedResource", "TestRevisionHistoryLimit", "TestOrphanedResource", "TestNotPermittedResources",
        "TestSyncWithInfos", "TestSyncWithRetryAndRefreshEnabled", "TestCreateAppWithNoNameSpaceForGlobalResource",
        "TestCreateAppWithNoNameSpaceWhenRequired", "TestCreateAppWithNoNameSpaceWhenRequired2",
        "TestCreateAppWithInClusterDisabled", "TestListResource", "TestFailedSyncWithRetry",
        "TestStaleOperationRevisionNotUsedNewSync", "TestCreateDisableValidation", "TestCreateFromPartialFile",
        "TestCRDStatusSubresourceAction", "TestAppWaitOperationInProgress", "TestSyncOptionReplace",
        "TestSyncOptionReplaceFromCLI", "TestDiscoverNewCommit", "TestTrackingMethodAnnotationMovedResourceSSA",
        "TestAnnotationTrackingExtraResources", "TestCreateConfigMapsAndWaitForUpdate",
        "TestDeletionConfirmationAppLevel",
    ),
    "app_management_ns": (
        "TestNamespacedGetLogsAllow", "TestNamespacedGetLogsDeny", "TestNamespacedAppCreation",
        "TestNamespacedAppCreationWithoutForceUpdate", "TestNamespacedDeleteAppResource",
        "TestNamespacedImmutableChange", "TestNamespacedInvalidAppProject", "TestNamespacedAppDeletion",
        "TestNamespacedAppLabels", "TestNamespacedTrackAppStateAndSyncApp", "TestNamespacedAppRollbackSuccessful",
        "TestNamespacedComparisonFailsIfClusterNotAdded", "TestNamespacedCannotSetInvalidPath",
        "TestNamespacedManipulateApplicationResources", "TestAppInNamespaceCommands", "TestNamespacedAppWithSecrets",
        "TestNamespacedKnownTypesInCRDDiffing", "TestNamespacedConfigMap", "TestNamespacedResourceAction",
        "TestNamespacedSyncResourceByLabel", "TestNamespacedLocalManifestSync", "TestNamespacedLocalSync",
        "TestNamespacedNoLocalSyncWithAutosyncEnabled", "TestNamespacedLocalSyncDryRunWithASEnabled",
        "TestNamespacedSyncAsync", "TestNamespacedPermissionWithScopedRepo",
        "TestNamespacedPermissionDeniedWithScopedRepo", "TestNamespacedSyncOptionPruneFalse",
        "TestNamespacedCompareOptionIgnoreExtraneous", "TestNamespacedSelfManagedApps",
        "TestNamespacedExcludedResource", "TestNamespacedRevisionHistoryLimit", "TestNamespacedOrphanedResource",
        "TestNamespacedNotPermittedResources", "TestNamespacedSyncWithInfos",
        "TestNamespacedCreateAppWithNoNameSpaceForGlobalResource",
        "TestNamespacedCreateAppWithNoNameSpaceWhenRequired", "TestNamespacedCreateAppWithNoNameSpaceWhenRequired2",
        "TestNamespacedListResource", "TestNamespacedNamespaceAutoCreationWithMetadata",
        "TestNamespacedNamespaceAutoCreationWithMetadataAndNsManifest",
        "TestNamespacedNamespaceAutoCreationWithPreexistingNs", "TestNamespacedFailedSyncWithRetry",
        "TestNamespacedCreateDisableValidation", "TestNamespacedCreateFromPartialFile",
        "TestNamespacedCRDStatusSubresourceAction", "TestNamespacedAppWaitOperationInProgress",
        "TestNamespacedSyncOptionReplace", "TestNamespacedSyncOptionReplaceFromCLI",
        "TestNamespacedDiscoverNewCommit", "TestCreateAppInNotAllowedNamespace",
    ),
    "app_management_source_integrity": (
        "TestSyncToUnsignedCommit", "TestSyncToSignedCommitWithoutKnownKey", "TestSyncToSignedCommitWithKnownKey",
        "TestSyncToSignedCommitWithUnallowedKey", "TestSyncToSignedBranchWithKnownKey",
        "TestSyncToSignedBranchWithUnknownKey", "TestSyncToUnsignedBranch", "TestSyncToSignedTagWithKnownKey",
        "TestSyncToSignedTagWithUnknownKey", "TestSyncToUnsignedAnnotatedTag", "TestSyncToUnsignedSimpleTag",
        "TestSyncToSignedAnnotatedTagWithUnallowedKey", "TestSyncToTagBasedConstraint",
        "TestNamespacedSyncToUnsignedCommit", "TestNamespacedSyncToSignedCommitWithUnknownKey",
        "TestNamespacedSyncToSignedCommit", "TestLocalManifestRejectedWithSourceIntegrity",
        "TestArtifactCacheInvalidatedOnSourceIntegrityChange",
    ),
    "app_multiple_sources": (
        "TestMultiSourceAppCreation", "TestMultiSourceAppWithHelmExternalValueFiles",
        "TestMultiSourceAppWithSourceOverride", "TestMultiSourceAppWithSourceName",
        "TestMultiSourceAppSetWithSourceName", "TestMultiSourceAppErrorWhenSourceNameAndSourcePosition",
    ),
    "app_multiple_sources_source_integrity": (
        "TestMultiSourceSourceIntegrityAllFailed", "TestMultiSourceSourceIntegrityAllValid",
    ),
    "app_namespaces": (
        "TestAppCreationInOtherNamespace", "TestForbiddenNamespace",
    ),
    "app_skipreconcile": (
        "TestAppSkipReconcileTrue", "TestAppSkipReconcileFalse", "TestAppSkipReconcileNonBooleanValue",
    ),
    "cli": (
        "TestCliPluginExecution", "TestCliPluginExecutionConditions", "TestCliPluginStatusCodes",
        "TestCliPluginStdinHandling",
    ),
    "cluster": (
        "TestClusterList", "TestClusterAdd", "TestClusterAddPermissionDenied", "TestClusterAddAllowed",
        "TestClusterListDenied", "TestClusterSet", "TestClusterGet", "TestClusterDeleteDenied", "TestClusterDelete",
    ),
    "cluster_objects": (
        "TestClusterRoleBindingHook",
    ),
    "custom_tool": (
        "TestCustomToolWithEnv", "TestCMPDiscoverWithFileName", "TestCMPDiscoverWithFindGlob",
        "TestCMPDiscoverWithPluginName", "TestCMPDiscoverWithFindCommandWithEnv", "TestPruneResourceFromCMP",
    ),
    "declarative": (
        "TestDeclarativeHappyApp", "TestDeclarativeInvalidPath", "TestDeclarativeInvalidProject",
    ),
    "deployment": (
        "TestDeployment", "TestDeploymentWithAnnotationTrackingMode", "TestDeploymentWithLabelTrackingMode",
        "TestDeploymentWithoutTrackingMode",
    ),
    "diff": (
        "TestMaskSecretValues", "TestMaskValuesInInvalidSecret", "TestHookDiff",
        "TestDiff_DuplicatedResourcesAndNamespaceNormalization", "TestDiff_CRDNoAnnotationTracking",
        "TestDiff_AppNamespace_DuplicatedResourcesAndNamespaceNormalization",
        "TestDiff_AppNamespace_CRDNoAnnotationTracking", "TestServerSideDiffWithLocal", "TestAppWithSecrets",
        "TestKnownTypesInCRDDiffing",
    ),
    "git": (
        "TestAnnotatedTagInStatusSyncRevision", "TestAutomatedSelfHealingAgainstAnnotatedTag",
        "TestAutomatedSelfHealingAgainstLightweightTag",
    ),
    "graceful_restart": (
        "TestAPIServerGracefulRestart",
    ),
    "helm": (
        "TestHelmHooksAreCreated", "TestHelmHookWeight", "TestHelmHookDeletePolicy", "TestDeclarativeHelm",
        "TestDeclarativeHelmInvalidValuesFile", "TestHelmValues", "TestHelmIgnoreMissingValueFiles",
        "TestHelmGlobValueFiles", "TestHelmRecursiveGlobValueFiles", "TestHelmGlobValueFilesNoMatch",
        "TestHelmGlobValueFilesIgnoreMissing", "TestHelmValuesMultipleUnset", "TestHelmValuesLiteralFileLocal",
        "TestHelmValuesLiteralFileRemote", "TestHelmCrdHook", "TestHelmReleaseName", "TestHelmSet",
        "TestHelmSetString", "TestHelmSetFile", "TestHelmSetEnv", "TestHelmSetStringEnv", "TestKubeVersion",
        "TestApiVersions", "TestHelmNamespaceOverride", "TestHelmValuesHiddenDirectory",
        "TestHelmDependenciesPermissionDenied", "TestHelm3CRD",
    ),
    "hook": (
        "TestPreSyncHookSuccessful", "TestSyncHookSuccessful", "TestPostSyncHookSuccessful", "TestPreDeleteHook",
        "TestPreDeleteHookFailureAndRetry", "TestPreDeleteHookProjectRestriction", "TestPostDeleteHook",
        "TestPreSyncHookFailure", "TestSyncHookFailure", "TestSyncHookResourceFailure", "TestPostSyncHookFailure",
        "TestPostSyncHookPodFailure", "TestSyncFailHookPodFailure", "TestSyncFailHookPodFailureSyncFailFailure",
        "TestInvalidlHookWaitsForOtherHooksToComplete", "TestInvalidSyncFailureHookWaitsForOtherHooksToComplete",
        "TestHookDeletePolicyHookSucceededHookExit0", "TestHookDeletePolicyHookSucceededHookExit1",
        "TestHookDeletePolicyHookFailedHookExit0", "TestHookDeletePolicyHookFailedHookExit1",
        "TestHookBeforeHookCreation", "TestHookBeforeHookCreationFailure", "TestHookSkip",
        "TestAutomaticallyNamingUnnamedHook", "TestHookFinalizerPreSync", "TestHookFinalizerSync",
        "TestHookFinalizerPostSync", "TestTerminateWithRunningHooks",
    ),
    "hydrator": (
        "TestSimpleHydrator", "TestHydrateTo", "TestHydratorNormalRefreshRecoversFailedHydration",
        "TestKustomizeVersionOverride", "TestHydratorWithHelm", "TestHydratorWithKustomize",
        "TestHydratorWithDirectory", "TestHydratorWithPlugin", "TestHydratorNoOp",
        "TestHydratorHydratesAutomatically_NewCommit", "TestHydratorHydratesAutomatically_NewCommit_WithChanges",
        "TestHydratorHydratesAutomatically_NewCommit_WithoutChanges",
    ),
    "jsonnet": (
        "TestJsonnetAppliedCorrectly", "TestJsonnetTlaParameterAppliedCorrectly", "TestJsonnetTlaEnv",
        "TestJsonnetExtVarEnv", "TestJsonnetNestedDirWithImports",
    ),
    "kustomize": (
        "TestKustomize2AppSource", "TestSyncStatusOptionIgnore", "TestKustomizeDeclarativeInvalidApp",
        "TestKustomizeBuildOptionsLoadRestrictor", "TestKustomizeImages", "TestKustomizeReplicas2AppSource",
        "TestKustomizeNameSuffix", "TestKustomizeUnsetOverride", "TestKustomizeUnsetOverrideDeployment",
        "TestKustomizeKubeVersion", "TestKustomizeApiVersions", "TestKustomizeNamespaceOverride",
    ),
    "logout": (
        "TestLogoutRevokesToken", "TestLogoutDoesNotAffectOtherSessions", "TestLogoutRevokedTokenCannotAccessAPIs",
        "TestLogoutRevokesOIDCToken", "TestLogoutDoesNotAffectOtherOIDCSessions",
        "TestLogoutRevokedOIDCTokenCannotAccessAPIs",
    ),
    "notification": (
        "TestNotificationsListServices", "TestNotificationsListTemplates", "TestNotificationsListTriggers",
    ),
    "project_management": (
        "TestProjectCreation", "TestProjectDeletion", "TestSetProject", "TestAddProjectDestination",
        "TestAddProjectDestinationWithName", "TestRemoveProjectDestination", "TestAddProjectSource",
        "TestRemoveProjectSource", "TestUseJWTToken", "TestAddOrphanedIgnore", "TestRemoveOrphanedIgnore",
        "TestGetVirtualProjectNoMatch", "TestGetVirtualProjectMatch", "TestSyncWindowSyncOverrun",
        "TestAddProjectDestinationServiceAccount",
    ),
    "pruning_required": (
        "TestPruningRequired",
    ),
    "repo_creds": (
        "TestCannotAddAppFromPrivateRepoWithoutCfg", "TestCannotAddAppFromClientCertRepoWithoutCfg",
    ),
    "repo_management": (
        "TestAddRemovePublicRepo", "TestUpsertExistingRepo",
        "TestFailOnPrivateRepoCreationWithPasswordAndBearerToken",
        "TestFailOnCreatePrivateNonHTTPSRepoWithBearerToken", "TestFailOnCreatePrivateNonGitRepoWithBearerToken",
    ),
    "scoped_repository": (
        "TestCreateRepositoryNonAdminUserPermissionDenied", "TestCreateRepositoryNonAdminUserWithWrongProject",
    ),
    "selective_sync": (
        "TestSelectiveSync", "TestSelectiveSyncDoesNotRunHooks", "TestSelectiveSyncWithoutNamespace",
        "TestSelectiveSyncWithNamespace",
    ),
    "serverside_diff": (
        "TestServerSideDiffMasksSecretData",
    ),
    "sync_options": (
        "TestSyncWithCreateNamespace", "TestSyncOptionsValidateFalse", "TestSyncOptionsValidateTrue",
        "TestSyncWithStatusIgnored", "TestSyncWithApplyOutOfSyncOnly", "TestSyncWithForceReplace",
        "TestNamespaceCreationWithSSA",
    ),
    "sync_waves": (
        "TestFixingDegradedApp", "TestOneProgressingDeploymentIsSucceededAndSynced",
        "TestDegradedDeploymentIsSucceededAndSynced",
    ),
    "sync_with_impersonate": (
        "TestSyncWithFeatureDisabled", "TestSyncWithNoDestinationServiceAccountsAndEnforcementDisabled",
        "TestSyncWithImpersonateWithSyncServiceAccount", "TestSyncWithMissingServiceAccount",
        "TestSyncWithValidSAButDisallowedDestination",
    ),
    "user_info": (
        "TestUserInfo",
    ),
}  # fmt: skip

SERVED: Final = (
    "TestCustomToolWithSSHGitCredsDisabled", "TestGitSubmoduleSSHSupport", "TestGitSubmoduleHTTPSSupport",
    "TestGitSubmoduleRemovalSupport", "TestGitSemverResolutionNotUsingConstraint", "TestGitShallowClone",
    "TestGitSemverResolutionNotUsingConstraintWithLeadingZero", "TestGitSemverResolutionUsingConstraint",
    "TestGitSemverResolutionUsingConstraintWithLeadingZero", "TestGitSemverResolutionWithTagPrefix",
    "TestGitSemverResolutionWithTagPrefixMultipleTags", "TestHelmOCIRegistry",
    "TestGitWithHelmOCIRegistryDependencies", "TestHelmOCIRegistryWithDependencies",
    "TestTemplatesGitWithHelmOCIDependencies", "TestTemplatesHelmOCIWithDependencies",
    "TestHelmOCIRegistryWithConstraintRevision", "TestOCIImage", "TestOCIWithOCIHelmRegistryDependencies",
    "TestOCIWithAuthedOCIHelmRegistryDeps", "TestGetRepoWithInheritedCreds", "TestAddRemoveHelmRepo",
    "TestAddHelmRepoInsecureSkipVerify", "TestCanAccessInsecureSSHRepo", "TestCanAccessSSHRepo",
    "TestOCISourceIgnoredWithSourceIntegrity",
)  # fmt: skip
"""Kept where Git, charts and registries are served at the ports that they name."""

APART: Final = {
    "ApplicationSets are not here yet": (
        "TestSimpleGitDirectoryGenerator", "TestSimpleGitDirectoryGeneratorGoTemplate",
        "TestSimpleGitDirectoryGeneratorGPGEnabledUnsignedCommits",
        "TestSimpleGitDirectoryGeneratorGPGEnabledWithoutKnownKeys", "TestSimpleGitFilesGenerator",
        "TestSimpleGitFilesGeneratorGPGEnabledUnsignedCommits",
        "TestSimpleGitFilesGeneratorGPGEnabledWithoutKnownKeys", "TestSimpleGitFilesGeneratorGoTemplate",
        "TestSimpleGitFilesPreserveResourcesOnDeletion", "TestSimpleGitFilesPreserveResourcesOnDeletionGoTemplate",
        "TestGitGeneratorPrivateRepo", "TestGitGeneratorPrivateRepoGoTemplate",
        "TestSimpleGitGeneratorPrivateRepoWithNoRepo", "TestSimpleGitGeneratorPrivateRepoWithMatchingProject",
        "TestSimpleGitGeneratorPrivateRepoWithMismatchingProject", "TestGitGeneratorPrivateRepoWithTemplatedProject",
        "TestGitGeneratorPrivateRepoWithTemplatedProjectAndProjectScopedRepo",
        "TestApplicationSetProgressiveSyncStep", "TestProgressiveSyncHealthGating",
        "TestNoApplicationStatusWhenNoSteps", "TestNoApplicationStatusWhenNoApplications",
        "TestProgressiveSyncMultipleAppsPerStepWithReverseDeletionOrder", "TestSimpleListGeneratorExternalNamespace",
        "TestSimpleListGeneratorExternalNamespaceNoConflict", "TestSimpleListGenerator",
        "TestSimpleListGeneratorGoTemplate", "TestRenderHelmValuesObject", "TestTemplatePatch",
        "TestUpdateHelmValuesObject", "TestSyncPolicyCreateUpdate", "TestSyncPolicyCreateDelete",
        "TestSyncPolicyCreateOnly", "TestSimpleSCMProviderGenerator", "TestSimpleSCMProviderGeneratorGoTemplate",
        "TestSCMProviderGeneratorSCMProviderNotAllowed", "TestCustomApplicationFinalizers",
        "TestCustomApplicationFinalizersGoTemplate", "TestSimpleSCMProviderGeneratorTokenRefStrictOk",
        "TestSimpleSCMProviderGeneratorTokenRefStrictKo", "TestSimplePullRequestGenerator",
        "TestSimplePullRequestGeneratorGoTemplate", "TestPullRequestGeneratorNotAllowedSCMProvider",
        "TestApplicationSetAPIListResourceEvents", "TestApplicationSetHealthStatusCLI",
        "TestSimpleClusterGeneratorExternalNamespace", "TestSimpleClusterGenerator",
        "TestClusterGeneratorWithLocalCluster", "TestSimpleClusterGeneratorAddingCluster",
        "TestSimpleClusterGeneratorDeletingCluster", "TestClusterGeneratorWithFlatListMode",
        "TestSimpleClusterDecisionResourceGeneratorExternalNamespace", "TestSimpleClusterDecisionResourceGenerator",
        "TestSimpleClusterDecisionResourceGeneratorAddingCluster",
        "TestSimpleClusterDecisionResourceGeneratorDeletingClusterSecret",
        "TestSimpleClusterDecisionResourceGeneratorDeletingClusterFromResource", "TestListMatrixGenerator",
        "TestClusterMatrixGenerator", "TestMatrixTerminalMatrixGeneratorSelector",
        "TestMatrixTerminalMergeGeneratorSelector", "TestListMergeGenerator", "TestClusterMergeGenerator",
        "TestMergeTerminalMergeGeneratorSelector",
    ),
    "the name of another namespace of the installation is written into them": (
        "TestLastTransitionTimeUnchangedError", "TestDeployToKubernetesAPIURLWithQueryParameter",
        "TestArgoCDSupportsMultipleServiceAccountsWithDifferingRBACOnSameCluster", "TestShardsReconcileAssignedApps",
        "TestManagedByURLWithAnnotation", "TestManagedByURLFallbackToCurrentInstance",
        "TestHydratorWithAuthenticatedRepo",
    ),
    "they ask github.com": (
        "TestCreateRepositoryWithProject", "TestDeleteRepository", "TestDeleteRepositoryRbacAllowed",
        "TestDeleteRepositoryRbacDenied", "TestListRepoCLIOutput", "TestGetRepoCLIOutput",
        "TestCreateRepoWithSameURLInTwoProjects", "TestDeclarativeInvalidRepoURL",
        "TestMultiSourceSourceIntegritySomeFailed",
    ),
    "pods are simulated: no image is run, and what cannot be foretold takes no time": (
        "TestGetLogsAllow", "TestNamespacedGetLogsAllowNS", "TestCliAppCommand",
        "TestNormalArgoCDCommandsExecuteOverPluginsWithSameName", "TestSyncPruneOrderWithSyncWaves",
        "TestAPIServiceLateRegistrationIsDiscovered",
    ),
    "one program has one address and one set of metrics, and there is no client-go in it": (
        "TestKubectlMetrics", "TestNotificationsHealthcheck",
    ),
    "the module that Go has lacks symbolic links and the rights of files": (
        "TestCMPWithSymlinkFiles", "TestCMPWithSymlinkFolder", "TestCMPWithSymlinkPartialFiles",
        "TestPreserveFileModeForCMP", "TestOCIImageWithOutOfBoundsSymlink",
    ),
    "Argo CD leaves them out itself": (
        "TestAppLogs", "TestNamespacedAppLogs",
    ),
    "on purpose: a browser's cookie alone changes nothing, without the page that it comes from": (
        "TestPatchHttp", "TestClusterNameInRestAPI", "TestClusterURLInRestAPI", "TestClusterSkipReconcileAnnotation",
    ),
    "on purpose: nothing leads from https to http, and nobody who is told our password is chosen by an index": (
        "TestHelmRepo", "TestHelmRepoDiffLocal", "TestHelmWithDependencies", "TestHelmWithMultipleDependencies",
    ),
    "on purpose: plugins get no credentials of repositories, nor do remote bases": (
        "TestCustomToolWithGitCreds", "TestCustomToolWithGitCredsTemplate", "TestCustomToolWithSSHGitCreds",
        "TestCanAddAppFromPrivateRepoWithCredCfg", "TestCanAddAppFromPrivateRepoWithRepoCfg",
        "TestKustomizeSSHRemoteBase",
    ),
    "on purpose: two applications do not own one object": (
        "TestAddingApp",
    ),
    "on purpose: what others hold and is ignored stays as it is": (
        "TestResourceDiffing", "TestNamespacedResourceDiffing",
    ),
    "on purpose: a deletion ends the sync that is under way, and has gone when the command returns": (
        "TestDeletingAppStuckInSync", "TestDeletingNamespacedAppStuckInSync", "TestNamespaceAutoCreation",
        "TestNamespacedNamespaceAutoCreation",
    ),
    "on purpose: what is new takes the place of what is being retried": (
        "TestAutoSyncRetryAndRefreshEnabledChangedSource",
    ),
    "on purpose: what nobody permits is not begun": (
        "TestSyncWithNoDestinationServiceAccountsInProject",
    ),
    "on purpose: what cannot be applied at all is refused before anything is, and said in other words": (
        "TestNamingNonHookResource", "TestNamespacedSyncOptionValidateFalse", "TestSyncOptionValidateFalse",
        "TestAppSyncWrongVersion", "TestSyncWithCreateNamespaceAndDryRunError",
    ),
    "what is OutOfSync for less than a look is never shown as that": (
        "TestSyncWithSkipHook",
    ),
    "kinds that nobody delivers are looked for with a refresh, which these do without": (
        "TestDeletionConfirmation", "TestSwitchTrackingMethod", "TestSwitchTrackingLabel", "TestInstallationID",
        "TestTrackingMethodAnnotationMovedResource",
    ),
    "not here: children in other namespaces of what has none": (
        "TestCrossNamespaceOwnership", "TestCrossNamespaceOwnershipWithRefresh",
    ),
    "not here: `argocd admin`, extensions of the proxy, and Argo CD's own client that uploads files": (
        "TestBackupExportImport", "TestCustomToolSyncAndDiffLocal", "TestExtensionProxyRequiresNamespacedApplicationRBAC",
    ),
    "on purpose: local files are compared by the server also where Argo CD wants another flag for that": (
        "TestServerSideDiffWithLocalValidation",
    ),
    "on purpose: who asks about an application that is where its project does not permit it is refused, not told of nothing": (
        "TestPermissions", "TestNamespacedPermissions",
    ),
    "on purpose: a file that is no object is refused, such as a kustomization where Kustomize is off": (
        "TestDisableManifestGeneration", "TestNamespacedDisableManifestGeneration",
    ),
}  # fmt: skip
