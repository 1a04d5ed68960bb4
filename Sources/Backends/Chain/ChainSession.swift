import Gatefold

/// The session data of a chain in a token: the memberships in further systems.
///
/// It is stored as the subscriber's upstream session. If there are no further memberships, it is the member's own
/// session unchanged. A token therefore remains valid when its publication moves from the member to the chain and
/// back. Otherwise it is `gatefold-chain-1;` followed by strings, each preceded by its length in bytes as in
/// netstrings: the member's own session, then the name, key and session of each further membership. A missing
/// session is `-`.
struct ChainSession: Equatable, Sendable {
    /// The member's own session.
    var own: String?
    /// The same reader in other members.
    var links: [Subscriber]

    private static let prefix = "gatefold-chain-1;"

    init(own: String?, links: [Subscriber] = []) {
        self.own = own
        self.links = links
    }

    /// Reads an upstream session. A text that no chain wrote is the member's own session, so this initialiser
    /// always succeeds.
    init(_ upstreamSession: String?) {
        self = upstreamSession.flatMap(Self.read) ?? ChainSession(own: upstreamSession)
    }

    var upstreamSession: String? {
        // An own session with the prefix is encoded too, because it would otherwise be read as chain data.
        if links.isEmpty, own?.utf8.starts(with: Self.prefix.utf8) != true { return own }
        var text = Self.prefix
        Self.write(own, to: &text)
        for link in links {
            Self.write(link.backend, to: &text)
            Self.write(link.key, to: &text)
            Self.write(link.upstreamSession, to: &text)
        }
        return text
    }

    private static func write(_ item: String?, to text: inout String) {
        text += item.map { "\($0.utf8.count):\($0)" } ?? "-"
    }

    private static func read(_ text: String) -> ChainSession? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        var rest = Array(text.utf8)[...].dropFirst(prefix.utf8.count)
        guard let own = item(&rest) else { return nil }
        var links: [Subscriber] = []
        while !rest.isEmpty {
            guard case .some(.some(let backend)) = item(&rest), case .some(.some(let key)) = item(&rest),
                let session = item(&rest)
            else { return nil }
            links.append(Subscriber(backend: backend, key: key, upstreamSession: session))
        }
        return ChainSession(own: own, links: links)
    }

    /// Reads the next string. The outer value is `nil` for malformed input, the inner value for a missing session.
    private static func item(_ rest: inout ArraySlice<UInt8>) -> String?? {
        guard let first = rest.first else { return nil }
        if first == UInt8(ascii: "-") {
            rest.removeFirst()
            return .some(nil)
        }
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), colon - rest.startIndex <= 5,
            let count = Int(String(decoding: rest[..<colon], as: UTF8.self)),
            // Only the form that `write` produces is accepted, without a sign or leading zeros.
            "\(count)".utf8.elementsEqual(rest[..<colon]), count >= 0
        else { return nil }
        let content = rest[(colon + 1)...].prefix(count)
        guard content.count == count, let text = String(validating: content, as: UTF8.self) else { return nil }
        rest = rest[(colon + 1)...].dropFirst(count)
        return text
    }
}
