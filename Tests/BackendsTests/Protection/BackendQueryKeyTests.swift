import Gatefold
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

@Suite("Backend query keys")
struct BackendQueryKeyTests {
    private let keys = BackendQueryKeys(secret: [UInt8](repeating: 7, count: 32), backend: "house")

    /// All inputs of a query as a flat list, for comparison in the tests.
    private struct Inputs: Hashable {
        var kind: Int
        var texts: [String?]
        var credentials: [String: String]
        var fields: [String: String]
    }

    private func key(_ inputs: Inputs) -> BackendQueryKey {
        let subscriber = Subscriber(
            backend: inputs.texts[0] ?? "", key: inputs.texts[1] ?? "", upstreamSession: inputs.texts[2])
        return switch inputs.kind {
        case 0:
            keys.key(
                of: AuthenticationQuery(
                    credentials: Credentials(identifier: inputs.texts[0] ?? "", fields: inputs.credentials)),
                inputs.fields)
        case 1: keys.key(of: SubscriptionQuery(subscriber: subscriber), inputs.fields)
        case 2: keys.key(of: RenewalQuery(subscriber: subscriber), inputs.fields)
        case 3:
            keys.key(
                of: VerdictQuery(edition: inputs.texts[3].flatMap { EditionID($0) }, subscriber: subscriber),
                inputs.fields)
        default: keys.key(of: SignOutQuery(subscriber: subscriber), inputs.fields)
        }
    }

    /// Few, short strings, so that their concatenations collide if the key leaves lengths out.
    private static let words = ["a", "b", "ab", "ba", "aa", "", "aab"]

    private func random(_ random: inout SeededRandom) -> Inputs {
        let word = { (random: inout SeededRandom) in Self.words[Int.random(in: 0..<Self.words.count, using: &random)] }
        var inputs = Inputs(kind: Int.random(in: 0...4, using: &random), texts: [], credentials: [:], fields: [:])
        for index in 0..<4 {
            inputs.texts.append(index > 1 && Bool.random(using: &random) ? nil : word(&random))
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) { inputs.credentials[word(&random)] = word(&random) }
        for _ in 0..<Int.random(in: 0...2, using: &random) { inputs.fields[word(&random)] = word(&random) }
        // Clears the inputs that this kind of query does not have.
        switch inputs.kind {
        case 0: inputs.texts = [inputs.texts[0], nil, nil, nil]
        case 3: inputs.texts[3] = inputs.texts[3].flatMap { $0.isEmpty ? nil : $0 }
        default: inputs.texts[3] = nil
        }
        if inputs.kind != 0 { inputs.credentials = [:] }
        return inputs
    }

    @Test("Pitfall 7: two queries that differ in any input never share a cache key")
    func noSharing() {
        var random = SeededRandom(seed: 7)
        var seen: [BackendQueryKey: Inputs] = [:]
        for _ in 0..<10_000 {
            let inputs = self.random(&random)
            let key = key(inputs)
            if let other = seen[key] { #expect(other == inputs) }
            seen[key] = inputs
        }
        #expect(Set(seen.values).count == seen.count)
    }

    @Test("A digest is stable for equal queries and differs by secret and by backend")
    func keyed() {
        let query = AuthenticationQuery(credentials: Credentials(identifier: "ada", fields: [:]))
        let key = keys.key(of: query, [:])
        #expect(keys.key(of: query, [:]) == key)
        let elsewhere = BackendQueryKeys(secret: [UInt8](repeating: 8, count: 32), backend: "house")
        #expect(elsewhere.key(of: query, [:]) != key)
        let alongside = BackendQueryKeys(secret: [UInt8](repeating: 7, count: 32), backend: "other")
        #expect(alongside.key(of: query, [:]) != key)
    }

    @Test("A subscriber with a long upstream session is in no key, because the key would take much memory")
    func length() {
        let subscriber = Subscriber(backend: "house", key: "ada", upstreamSession: String(repeating: "s", count: 513))
        for key in [
            keys.key(of: SubscriptionQuery(subscriber: subscriber), [:]),
            keys.key(of: VerdictQuery(edition: nil, subscriber: subscriber), [:]),
        ] {
            guard case .digest = key else {
                Issue.record("\(key)")
                return
            }
        }
    }
}
