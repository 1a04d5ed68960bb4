import Gatefold

/// What a chain keeps in a token beside the member that answered: the memberships in further systems.
///
/// It travels as the subscriber's upstream session. Where there is nothing to add, that is the member's own session as it
/// is, so that a token stays good when its publication moves from the member alone to the chain, and back. Else it is
/// `gatefold-chain-1;` followed by texts, each behind its length in bytes, as in netstrings: the member's own session, then
/// name, key and session of each further one. A session that is not there is `-`.
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

    /// Total: what no chain wrote is a member's own session.
    init(_ upstreamSession: String?) {
        self = upstreamSession.flatMap(Self.read) ?? ChainSession(own: upstreamSession)
    }

    var upstreamSession: String? {
        // An own session that looks like ours would be read as ours.
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

    /// Nil for what can not be read; a nil inside for a session that is not there.
    private static func item(_ rest: inout ArraySlice<UInt8>) -> String?? {
        guard let first = rest.first else { return nil }
        if first == UInt8(ascii: "-") {
            rest.removeFirst()
            return .some(nil)
        }
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), colon - rest.startIndex <= 5,
            let count = Int(String(decoding: rest[..<colon], as: UTF8.self)),
            // Only as we write it, without signs and zeros in front.
            "\(count)".utf8.elementsEqual(rest[..<colon]), count >= 0
        else { return nil }
        let content = rest[(colon + 1)...].prefix(count)
        guard content.count == count, let text = String(validating: content, as: UTF8.self) else { return nil }
        rest = rest[(colon + 1)...].dropFirst(count)
        return text
    }
}
