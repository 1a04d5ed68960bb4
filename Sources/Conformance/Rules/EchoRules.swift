import Gatefold
import XML

/// What came in must not come out again (DESIGN rules 8 and 9, PITFALLS row 20).
enum EchoRules {
    static let all = [token, password, secret]

    static let token = Rule(
        "echo-token", "No answer repeats the token, in comments or elsewhere", source: "DESIGN rule 8; PITFALLS 20",
        fix: "Leave the token out of comments, messages and headers: it is the reader's key."
    ) { evidence in
        let asked = evidence.direct.filter { $0.answer != nil && !tokens(of: $0).isEmpty }
        return .each(asked, none: "no call was made with a token") { exchange in
            // Where it belongs: in <token>, and for another rule in <userid>.
            let elements = ["token", XMLElement.dovetailToken, "userid"]
            return tokens(of: exchange).lazy.compactMap { Trace.place(of: $0, in: exchange, without: elements) }.first
                .map { "it stands in \($0)" }
        }
    }

    /// The one that was sent, whatever it is worth, and the one that was given.
    private static func tokens(of exchange: Exchange) -> [String] {
        let sent = exchange.probe.call == .signIn ? [] : exchange.probe.fields.filter { $0.name == "token" }
        return sent.map(\.value) + [exchange.root?.token].compactMap(\.self)
    }

    static let password = Rule(
        "echo-password", "No answer repeats what a reader typed to prove who they are",
        source: "DESIGN rule 8; PITFALLS 20",
        fix: "Leave the password out of comments, messages and headers."
    ) { evidence in
        let name = evidence.cases.proofName
        func proofs(_ fields: [Field]) -> [String] { fields.filter { $0.name == name }.map(\.value) }
        let known = Set(evidence.cases.readers.flatMap { proofs($0.signIn ?? []) }).filter { !isCommon($0) }
        guard evidence.direct.contains(where: { !proofs($0.probe.fields).isEmpty }) else {
            return .skipped("no password was sent")
        }
        // Those of all readers in every answer: a verification may tell what was typed at sign-in.
        return .each(evidence.direct, none: "nothing was asked") { exchange in
            let typed = known.union(proofs(exchange.probe.fields))
            return typed.lazy.compactMap { Trace.place(of: $0, in: exchange, without: []) }.first
                .map { "it stands in \($0)" }
        }
    }

    /// Whether it is a word that answers have anyhow.
    private static func isCommon(_ proof: String) -> Bool {
        let states = CheckReader.State.allCases.map(\.rawValue)
        let words = [PugpigSchemas.token, PugpigSchemas.subscription, PugpigSchemas.credentials] + states
        return words.contains { $0.contains(proof.lowercased()) }
    }

    static let secret = Rule(
        "echo-secret", "No answer holds the secret of edition passwords", source: "PITFALLS 20",
        fix: "Find out how it got there, and make a new one at once."
    ) { evidence in
        guard let secret = evidence.cases.secret else { return .skipped("the secret is not known") }
        return .each(evidence.direct.filter { $0.answer != nil }, none: "nothing was answered") { exchange in
            Trace.place(of: secret.bytes, in: exchange, without: []).map { "it stands in \($0)" }
        }
    }
}
