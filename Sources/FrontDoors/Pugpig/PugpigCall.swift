import Gatefold

/// The calls of the Pugpig security API (PROTOCOLS 1.1); the raw value is the name in the path.
enum PugpigCall: String, CaseIterable, Sendable {
    case signIn = "sign_in"
    case renewToken = "renew_token"
    /// The same by its short name.
    case renew
    case verifySubscription = "verify_subscription"
    case editionCredentials = "edition_credentials"
    case signOut = "sign_out"

    /// Whether this is a path of the call, spelt exactly: `/NAME` or `/PUBLICATION/NAME`, with or without one slash at
    /// the end. The router is more generous; a cache in between may not be (PITFALLS row 16).
    func publication(in path: some StringProtocol) -> Addressed? {
        var path = Substring(path)
        return path.withUTF8 { publication(in: $0[...]) }
    }

    private func publication(in path: Slice<UnsafeBufferPointer<UInt8>>) -> Addressed? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        var path = path.dropFirst()
        if path.last == UInt8(ascii: "/") { path = path.dropLast() }
        let name = rawValue.utf8
        guard path.suffix(name.count).elementsEqual(name) else { return nil }
        path = path.dropLast(name.count)
        if path.isEmpty { return .theDefault }
        guard path.last == UInt8(ascii: "/") else { return nil }
        path = path.dropLast()
        guard !path.contains(UInt8(ascii: "/")) else { return nil }
        return PublicationID(String(decoding: path, as: UTF8.self)).map { .named($0) }
    }

    enum Addressed: Equatable {
        case theDefault
        case named(PublicationID)
    }
}
