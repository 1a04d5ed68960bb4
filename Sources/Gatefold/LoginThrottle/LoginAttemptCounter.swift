/// A counter of login attempts.
enum LoginAttemptCounter: Hashable, Sendable {
    /// All identifiers with the same look-alike skeleton, see ``LookAlikeSkeleton``. An attempt may have several of
    /// these counters.
    case reader([UInt8])
    /// The subscriber that the backend found, regardless of the typed identifier.
    case subscriber(SubscriberPseudonym)
    case address(ClientAddress)
    case network(ClientAddress)
    /// All clients behind a proxy that is not listed as trusted.
    case proxy(ClientAddress)
    /// A known device of a reader.
    case device([UInt8])
    /// A reader at an address of a recent sign-in.
    case place(LoginAttemptLocation)

    enum Kind: Int, CaseIterable {
        case reader, subscriber, address, network, proxy, device, place
    }

    var kind: Kind {
        switch self {
        case .reader: .reader
        case .subscriber: .subscriber
        case .address: .address
        case .network: .network
        case .proxy: .proxy
        case .device: .device
        case .place: .place
        }
    }
}

/// An identifier exactly as typed, with an address. A place grants attempts only to a reader who signed in with the
/// same spelling, so no two spellings share a place.
struct LoginAttemptLocation: Hashable, Sendable {
    let identifier: [UInt8]
    let address: ClientAddress
}

extension LoginAttemptCounter {
    /// Returns the counters of a reader at any device and address.
    static func all(of attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?) -> [LoginAttemptCounter] {
        (attempt?.skeletons ?? []).map { .reader($0) } + (subscriber.map { [.subscriber($0)] } ?? [])
    }
}
