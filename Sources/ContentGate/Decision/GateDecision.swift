public import Gatefold
public import HTTPTypes

/// A decision of the gate about a request.
public enum GateDecision: Sendable, Equatable {
    case allowed(AllowedContent)
    case denied(GateDenial)
}

/// Content that may be served, and the known facts about the reader.
public struct AllowedContent: Sendable, Equatable {
    /// The reason why the content may be served.
    public enum Reason: String, Sendable {
        /// The layout leaves the content open.
        case open
        /// The edition is free.
        case free
        case credentials
        /// Credentials that are too late to start a download and in time to resume one; see `ResumptionRule`.
        case resumption
        case feed
    }

    public let publication: PublicationID
    /// The path that was checked and that is to be served.
    public let path: NormalisedPath
    /// The segments of ``path`` below the layout's prefix.
    public let relativeSegments: [String]
    /// The directory of the layout, or `nil` if the layout names none.
    public let root: String?
    /// The edition that the rule used, or `nil` for open paths and the feed, which need no edition.
    public let edition: EditionID?
    /// The reader, if a sealed salt or a token names one.
    public let subscriber: SubscriberPseudonym?
    public let reason: Reason
}

/// The reason why content may not be served. It is for logs and metrics only: the client learns only the status.
public struct GateDenial: Sendable, Equatable {
    public enum Reason: Sendable, Hashable {
        case method
        case severalAuthorizations
        /// More than one ``DownloadToken``, or a ticket together with an `Authorization` header.
        case severalCredentials
        case path(PathRejection)
        case unknownPrefix
        case noEdition
        case missingCredentials
        case malformedCredentials
        case wrongPassword
        /// A valid pair with a plain salt, where only sealed salts are issued.
        case unsealedSalt
        case expired
        case revoked
        /// Missing or wrong feed credentials for a path that needs them.
        case feedCredentials
        /// Expired credentials that may resume, with a response that begins at the start of the file.
        case resumptionFromStart
        /// An allowed download of a file that does not exist.
        case fileMissing
        /// A call of the auth-request endpoint by a peer that is not trusted.
        case untrustedPeer
        /// A call of the auth-request endpoint that names no target, or more than one.
        case forwardedTarget
    }

    public let reason: Reason
    public let publication: PublicationID?
    public let edition: EditionID?
    public let subscriber: SubscriberPseudonym?

    init(
        _ reason: Reason, publication: PublicationID? = nil, edition: EditionID? = nil,
        subscriber: SubscriberPseudonym? = nil
    ) {
        self.reason = reason
        self.publication = publication
        self.edition = edition
        self.subscriber = subscriber
    }

    /// The status of the response: 400 for credentials that are sent twice, 404 for a missing file, otherwise 403 and
    /// never 401.
    ///
    /// Source: Pitfall 11, “Header spoofing”; Edition credentials and the content gate, “Refusals are 403”.
    public var status: HTTPResponse.Status {
        switch reason {
        case .severalAuthorizations, .severalCredentials: .badRequest
        case .fileMissing: .notFound
        default: .forbidden
        }
    }
}

extension GateDenial.Reason: CustomStringConvertible {
    /// A short name from a fixed set, suitable as a metric label.
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
        case .fileMissing: "file_missing"
        case .untrustedPeer: "untrusted_peer"
        case .forwardedTarget: "forwarded_target"
        }
    }
}
