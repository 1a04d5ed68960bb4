import Gatefold
import TestSupport
import Testing

/// A reader's identifier in many spellings that a subscriber system takes for one.
enum LookAlikeSpellings {
    private static let fields = CredentialFields(identifier: "email", proofs: ["password"])

    static func credentials(_ identifier: String, _ password: String) throws -> Credentials {
        try #require(fields.credentials(from: ["email": identifier, "password": password]))
    }

    /// Spellings that some system may take for the identifier, each letter in the ways given for it.
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

    /// Guesses at a reader in 200 spellings that the system takes for one, from as many addresses, each another wrong
    /// password, until one is right. Returns how many the system was asked to decide.
    static func guesses(
        at subscriber: Subscriber, password: String, spelled candidates: [String], of backend: any SubscriberBackend
    ) async throws -> Int {
        var spellings: [String] = []
        for candidate in candidates where spellings.count < 200 {
            let right = try credentials(candidate, password)
            if try await backend.recognise(right, inquiry: Inquiry()) == .recognised(subscriber) {
                spellings.append(candidate)
            }
        }
        #expect(spellings.count == 200, "the system takes \(spellings.count) spellings for one")
        let limiter = GuessLimiter()
        let references = ReferenceKey(Secret("Ms9yP4xT0vAz6oBr-references"))
        let publication = try #require(PublicationID("daily"))
        let moment = ManualClock().wall.elapsed
        var decided = 0
        for (number, spelling) in spellings.enumerated() {
            let guess = try credentials(spelling, "guess \(number)")
            let attempt = references.attempt(
                guess, publication: publication, device: nil, client: ClientAddress("10.0.0.\(number)"))
            guard case .proceed(let ticket) = await limiter.admit(attempt, at: moment, isAcquainted: { false }) else {
                continue
            }
            decided += 1
            limiter.settle(ticket, as: .wrong, at: moment)
        }
        return decided
    }
}
