public import Foundation

/// Makes the extra request headers that an app must send with its content requests, for an edge that checks them itself
/// (PROTOCOLS 1.2, `<header>`).
public protocol EdgeToken: Sendable {
    func headers(for grant: EdgeGrant) throws -> [EdgeHeader]
}

/// What the headers are to allow.
public struct EdgeGrant: Sendable {
    public let publication: PublicationID
    public let subscriber: Subscriber
    public let edition: EditionID
    public let issuedAt: Date
    /// The headers are good until this moment at most.
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

/// One header for the app to send.
public struct EdgeHeader: Sendable, Equatable {
    public let name: String
    public let value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// The headers with all cookies in one, at the place of the first: a client sends no two (RFC 6265 section 5.4).
    static func joiningCookies(_ headers: [EdgeHeader]) -> [EdgeHeader] {
        let cookies = headers.filter(\.isCookie).map(\.value).joined(separator: "; ")
        var isJoined = false
        return headers.compactMap { header in
            guard header.isCookie else { return header }
            defer { isJoined = true }
            return isJoined ? nil : EdgeHeader(name: header.name, value: cookies)
        }
    }

    private var isCookie: Bool { name.lowercased() == "cookie" }
}
