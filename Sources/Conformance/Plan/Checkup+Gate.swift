import Foundation
import Gatefold
import XML

extension Checkup {
    /// Tries the gate in front of the content.
    ///
    /// - Returns: why it was not tried; nil when it was.
    func askGate(_ prober: Prober) async throws -> String? {
        guard let content = cases.content else { return "no address of content is given (--content)" }
        let exchanges = await prober.exchanges
        let granted = exchanges.compactMap { exchange -> Grant? in
            guard exchange.probe.call == .editionCredentials, let edition = exchange.probe.edition,
                let pair = exchange.root?.credentials
            else { return nil }
            return Grant(
                edition: edition, userid: pair.userid, password: pair.password,
                headers: exchange.root.map(HeaderElement.fields) ?? [])
        }
        // The longest, because one edition's name may begin another's.
        let fitting = granted.filter { content.path.contains($0.edition) }
        guard let grant = fitting.max(by: { $0.edition.count < $1.edition.count }) else {
            try await tryGate(content, prober)
            return "no reader was given credentials for an edition whose name stands in the content's path"
        }
        try await tryGate(content, grant, prober)
        if let other = granted.first(where: { $0.edition != grant.edition }) {
            try await tryGate(content, grant, with: other, prober)
        }
        return nil
    }

    /// Credentials that were given for an edition.
    struct Grant {
        let edition: String
        let userid: String
        let password: String
        let headers: [Field]

        var authorization: Field { Self.basic("\(userid):\(password)") }

        static func basic(_ pair: String) -> Field {
            Field("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())")
        }
    }

    private static let part = Field("Range", "bytes=0-\(GateAttempt.partLength - 1)")

    /// With nothing that anybody was given.
    private func tryGate(_ content: Address, edition: String? = nil, _ prober: Prober) async throws {
        func attempt(_ attempt: GateAttempt, _ headers: [Field], method: String = "GET") async throws {
            try await ask(attempt, content, headers, method: method, edition: edition, prober)
        }
        try await attempt(.noCredentials, [])
        try await attempt(.partWithoutCredentials, [Self.part])
        try await attempt(.headWithoutCredentials, [], method: "HEAD")
        // The packager's agent is a way in at the historic gate.
        try await attempt(.privileged("the packager"), [Field("User-Agent", "PugpigNetwork/Packager")])
        try await attempt(
            .privileged("an address of the house"),
            [Field("X-Forwarded-For", "127.0.0.1"), Field("X-Client-IP", "127.0.0.1"), Field("X-Real-IP", "127.0.0.1")])
    }

    private func ask(
        _ attempt: GateAttempt, _ content: Address, _ headers: [Field], method: String = "GET", edition: String?,
        _ prober: Prober
    ) async throws {
        var probe = Probe(.gate(attempt), content)
        probe.method = method
        probe.headers = headers
        probe.longestBody = 64 << 10
        probe.edition = edition
        try await prober.ask(probe)
    }

    private func tryGate(_ content: Address, _ grant: Grant, _ prober: Prober) async throws {
        func attempt(_ attempt: GateAttempt, _ headers: [Field], method: String = "GET") async throws {
            try await ask(attempt, content, headers, method: method, edition: grant.edition, prober)
        }
        let right = [grant.authorization] + grant.headers
        try await attempt(.granted, right)
        try await attempt(.grantedPart, right + [Self.part])
        try await attempt(.grantedHead, right, method: "HEAD")
        try await tryGate(content, edition: grant.edition, prober)
        let flipped = String(grant.password.dropLast()) + (grant.password.hasSuffix("0") ? "1" : "0")
        let pairs = [
            ("a password with another last digit", "\(grant.userid):\(flipped)"),
            ("a password with one digit too few", "\(grant.userid):\(grant.password.dropLast())"),
            ("a password of zeros", "\(grant.userid):\(String(repeating: "0", count: 40))"),
            ("an empty password", "\(grant.userid):"), ("an empty userid", ":\(grant.password)"),
            ("nothing but a colon", ":"), ("no colon", grant.userid),
        ]
        for (title, pair) in pairs { try await attempt(.wrongPair(title), [Grant.basic(pair)]) }
        // It is written as it came, and what came may be anything.
        guard EditionPassword.isWellFormed(grant.password) else { return }
        try await attempt(
            .wrongPair("a scheme that is not Basic"), [Field("Authorization", "Bearer \(grant.password)")])
    }

    private func tryGate(
        _ content: Address, _ grant: Grant, with other: Grant, _ prober: Prober
    ) async throws {
        func attempt(_ attempt: GateAttempt, _ target: String) async throws {
            var probe = Probe(.gate(attempt), content)
            probe.target = Array(target.utf8)
            probe.headers = [other.authorization]
            probe.longestBody = 64 << 10
            probe.edition = grant.edition
            try await prober.ask(probe)
        }
        try await attempt(.otherEdition, content.target)
        for (title, target) in PathTricks.targets(content.path, edition: grant.edition, other: other.edition) {
            try await attempt(.pathTrick(title), target)
        }
    }
}
