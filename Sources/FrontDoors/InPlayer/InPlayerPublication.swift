public import Accounts
public import Foundation
public import Gatefold
public import Primitives

/// A publication for apps that are built on InPlayer's SDKs.
public struct InPlayerPublication: Sendable {
    public let settings: InPlayerSettings
    /// The authorization service for tokens that can be renewed.
    public let authorizationService: AuthorizationService
    /// The authorization service for the sessions inside access tokens.
    let access: AuthorizationService
    let accounts: AccountService
    let signedIn: AccountService
    let tokens: AccessTokens
    let tools: InPlayerTools
    let downloads: DownloadSite?
    let itemCatalogues = ItemCatalogueCache()

    /// - Parameters:
    ///   - settings: The settings of the front door.
    ///   - authorizationService: The use cases of the publication.
    ///   - accountStore: The store of accounts and item numbers.
    ///   - secrets: The token secrets of the publication. All other keys are derived from them.
    ///   - issuer: The issuer that access tokens name.
    ///   - passwords: The rule for passwords that readers choose.
    ///   - resetTokenLifetime: The lifetime of a password reset token, in seconds. Default: 3,600 s.
    ///   - downloads: The location of editions, or `nil` if Gatefold does not protect them.
    ///   - tools: The services that all publications share.
    ///   - sharedRegistryPublications: The revocations of other publications that share the registry.
    ///   - registrationThrottle: The limit on the attempts of signed-in readers that are checked.
    ///   - ledger: The ledger from which a reader's purchases are erased. With `nil`, the publication's ledger, if it
    ///     sells products.
    public init(
        _ settings: InPlayerSettings, authorizationService: AuthorizationService,
        accountStore: any AccountStore & ItemNumberStore, secrets: SecretRing,
        issuer: String = "gatefold", passwords: PasswordRule = PasswordRule(), resetTokenLifetime: TimeInterval = 3600,
        downloads: DownloadSite? = nil, tools: InPlayerTools = InPlayerTools(),
        sharedRegistryPublications: [RevocationList] = [],
        registrationThrottle: any LoginThrottling = UnlimitedLoginAttempts(), ledger: (any PurchaseErasing)? = nil
    ) {
        self.settings = settings
        self.authorizationService = authorizationService
        self.downloads = downloads
        self.tools = tools
        let id = authorizationService.publication.id
        tokens = AccessTokens(
            publication: id, secrets: secrets, issuer: issuer, lifetime: settings.accessTokenLifetime,
            random: tools.random)
        access = authorizationService.with(tokens: tokens.codec)
        accounts = AccountService(
            authorizationService: authorizationService, accountStore: accountStore, secrets: secrets,
            passwords: passwords, resetTokenLifetime: resetTokenLifetime,
            sharedRegistryPublications: sharedRegistryPublications, registrationThrottle: registrationThrottle,
            ledger: ledger)
        signedIn = AccountService(
            authorizationService: access, accountStore: accountStore, secrets: secrets, passwords: passwords,
            resetTokenLifetime: resetTokenLifetime,
            sharedRegistryPublications: sharedRegistryPublications, registrationThrottle: registrationThrottle,
            ledger: ledger)
    }

    var id: PublicationID { authorizationService.publication.id }
    var now: Date { authorizationService.now }
    /// The monotonic time for durations, see `WallClock`.
    var elapsed: TimeInterval { authorizationService.elapsed }
}

/// The services that all publications share, which outlive their settings.
public struct InPlayerTools: Sendable {
    /// The e-mail service. With `nil`, calls that would send an e-mail message are rejected.
    public var mail: InPlayerMail?
    /// The publisher of notifications to apps, or `nil` for none.
    public var notificationPublisher: (any NotificationPublisher)?
    /// The issuer of notification keys, or `nil` if apps cannot subscribe.
    public var notificationKeys: (any NotificationKeyIssuing)?
    /// The PIN codes, or `nil` if no e-mail can be sent.
    public var codes: PINCodes?
    public var mailLimit: MailRateLimiter
    /// The pace of e-mail that anyone can request. It is separate, so that many requests do not delay other e-mail
    /// to readers.
    public var forgotPasswordPace: MailRateLimiter
    public var random: RandomSource

    public init(
        mail: InPlayerMail? = nil, notificationPublisher: (any NotificationPublisher)? = nil,
        notificationKeys: (any NotificationKeyIssuing)? = nil,
        random: RandomSource = .system
    ) {
        self.mail = mail
        self.notificationPublisher = notificationPublisher
        self.notificationKeys = notificationKeys
        self.random = random
        mailLimit = MailRateLimiter()
        forgotPasswordPace = MailRateLimiter()
    }
}
