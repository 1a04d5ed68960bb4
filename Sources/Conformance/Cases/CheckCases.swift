package import Gatefold
package import Settings

/// What is known about an endpoint before it is checked: readers, addresses, secrets.
package struct CheckCases: Sendable {
    package var readers: [CheckReader] = []
    /// Calls whose addresses are not derived from the root.
    package var calls: [Call: Address] = [:]
    /// The secret that edition passwords are made with.
    package var secret: Secret?
    /// A file of an edition that some reader holds, behind the gate.
    package var content: Address?
    /// The field of a sign-in that is replaced to make it wrong.
    package var proofName = "password"

    package init() {}

    package var editions: Set<String> { Set(readers.flatMap(\.holds)) }
}

extension CheckCases {
    /// Reads the file of cases.
    ///
    /// - Throws: `SettingsError` with the line of what is wrong.
    package init(_ section: SettingsSection) throws(SettingsError) {
        guard !section.names.isEmpty else { throw section.error("readers", expected: "missing; the file says nothing") }
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
        secret = try section.foreignSecret("secret").map { Secret($0) }
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
                throw section.error("wrong_proof", expected: "expected a reader whose sign-in can be answered")
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

    /// Whether there is such a reader.
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
        state = try Self.word("state", in: section)
        renewal = try Self.word("renew", in: section)
        failing = try Self.failing(in: section)
        if section.has("feed_password") { hasOwnFeed = try section.boolean("feed_password", default: false) }
        holds = try section.strings("holds") ?? []
        lacks = try section.strings("lacks") ?? []
        if failing.contains(.credentials), holds.isEmpty, lacks.isEmpty {
            throw section.error("failing", expected: "expected holds or lacks: credentials are asked for an edition")
        }
        if failing.contains(.signIn), failing.count > 1, token == nil {
            throw section.error("failing", expected: "expected a token: a sign-in that fails gives none for the rest")
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

    /// One word or a list of them.
    private static func failing(in section: SettingsSection) throws(SettingsError) -> Set<Failing> {
        var failing: Set<Failing> = []
        if case .sequence? = section.written("failing")?.content {
            for text in try section.strings("failing") ?? [] {
                failing.insert(try Self.word(text, of: "failing", in: section))
            }
        } else if let word: Failing = try Self.word("failing", in: section) {
            failing.insert(word)
        }
        return failing
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, in section: SettingsSection
    ) throws(SettingsError) -> Word? where Word.RawValue == String {
        guard let text = try section.string(name) else { return nil }
        let found: Word = try Self.word(text, of: name, in: section)
        return found
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String, of name: String, in section: SettingsSection
    ) throws(SettingsError) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw section.error(name, expected: "expected one of \(words)")
        }
        return word
    }
}
