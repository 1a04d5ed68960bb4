public import Gatefold

/// The publications that have an InPlayer front door, at one time.
public struct InPlayerDirectory: Sendable {
    private let all: [InPlayerPublication]
    private let byID: [PublicationID: InPlayerPublication]
    private let fallback: InPlayerPublication?

    /// - Parameters:
    ///   - all: The publications.
    ///   - default: The publication of calls that name none. With `nil`, the only publication, if there is exactly one.
    public init(_ all: [InPlayerPublication] = [], default: PublicationID? = nil) {
        self.all = all
        let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        self.byID = byID
        fallback = `default`.flatMap { byID[$0] } ?? (all.count == 1 ? all.first : nil)
    }

    public var isEmpty: Bool { all.isEmpty }

    public subscript(id: PublicationID) -> InPlayerPublication? { byID[id] }

    /// Returns the publication of the calling app, by any of the values that a call may contain: the publication's
    /// name in front of the path, the merchant, the key of the bearer token, or none.
    ///
    /// - Parameters:
    ///   - merchant: The merchant's uuid or a client's name, anywhere in the call.
    ///   - key: The signing key that the bearer token names.
    ///   - needsToken: Whether the call requires a token. The error is then the missing token and not the merchant.
    /// - Throws: ``InPlayerRejection`` if the merchant is unknown, or belongs to another publication.
    func publication(
        named prefix: PublicationID?, merchant: String?, key: String?, needsToken: Bool = false
    ) throws(InPlayerRejection) -> InPlayerPublication {
        if let prefix, let named = byID[prefix] {
            if let merchant, !named.settings.isNamed(by: merchant) { throw .unknownMerchant }
            return named
        }
        if let merchant {
            guard let named = all.first(where: { $0.settings.isNamed(by: merchant) }) else { throw .unknownMerchant }
            return named
        }
        if let key, let signer = all.first(where: { $0.tokens.keys[key] != nil }) { return signer }
        guard let fallback else {
            throw needsToken ? .notSignedIn(key == nil ? .tokenMissing : .tokenUnreadable) : .unknownMerchant
        }
        return fallback
    }

    /// Returns the allowed origin for the pages of an origin, before the publication of the call is known.
    func origin(_ origin: String?) -> String? {
        for publication in all {
            if let response = publication.settings.origins.response(to: origin) { return response }
        }
        return nil
    }

    var keys: [SigningKeys.Key] { all.flatMap(\.tokens.keys.all) }
    var publishedKeys: [SigningKeys] { all.map(\.tokens.keys) }
}
