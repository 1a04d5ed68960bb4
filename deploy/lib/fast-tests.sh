# The tests that deploy/test --fast runs: all tests of these targets, except those of the suites below.

# alternatives NAME…: prints the names as alternatives of a regular expression.
alternatives() { local IFS='|'; printf '%s' "${*//./\\.}"; }

# Targets with tests that need neither a server of Debian nor the network. Left out: BackendsTests, ConformanceTests,
# CommandTests and the targets named …Suites, which start servers or take minutes, and InPlayerTests, MailTests, MQTTTests and
# DeliveriesTests, where most suites wait for time to pass. Run those with swift test --filter '^TARGET\.'.
fast_targets=(
    AdminAPITests CSVTests CataloguesTests ConsoleTests ContentGateTests DeployTests FrontDoorsTests FuzzingTests
    GatefoldTests JSONTests ModelTests OutgoingRequestsTests PushTests ReceiptsTests ResilienceTests ServerTests
    SettingsTests SimulationTests StateTests XMLTests
)

# Suites that need another server or program, or that take more than about a second alone, because they try thousands of
# inputs or wait for time to pass.
slow_suites=(
    CataloguesTests.DatabaseCatalogueTests CataloguesTests.FeedOverHTTPTests
    ContentGateTests.FileServerTests ContentGateTests.FileTransferTests ContentGateTests.GuideTests
    ContentGateTests.OpenFileTests ContentGateTests.PathDifferentialTests ContentGateTests.RangeHeaderTests
    ContentGateTests.ResumptionRuleTests
    DeployTests.EndpointContractTests DeployTests.FiveMinutesTests DeployTests.FrontTests
    DeployTests.NotificationsTests DeployTests.RetiredNamesTests DeployTests.ServerProcessTests
    DeployTests.SharedCacheTests
    FrontDoorsTests.AwaitedCatalogueTests FrontDoorsTests.BakerCatalogueEndpointTests FrontDoorsTests.BakerPathsTests
    FrontDoorsTests.BasispressTests FrontDoorsTests.CacheableDocumentTests FrontDoorsTests.CloudSoftphoneTests
    FrontDoorsTests.ConsoleTests FrontDoorsTests.DocumentsTests FrontDoorsTests.EnumerationTests
    FrontDoorsTests.FailuresTests FrontDoorsTests.GuideResponsesTests FrontDoorsTests.InPlayerAccountTests
    FrontDoorsTests.InPlayerItemTests FrontDoorsTests.InPlayerPathTests FrontDoorsTests.InPlayerPurchaseTests
    FrontDoorsTests.InPlayerSDKTests FrontDoorsTests.InPlayerTokenTests FrontDoorsTests.NotificationKeysTests
    FrontDoorsTests.NotificationThrottleTests FrontDoorsTests.PugpigFeedDoorTests FrontDoorsTests.PurchaseTests
    FrontDoorsTests.SoftphonePurchaseTests FrontDoorsTests.TestUsersTests
    FuzzingTests.FuzzTargetTests
    GatefoldTests.AccountValuesTests GatefoldTests.AgreementTests GatefoldTests.AkamaiEdgeTokenTests
    GatefoldTests.CivilTimeTests GatefoldTests.ClientAddressTests GatefoldTests.CloudFrontSignedCookiesTests
    GatefoldTests.DenialCacheTests GatefoldTests.DeviceLimitTests GatefoldTests.DeviceUsesTests
    GatefoldTests.EditionPasswordTests GatefoldTests.EncodingTests GatefoldTests.ExpiringDictionaryTests
    GatefoldTests.ReaderHandleTests
    GatefoldTests.GuideTests GatefoldTests.LoginThrottleLedgerTests
    GatefoldTests.LoginThrottleWaitingTests GatefoldTests.PasswordResetTokensTests GatefoldTests.PushTokenTextTests
    GatefoldTests.SecretComparisonTests GatefoldTests.SpelledNumberTests GatefoldTests.StoreReceiptTests
    GatefoldTests.SubscriberRevocationsTests
    JSONTests.JSONParserTests JSONTests.JSONPathTests JSONTests.JSONValueTests JSONTests.JSONWriterTests
    OutgoingRequestsTests.OutgoingHTTPTests OutgoingRequestsTests.TrustTests
    PushTests.APNsClientTests PushTests.APNsVerdictTests PushTests.CampaignRunnerTests PushTests.CampaignSendingTests
    PushTests.PublishedNotifierTests
    ReceiptsTests.AmazonStoreTests ReceiptsTests.AppStoreServerTests ReceiptsTests.AppleArticleTests
    ReceiptsTests.AppleReceiptFormatTests ReceiptsTests.AppleStoreTests ReceiptsTests.GoogleAddOnTests
    ReceiptsTests.GooglePublisherTests ReceiptsTests.GoogleSignedDataTests ReceiptsTests.Pitfall18UnifiedTests
    ReceiptsTests.RevocationTests ReceiptsTests.RevokedPurchaseTests ReceiptsTests.UnifiedReceiptTests
    ReceiptsTests.VerifyReceiptTests
    ServerTests.AdminAPIBehaviourTests ServerTests.AdminAPIMatrixTests ServerTests.ConsoleMatrixTests
    ServerTests.ConsoleRequestTests ServerTests.FileSendingTests
    ServerTests.HTTP1ServerChannelTests ServerTests.PurchaseFollowerTests
    SimulationTests.PlantedFaultTests
    StateTests.AdminOutcomeConformance StateTests.AdminTokenConformance StateTests.AdminTokenRestoreTests
    StateTests.AuditLogConformance StateTests.AuditRestoreTests
    StateTests.CancelledCallTests StateTests.ChangeOrderTests StateTests.CommitOutcomeTests StateTests.DeliveryLockTests
    StateTests.LaterOpeningTests
    StateTests.LedgerModelTests StateTests.MailOutboxConformance
    StateTests.MigrationPlanTests StateTests.NodeConformance StateTests.OwnTransactionsTests
    StateTests.PostgreSQLMigratorTests StateTests.RetentionConformance StateTests.ReverificationConformance
    StateTests.RevocationFollowerTests StateTests.SQLiteAccountTests StateTests.SettlementConformance
    StateTests.SharedCounterConformance StateTests.SharedMailQueueTests StateTests.SharedPaceConformance
    StateTests.SharedLoginThrottleTests StateTests.SharedSessionLimiterTests
    StateTests.SharedStateBackupTests StateTests.StateCopyTests StateTests.TimelineConformance
)
