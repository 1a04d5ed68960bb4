public import Gatefold
public import HTTPTypes

/// What the gate says about a request.
public enum GateDecision: Sendable, Equatable {
    case allowed(AllowedContent)
    case refused(GateRefusal)
}

/// Content that may be served, and what is known about the reader.
public struct AllowedContent: Sendable, Equatable {
    /// Why it may be served.
    public enum Reason: String, Sendable {
        /// The layout leaves it open.
        case open
        /// The edition is free.
        case free
        case credentials
        /// Credentials that are too late to begin a download and in time to resume one; see ``ResumptionRule``.
        case resumption
        case feed
    }

    public let publication: PublicationID
    /// What was checked, and what is to be served.
    public let path: NormalisedPath
    /// The segments of ``path`` below the layout's prefix.
    public let relativeSegments: [String]
    /// The directory of the layout, where it names one.
    public let root: String?
    /// The edition the rule saw; nil for open paths and the feed, where none was looked for.
    public let edition: EditionID?
    /// Known where a sealed salt or a token named the reader.
    public let subscriber: SubscriberReference?
    public let reason: Reason
}

/// Why content may not be served. For logs and metrics only: the client learns the status and nothing else.
public struct GateRefusal: Sendable, Equatable {
    public enum Reason: Sendable, Hashable {
        case method
        case severalAuthorizations
        /// More than one ``Ticket``, or one beside an `Authorization` header.
        case severalCredentials
        case path(PathRefusal)
        case unknownPrefix
        case noEdition
        case missingCredentials
        case malformedCredentials
        case wrongPassword
        /// A good pair with a plain salt where only sealed ones are issued.
        case unsealedSalt
        case expired
        case revoked
        /// Feed credentials were wanted, and these are none that are good.
        case feedCredentials
        /// Expired credentials that may resume were about to get a file from its beginning.
        case resumptionFromStart
        /// The auth-request endpoint was asked by a peer that is not trusted.
        case untrustedPeer
        /// The auth-request endpoint was not told the target, or was told more than one.
        case forwardedTarget
    }

    public let reason: Reason
    public let publication: PublicationID?
    public let edition: EditionID?
    public let subscriber: SubscriberReference?

    init(
        _ reason: Reason, publication: PublicationID? = nil, edition: EditionID? = nil,
        subscriber: SubscriberReference? = nil
    ) {
        self.reason = reason
        self.publication = publication
        self.edition = edition
        self.subscriber = subscriber
    }

    /// 400 for credentials given twice (PITFALLS row 11), else 403 and never 401 (PROTOCOLS 1.5).
    public var status: HTTPResponse.Status {
        switch reason {
        case .severalAuthorizations, .severalCredentials: .badRequest
        default: .forbidden
        }
    }
}

extension GateRefusal.Reason: CustomStringConvertible {
    /// A short name, one of few, fit for a metric's label.
    public var description: String {
        switch self {
        case .method: "method"
        case .severalAuthorizations: "several_authorizations"
        case .severalCredentials: "several_credentials"
        case .path: "path"
        case .unknownPrefix: "unknown_prefix"
        case .noEdition: "no_edition"
        case .missingCredentials: "missing_credentials"
        case .malformedCredentials: "malformed_credentials"
        case .wrongPassword: "wrong_password"
        case .unsealedSalt: "unsealed_salt"
        case .expired: "expired"
        case .revoked: "revoked"
        case .feedCredentials: "feed_credentials"
        case .resumptionFromStart: "resumption_from_start"
        case .untrustedPeer: "untrusted_peer"
        case .forwardedTarget: "forwarded_target"
        }
    }
}
