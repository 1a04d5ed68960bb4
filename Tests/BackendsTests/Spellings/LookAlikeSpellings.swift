import Gatefold
import Primitives
import TestSupport
import Testing

/// A reader's identifier in many spellings that a subscriber system treats as equal.
enum LookAlikeSpellings {
    private static let fields = CredentialFields(identifier: "email", proofs: ["password"])

    static func credentials(_ identifier: String, _ password: String) throws -> Credentials {
        try #require(fields.credentials(from: ["email": identifier, "password": password]))
    }

    /// Returns spellings that some system may treat as the identifier, with the given variants of each letter.
    static func candidates(
        of identifier: String, _ letters: [Character: [String]], count: Int = 1500
    ) -> [String] {
        var random = SeededRandom(seed: 22)
        var all: Set<String> = []
        for _ in 0..<(4 * count) where all.count < count {
            all.insert(
                identifier.map { ([String($0)] + (letters[$0] ?? [])).randomElement(using: &random) ?? "" }.joined())
        }
        return all.sorted { Array($0.unicodeScalars).lexicographicallyPrecedes(Array($1.unicodeScalars)) }
    }

    /// Tries to log in as a reader in 200 spellings that the system treats as equal, each from another address and
    /// with another wrong password. Returns how many attempts reached the system.
    static func loginThrottle(
        at subscriber: Subscriber, password: String, spelled candidates: [String], of backend: any SubscriberBackend
    ) async throws -> Int {
        var spellings: [String] = []
        for candidate in candidates where spellings.count < 200 {
            let right = try credentials(candidate, password)
            if try await backend.authenticate(right, context: CallContext()).value == .authenticated(subscriber) {
                spellings.append(candidate)
            }
        }
        #expect(spellings.count == 200, "the system treats \(spellings.count) spellings as one")
        let limiter = LoginThrottle()
        let pseudonymKey = PseudonymKey(Secret("Ms9yP4xT0vAz6oBr-pseudonyms"))
        let publication = try #require(PublicationID("daily"))
        let timestamp = ManualClock().wall.elapsed
        var admitted = 0
        for (number, spelling) in spellings.enumerated() {
            let tryLogin = try credentials(spelling, "guess \(number)")
            let attempt = pseudonymKey.attempt(
                tryLogin, publication: publication, device: nil, client: ClientAddress("10.0.0.\(number)"))
            guard case .proceed(let permit) = await limiter.admit(attempt, at: timestamp, isKnownDevice: { false })
            else {
                continue
            }
            admitted += 1
            await limiter.settle(permit, as: .wrong, at: timestamp)
        }
        return admitted
    }
}
