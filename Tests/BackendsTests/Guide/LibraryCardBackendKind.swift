import Gatefold
import Settings

@testable import Backends

/// Readers with a library card, `kind: library_card`: the number of a card of the library opens all editions.
struct LibraryCardBackendKind: BackendKind {
    static let name = "library_card"
    private let name: String
    private let prefix: String

    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        prefix = try settings.requiredString("prefix", expected: "the digits that the library's cards begin with")
    }

    /// The number is all there is to know: a publication that asks for a password, too, is refused at the start.
    var checkedProofs: Set<String>? { [] }
    /// It asks nothing outside the process, so there is nothing to protect.
    var isRemote: Bool { false }

    func open(_ services: BackendServices) -> any SubscriberBackend {
        LibraryCardBackend(name: name, prefix: prefix)
    }
}

struct LibraryCardBackend: SubscriberBackend {
    let name: String
    let prefix: String

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        let card = credentials.identifier
        guard card.hasPrefix(prefix), Self.isValid(card) else { return .rejected(message: nil) }
        return .authenticated(Subscriber(backend: name, key: card))
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        guard subscriber.key.hasPrefix(prefix) else { return Fetched(Subscription(state: .unknown)) }
        return Fetched(Subscription(state: .active, entitlement: .allEditions))
    }

    /// The check digit of ISO/IEC 7812-1 annex B.
    static func isValid(_ number: String) -> Bool {
        let digits = number.compactMap(\.wholeNumberValue)
        guard digits.count == number.count, digits.count >= 8 else { return false }
        let sum = digits.reversed().enumerated().reduce(0) { sum, item in
            let value = item.offset.isMultiple(of: 2) ? item.element : item.element * 2
            return sum + value / 10 + value % 10
        }
        return sum.isMultiple(of: 10)
    }
}
