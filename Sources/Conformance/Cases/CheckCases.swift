package import Primitives
package import Settings

/// The known facts about an endpoint before a check: readers, addresses and secrets.
package struct CheckCases: Sendable {
    package var readers: [CheckReader] = []
    /// The calls whose addresses are not derived from the root.
    package var calls: [Call: Address] = [:]
    /// The secret of the edition passwords.
    package var secret: Secret?
    /// The address of a file behind the gate. The file belongs to an edition that one of the readers holds.
    package var content: Address?
    /// The name of the sign-in field that a wrong sign-in replaces. Default: `password`.
    package var proofName = "password"

    package init() {}

    package var editions: Set<String> { Set(readers.flatMap(\.holds)) }
}

extension CheckCases {
    /// Reads the file of cases.
    ///
    /// - Throws: `SettingsError` with the line of the mistake.
    package init(_ section: SettingsSection) throws(SettingsError) {
        guard !section.names.isEmpty else { throw section.error("readers", expected: "missing; the file is empty") }
        switch try section.string("users") {
        case nil: break
        case "test": readers = Self.testUsers
        default: throw section.error("users", expected: "expected test, or no such key")
        }
        let named = try section.section("readers")
        for name in named.names {
            readers.append(try CheckReader(name, try named.section(name)))
        }
        if Set(readers.map(\.name)).count < readers.count {
            throw section.error("readers", expected: "expected other names than those of the test users")
        }
        let addresses = try section.section("calls")
        for call in Call.allCases {
            guard let text = try addresses.string(call.rawValue) else { continue }
            guard let address = Address(text) else {
                throw addresses.error(call.rawValue, expected: "expected an http or https URL")
            }
            calls[call] = address
        }
        try addresses.finish()
        secret = try section.externalSecret("secret").map { Secret($0) }
        if let text = try section.string("content") {
            guard let address = Address(text) else {
                throw section.error("content", expected: "expected an http or https URL")
            }
            content = address
        }
        proofName = try section.string("proof", default: proofName)
        try readWrongProof(section)
        try section.finish()
    }

    private mutating func readWrongProof(_ section: SettingsSection) throws(SettingsError) {
        let names: [String]
        switch section.written("wrong_proof")?.content {
        case nil: return
        case .sequence: names = try section.strings("wrong_proof") ?? []
        default: names = try section.string("wrong_proof").map { [$0] } ?? []
        }
        for name in names {
            guard let reader = readers.first(where: { $0.name == name }), let fields = reader.signIn else {
                throw section.error("wrong_proof", expected: "expected the name of a reader with sign_in")
            }
            guard fields.contains(where: { $0.name == proofName }) else {
                throw section.error(
                    "wrong_proof",
                    expected: "expected a reader whose sign_in has \(proofName); another field is named by proof")
            }
            guard !reader.failing.contains(.signIn) else {
                throw section.error("wrong_proof", expected: "expected a reader whose sign-in does not fail")
            }
        }
        for index in readers.indices { readers[index].triesWrongProof = names.contains(readers[index].name) }
    }

    /// The readers whose sign-in may be tried with a wrong proof.
    package var triedWithWrongProof: [CheckReader] {
        readers.filter { reader in
            reader.triesWrongProof && reader.signIn?.contains { $0.name == proofName } == true
        }
    }

    /// A Boolean value that indicates whether any reader may be tried with a wrong proof.
    package var hasWrongProof: Bool { !triedWithWrongProof.isEmpty }
}

extension CheckReader {
    init(_ name: String, _ section: SettingsSection) throws(SettingsError) {
        self.init(name)
        if section.has("sign_in") {
            let fields = try section.section("sign_in")
            var read: [Field] = []
            for name in fields.names { read.append(Field(name, try fields.publicText(name) ?? "")) }
            signIn = read
        }
        token = try section.publicText("token")
        if signIn == nil, token == nil {
            throw section.error("sign_in", expected: "missing; expected the fields of a sign-in, or a token")
        }
        state = try Self.choice("state", in: section)
        renewal = try Self.choice("renew", in: section)
        failing = try Self.failing(in: section)
        if section.has("feed_password") { hasOwnFeed = try section.boolean("feed_password", default: false) }
        holds = try section.strings("holds") ?? []
        lacks = try section.strings("lacks") ?? []
        if failing.contains(.credentials), holds.isEmpty, lacks.isEmpty {
            throw section.error(
                "failing", expected: "expected holds or lacks: credentials are requested for an edition")
        }
        if failing.contains(.signIn), failing.count > 1, token == nil {
            throw section.error("failing", expected: "expected a token, because a failing sign-in returns none")
        }
        switch section.written("issues")?.content {
        case nil: break
        case .scalar("everything", _): issues = .everything
        case .scalar("nothing", _): issues = .nothing
        case .sequence: issues = .listed(Set(try section.strings("issues") ?? []))
        default: throw section.error("issues", expected: "expected everything, nothing or a list of editions")
        }
        try section.finish()
    }

    /// Returns the failing calls, which the file lists as a single value or as a sequence.
    private static func failing(in section: SettingsSection) throws(SettingsError) -> Set<FailingCall> {
        var failing: Set<FailingCall> = []
        if case .sequence? = section.written("failing")?.content {
            for text in try section.strings("failing") ?? [] {
                failing.insert(try Self.choice(text, of: "failing", in: section))
            }
        } else if let choice: FailingCall = try Self.choice("failing", in: section) {
            failing.insert(choice)
        }
        return failing
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, in section: SettingsSection
    ) throws(SettingsError) -> Choice? where Choice.RawValue == String {
        guard let text = try section.string(name) else { return nil }
        let found: Choice = try Self.choice(text, of: name, in: section)
        return found
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, of name: String, in section: SettingsSection
    ) throws(SettingsError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw section.error(name, expected: "expected one of \(choices)")
        }
        return choice
    }
}
