public import Foundation

/// One app or title: its sign-in fields, entitlement rule and lifetimes.
public struct Publication: Sendable {
    public let id: PublicationID
    public var credentialFields: CredentialFields
    public var rule: EntitlementRule
    public var lifetimes: Lifetimes
    public var saltFormat: SaltFormat
    /// The request field that contains the app's device identifier, or nil if the publication does not distinguish
    /// devices.
    public var deviceField: String?
    /// The device limit, or nil for no limit. It has no effect without a ``deviceField``.
    public var deviceLimit: DeviceLimit?
    /// A Boolean value that indicates whether a sign-in without a device is rejected.
    ///
    /// Otherwise a client can evade the device limit by omitting the field. It has no effect without a
    /// ``deviceField``.
    public var requiresDevice: Bool
    /// A Boolean value that indicates whether sign-in also returns the password of the feed
    /// (`global_auth_password`). Source: Pugpig protocol, “Attribute with the feed password”.
    public var issuesFeedPassword: Bool
    /// A Boolean value that indicates whether a token holder gets short-lived credentials while the backend is
    /// unavailable. Source: Design rules, “Fail open is explicit and short”.
    public var failsOpen: Bool
    public var messages: Messages
    /// A Boolean value that indicates whether results contain notes for the app's developer. Source: Design rules,
    /// “Debug comments reveal nothing”.
    public var hasDebugNotes: Bool
    /// The generator of extra request headers for an edge, or nil if no edge checks requests itself.
    public var edgeToken: (any EdgeToken)?

    public init(
        id: PublicationID, credentialFields: CredentialFields, rule: EntitlementRule,
        lifetimes: Lifetimes = Lifetimes(),
        saltFormat: SaltFormat = .sealed, deviceField: String? = nil, deviceLimit: DeviceLimit? = nil,
        requiresDevice: Bool = false, issuesFeedPassword: Bool = false, failsOpen: Bool = false,
        messages: Messages = Messages(),
        hasDebugNotes: Bool = false, edgeToken: (any EdgeToken)? = nil
    ) {
        self.id = id
        self.credentialFields = credentialFields
        self.rule = rule
        self.lifetimes = lifetimes
        self.saltFormat = saltFormat
        self.deviceField = deviceField
        self.deviceLimit = deviceLimit
        self.requiresDevice = requiresDevice
        self.issuesFeedPassword = issuesFeedPassword
        self.failsOpen = failsOpen
        self.messages = messages
        self.hasDebugNotes = hasDebugNotes
        self.edgeToken = edgeToken
    }
}

/// The lifetimes of a publication's tokens and credentials, in seconds.
public struct Lifetimes: Sendable, Equatable {
    public var token: TimeInterval
    /// The time after its expiry during which a token can still be renewed.
    public var renewalWindow: TimeInterval
    public var editionCredentials: TimeInterval
    /// The lifetime of edition credentials issued while the backend is unavailable.
    public var failOpenCredentials: TimeInterval
    /// The lifetime of credentials in a URL.
    public var downloadToken: TimeInterval
    /// The time after the expiry of its credentials during which a download may be resumed.
    public var resumeWindow: TimeInterval

    public init(
        token: TimeInterval = 30 * 86_400, renewalWindow: TimeInterval = 60 * 86_400,
        editionCredentials: TimeInterval = 86_400, failOpenCredentials: TimeInterval = 600,
        downloadToken: TimeInterval = 600, resumeWindow: TimeInterval = 6 * 3600
    ) {
        self.token = token
        self.renewalWindow = renewalWindow
        self.editionCredentials = editionCredentials
        self.failOpenCredentials = failOpenCredentials
        self.downloadToken = downloadToken
        self.resumeWindow = resumeWindow
    }
}
