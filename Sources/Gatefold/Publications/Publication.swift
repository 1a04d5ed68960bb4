public import Foundation

/// One app or title: what its readers sign in with, what they may read, and for how long an answer is good.
public struct Publication: Sendable {
    public let id: PublicationID
    public var credentialFields: CredentialFields
    public var rule: EntitlementRule
    public var lifetimes: Lifetimes
    public var saltForm: SaltForm
    /// The request field in which the app names its device; nil when devices are not told apart.
    public var deviceField: String?
    /// Nil admits any number. Has no effect without a ``deviceField``.
    public var deviceLimit: DeviceLimit?
    /// Whether a sign-in that names no device is refused: without that, leaving the field out is a way around the limit.
    /// Has no effect without a ``deviceField``.
    public var requiresDevice: Bool
    /// Whether sign-in also hands out the password of the feed (`global_auth_password`, PROTOCOLS 1.2).
    public var issuesFeedPassword: Bool
    /// Whether a token holder gets short-lived credentials while the backend can not be asked (DESIGN rule 7).
    public var failsOpen: Bool
    public var messages: Messages
    /// Whether answers carry comments for the app's developer (DESIGN rule 8).
    public var hasDebugComments: Bool
    public var edgeTokens: [any EdgeToken]

    public init(
        id: PublicationID, credentialFields: CredentialFields, rule: EntitlementRule,
        lifetimes: Lifetimes = Lifetimes(),
        saltForm: SaltForm = .sealed, deviceField: String? = nil, deviceLimit: DeviceLimit? = nil,
        requiresDevice: Bool = false, issuesFeedPassword: Bool = false, failsOpen: Bool = false,
        messages: Messages = Messages(),
        hasDebugComments: Bool = false, edgeTokens: [any EdgeToken] = []
    ) {
        self.id = id
        self.credentialFields = credentialFields
        self.rule = rule
        self.lifetimes = lifetimes
        self.saltForm = saltForm
        self.deviceField = deviceField
        self.deviceLimit = deviceLimit
        self.requiresDevice = requiresDevice
        self.issuesFeedPassword = issuesFeedPassword
        self.failsOpen = failsOpen
        self.messages = messages
        self.hasDebugComments = hasDebugComments
        self.edgeTokens = edgeTokens
    }
}

/// How long a publication's answers are good, in seconds.
public struct Lifetimes: Sendable, Equatable {
    public var token: TimeInterval
    /// For so long after its expiry a token can still be renewed.
    public var renewalWindow: TimeInterval
    public var editionCredentials: TimeInterval
    /// Of edition credentials handed out while the backend could not be asked.
    public var failOpenCredentials: TimeInterval
    /// Of credentials that travel in a URL.
    public var ticket: TimeInterval
    /// For so long after the expiry of its credentials a download may be resumed.
    public var resumeWindow: TimeInterval

    public init(
        token: TimeInterval = 30 * 86_400, renewalWindow: TimeInterval = 60 * 86_400,
        editionCredentials: TimeInterval = 86_400, failOpenCredentials: TimeInterval = 600,
        ticket: TimeInterval = 600, resumeWindow: TimeInterval = 6 * 3600
    ) {
        self.token = token
        self.renewalWindow = renewalWindow
        self.editionCredentials = editionCredentials
        self.failOpenCredentials = failOpenCredentials
        self.ticket = ticket
        self.resumeWindow = resumeWindow
    }
}
