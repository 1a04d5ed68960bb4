import Gatefold

/// The calls of the Pugpig security API. The raw value is the name in the path.
///
/// Source: Pugpig protocol, “Calls and paths”.
enum PugpigCall: String, CaseIterable, Sendable {
    case signIn = "sign_in"
    case renewToken = "renew_token"
    /// The short name of `renewToken`.
    case renew
    case verifySubscription = "verify_subscription"
    case editionCredentials = "edition_credentials"
    case signOut = "sign_out"

    var refusedCall: RefusedCall {
        switch self {
        case .signIn: .signIn
        case .renewToken, .renew: .renewal
        case .verifySubscription: .verification
        case .editionCredentials: .editionCredentials
        case .signOut: .signOut
        }
    }

    /// Returns the publication that a path of the call addresses, or `nil` for any other path.
    ///
    /// The spelling must be exact: `/NAME` or `/PUBLICATION/NAME`, with or without one slash at the end. The router
    /// accepts more spellings, but a cache between may not treat them as the same path.
    ///
    /// Source: Pitfall 16, “Responses stored by shared caches”.
    func publication(in path: some StringProtocol) -> PublicationSelector? {
        var path = Substring(path)
        return path.withUTF8 { publication(in: $0[...]) }
    }

    private func publication(in path: Slice<UnsafeBufferPointer<UInt8>>) -> PublicationSelector? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        var path = path.dropFirst()
        if path.last == UInt8(ascii: "/") { path = path.dropLast() }
        let name = rawValue.utf8
        guard path.suffix(name.count).elementsEqual(name) else { return nil }
        path = path.dropLast(name.count)
        if path.isEmpty { return .defaultPublication }
        guard path.last == UInt8(ascii: "/") else { return nil }
        path = path.dropLast()
        guard !path.contains(UInt8(ascii: "/")) else { return nil }
        return PublicationID(String(decoding: path, as: UTF8.self)).map { .named($0) }
    }

    enum PublicationSelector: Equatable {
        case defaultPublication
        case named(PublicationID)
    }
}
