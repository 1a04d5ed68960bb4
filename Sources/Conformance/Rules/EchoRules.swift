import Primitives
import XML

/// The rules that a response must not repeat the secrets of a request.
///
/// Source: Design rules, “Debug comments reveal nothing” and “Nothing secret in telemetry”; Pitfall 20, “Secrets
/// that leak sideways”.
enum EchoRules {
    static let all = [token, password, secret]

    static let token = Rule(
        "echo-token", "No response repeats the token, in a comment or elsewhere",
        source: "Design rules: Debug comments reveal nothing; Pitfall 20",
        fix: "Remove the token from comments, messages and headers: it authenticates the reader."
    ) { evidence in
        let requested = evidence.direct.filter { $0.response != nil && !tokens(of: $0).isEmpty }
        return .each(requested, none: "no call had a token") { exchange in
            // The token belongs into <token>. Another rule judges a token in <userid>.
            let elements = ["token", XMLElement.dovetailToken, "userid"]
            return tokens(of: exchange).lazy.compactMap { TextSearch.place(of: $0, in: exchange, without: elements) }
                .first
                .map { "found in \($0)" }
        }
    }

    /// Returns the token that the request contained, whether valid or not, and the token that the response
    /// contains.
    private static func tokens(of exchange: Exchange) -> [String] {
        let sent = exchange.probe.call == .signIn ? [] : exchange.probe.fields.filter { $0.name == "token" }
        return sent.map(\.value) + [exchange.root?.token].compactMap(\.self)
    }

    static let password = Rule(
        "echo-password", "No response repeats a reader's password or other proof",
        source: "Design rules: Debug comments reveal nothing; Pitfall 20",
        fix: "Remove the password from comments, messages and headers."
    ) { evidence in
        let name = evidence.cases.proofName
        func proofs(_ fields: [Field]) -> [String] { fields.filter { $0.name == name }.map(\.value) }
        let known = Set(evidence.cases.readers.flatMap { proofs($0.signIn ?? []) }).filter { !isCommon($0) }
        guard evidence.direct.contains(where: { !proofs($0.probe.fields).isEmpty }) else {
            return .skipped("no password was sent")
        }
        // Every response is searched for the passwords of all readers, because a verification may contain a
        // password from sign-in.
        return .each(evidence.direct, none: "no request was sent") { exchange in
            let typed = known.union(proofs(exchange.probe.fields))
            return typed.lazy.compactMap { TextSearch.place(of: $0, in: exchange, without: []) }.first
                .map { "found in \($0)" }
        }
    }

    /// Returns whether the proof is part of a name that occurs in ordinary responses.
    private static func isCommon(_ proof: String) -> Bool {
        let states = CheckReader.State.allCases.map(\.rawValue)
        let values = [PugpigSchemas.token, PugpigSchemas.subscription, PugpigSchemas.credentials] + states
        return values.contains { $0.contains(proof.lowercased()) }
    }

    static let secret = Rule(
        "echo-secret", "No response contains the secret of edition passwords", source: "Pitfall 20",
        fix: "Find out how the secret entered the response, and replace it immediately."
    ) { evidence in
        guard let secret = evidence.cases.secret else { return .skipped("the secret is not known") }
        return .each(evidence.direct.filter { $0.response != nil }, none: "no response was received") { exchange in
            TextSearch.place(of: secret.bytes, in: exchange, without: []).map { "found in \($0)" }
        }
    }
}
