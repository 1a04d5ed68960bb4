import Foundation
import Gatefold
import XML

extension CheckRun {
    /// Tries the gate in front of the content.
    ///
    /// - Returns: The reason why the gate was not tried with credentials, or nil if it was.
    func checkGate(_ prober: Prober) async throws -> String? {
        guard let content = cases.content else { return "no address of a content file is given (--content)" }
        let exchanges = await prober.exchanges
        let granted = exchanges.compactMap { exchange -> Grant? in
            guard exchange.probe.call == .editionCredentials, let edition = exchange.probe.edition,
                let pair = exchange.root?.credentials
            else { return nil }
            return Grant(
                edition: edition, userid: pair.userid, password: pair.password,
                headers: exchange.root.map(HeaderElement.fields) ?? [])
        }
        // The longest name wins, because one edition's name may be the beginning of another's.
        let fitting = granted.filter { content.path.contains($0.edition) }
        guard let grant = fitting.max(by: { $0.edition.count < $1.edition.count }) else {
            try await tryGate(content, prober)
            return "no reader received credentials for an edition named in the path of the content file"
        }
        try await tryGate(content, grant, prober)
        if let other = granted.first(where: { $0.edition != grant.edition }) {
            try await tryGate(content, grant, with: other, prober)
        }
        return nil
    }

    /// The credentials that the endpoint issued for an edition.
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

    /// Tries the gate without issued credentials.
    private func tryGate(_ content: Address, edition: String? = nil, _ prober: Prober) async throws {
        func attempt(_ attempt: GateAttempt, _ headers: [Field], method: String = "GET") async throws {
            try await send(attempt, content, headers, method: method, edition: edition, prober)
        }
        try await attempt(.noCredentials, [])
        try await attempt(.partWithoutCredentials, [Self.part])
        try await attempt(.headWithoutCredentials, [], method: "HEAD")
        // The historic gate lets the packager's user agent in.
        try await attempt(.privileged("the packager"), [Field("User-Agent", "PugpigNetwork/Packager")])
        try await attempt(
            .privileged("a forged internal address"),
            [Field("X-Forwarded-For", "127.0.0.1"), Field("X-Client-IP", "127.0.0.1"), Field("X-Real-IP", "127.0.0.1")])
    }

    private func send(
        _ attempt: GateAttempt, _ content: Address, _ headers: [Field], method: String = "GET", edition: String?,
        _ prober: Prober
    ) async throws {
        var probe = Probe(.gate(attempt), content)
        probe.method = method
        probe.headers = headers
        probe.maxBodySize = 64 << 10
        probe.edition = edition
        try await prober.send(probe)
    }

    private func tryGate(_ content: Address, _ grant: Grant, _ prober: Prober) async throws {
        func attempt(_ attempt: GateAttempt, _ headers: [Field], method: String = "GET") async throws {
            try await send(attempt, content, headers, method: method, edition: grant.edition, prober)
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
            ("only a colon", ":"), ("no colon", grant.userid),
        ]
        for (title, pair) in pairs { try await attempt(.wrongPair(title), [Grant.basic(pair)]) }
        // The header contains the password unchanged, so a malformed one could break the request.
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
            probe.maxBodySize = 64 << 10
            probe.edition = grant.edition
            try await prober.send(probe)
        }
        try await attempt(.otherEdition, content.target)
        for (title, target) in PathConfusionCases.targets(content.path, edition: grant.edition, other: other.edition) {
            try await attempt(.pathConfusion(title), target)
        }
    }
}
