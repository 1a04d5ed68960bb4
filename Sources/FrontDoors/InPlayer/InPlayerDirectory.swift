public import Gatefold

/// The publications that have an InPlayer front door, at one moment.
public struct InPlayerDirectory: Sendable {
    private let all: [InPlayerPublication]
    private let byID: [PublicationID: InPlayerPublication]
    private let fallback: InPlayerPublication?

    /// - Parameter default: the one whose calls name none; nil for the only one.
    public init(_ all: [InPlayerPublication] = [], default: PublicationID? = nil) {
        self.all = all
        let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        self.byID = byID
        fallback = `default`.flatMap { byID[$0] } ?? (all.count == 1 ? all.first : nil)
    }

    public var isEmpty: Bool { all.isEmpty }

    public subscript(id: PublicationID) -> InPlayerPublication? { byID[id] }

    /// The publication whose app calls, by everything that a call may say of it (PROTOCOLS 5.2): its own name in front of the path,
    /// the merchant, the key of the bearer's token, or nothing.
    ///
    /// - Parameters:
    ///   - merchant: the merchant's uuid or a client's name, wherever the call has one.
    ///   - key: what the bearer's token says that it was signed with.
    /// - Throws: a refusal where the merchant is not one of ours, or another's.
    func publication(
        named prefix: PublicationID?, merchant: String?, key: String?
    ) throws(InPlayerRefusal) -> InPlayerPublication {
        if let prefix, let named = byID[prefix] {
            if let merchant, !named.settings.isNamed(by: merchant) { throw .unknownMerchant }
            return named
        }
        if let merchant {
            guard let named = all.first(where: { $0.settings.isNamed(by: merchant) }) else { throw .unknownMerchant }
            return named
        }
        if let key, let signer = all.first(where: { $0.tokens.keys[key] != nil }) { return signer }
        guard let fallback else { throw .unknownMerchant }
        return fallback
    }

    /// What pages of an origin are answered before it is known whom they ask.
    func origin(_ origin: String?) -> String? {
        for publication in all {
            if let answer = publication.settings.origins.answer(to: origin) { return answer }
        }
        return nil
    }

    var keys: [SigningKeys.Key] { all.flatMap(\.tokens.keys.all) }
    var publishedKeys: [SigningKeys] { all.map(\.tokens.keys) }
}
