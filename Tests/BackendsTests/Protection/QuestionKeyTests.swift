import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("What a question is known by")
struct QuestionKeyTests {
    private let keys = QuestionKeys(secret: [UInt8](repeating: 7, count: 32), backend: "house")

    /// Every input of an answer as a flat list, to compare questions by.
    private struct Inputs: Hashable {
        var kind: Int
        var texts: [String?]
        var credentials: [String: String]
        var fields: [String: String]
    }

    private func question(_ inputs: Inputs) -> Question {
        let subscriber = Subscriber(
            backend: inputs.texts[0] ?? "", key: inputs.texts[1] ?? "", upstreamSession: inputs.texts[2])
        return switch inputs.kind {
        case 0: .recognise(Credentials(identifier: inputs.texts[0] ?? "", fields: inputs.credentials))
        case 1: .subscription(subscriber)
        case 2: .renew(subscriber)
        case 3: .verdict(inputs.texts[3].flatMap { EditionID($0) }, subscriber)
        default: .signOut(subscriber)
        }
    }

    private func key(_ inputs: Inputs) -> QuestionKey {
        keys.key(of: question(inputs), Inquiry(fields: inputs.fields))
    }

    /// Few and short, so that their concatenations collide wherever lengths were left out.
    private static let words = ["a", "b", "ab", "ba", "aa", "", "aab"]

    private func random(_ random: inout SeededRandom) -> Inputs {
        let word = { (random: inout SeededRandom) in Self.words[Int.random(in: 0..<Self.words.count, using: &random)] }
        var inputs = Inputs(kind: Int.random(in: 0...4, using: &random), texts: [], credentials: [:], fields: [:])
        for index in 0..<4 {
            inputs.texts.append(index > 1 && Bool.random(using: &random) ? nil : word(&random))
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) { inputs.credentials[word(&random)] = word(&random) }
        for _ in 0..<Int.random(in: 0...2, using: &random) { inputs.fields[word(&random)] = word(&random) }
        // What a kind of question does not have decides nothing.
        switch inputs.kind {
        case 0: inputs.texts = [inputs.texts[0], nil, nil, nil]
        case 3: inputs.texts[3] = inputs.texts[3].flatMap { $0.isEmpty ? nil : $0 }
        default: inputs.texts[3] = nil
        }
        if inputs.kind != 0 { inputs.credentials = [:] }
        return inputs
    }

    @Test("Pitfall 7: two questions that differ in any decision input never share an entry")
    func noSharing() {
        var random = SeededRandom(seed: 7)
        var seen: [QuestionKey: Inputs] = [:]
        for _ in 0..<10_000 {
            let inputs = self.random(&random)
            let key = key(inputs)
            if let other = seen[key] { #expect(other == inputs) }
            seen[key] = inputs
        }
        #expect(Set(seen.values).count == seen.count)
    }

    @Test("is the same for the same question, and another in another process or for another backend")
    func keyed() {
        let question = Question.subscription(ProtectedBench.ada)
        let key = keys.key(of: question, Inquiry())
        #expect(keys.key(of: question, Inquiry()) == key)
        let elsewhere = QuestionKeys(secret: [UInt8](repeating: 8, count: 32), backend: "house")
        #expect(elsewhere.key(of: question, Inquiry()) != key)
        let beside = QuestionKeys(secret: [UInt8](repeating: 7, count: 32), backend: "other")
        #expect(beside.key(of: question, Inquiry()) != key)
    }
}
