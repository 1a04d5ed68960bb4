public import Foundation

/// A generator of the extra request headers that an app must send with its content requests, for an edge that
/// checks them itself. Source: Pugpig protocol, “Header elements”.
public protocol EdgeToken: Sendable {
    func headers(for grant: EdgeGrant) throws -> [EdgeHeader]
}

/// The access that the headers grant.
public struct EdgeGrant: Sendable {
    public let publication: PublicationID
    public let subscriber: Subscriber
    public let edition: EditionID
    public let issuedAt: Date
    /// The maximum expiry of the headers.
    public let expiresAt: Date
    public let client: ClientAddress?

    public init(
        publication: PublicationID, subscriber: Subscriber, edition: EditionID, issuedAt: Date, expiresAt: Date,
        client: ClientAddress?
    ) {
        self.publication = publication
        self.subscriber = subscriber
        self.edition = edition
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.client = client
    }
}

/// A header for the app to send.
public struct EdgeHeader: Sendable, Equatable {
    public let name: String
    public let value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
