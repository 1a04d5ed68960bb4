import Gatefold
import XML

/// Takes what is secret out of what a report quotes of a server: it may well write a token where a state belongs.
struct Redaction: Sendable {
    /// The one that the rules judge under; none where nothing is judged.
    @TaskLocal static var current: Redaction?

    /// The forms of less than ``telling`` bytes.
    private var short: Set<ArraySlice<UInt8>> = []
    /// The others, by how they begin.
    private var long: [ArraySlice<UInt8>: [[UInt8]]] = [:]

    /// So much of the beginning of a form is hidden as well, because a server may cut it.
    private static let telling = 12
    /// So much of a secret is looked for; no text that is shown is longer.
    private static let longest = 4096

    /// With all tokens and passwords of a check, what readers sign in with, and the secret of edition passwords.
    init(_ evidence: Evidence) {
        var secrets: Set<String> = Set(evidence.tokens.values)
        for reader in evidence.cases.readers {
            if let token = reader.token { secrets.insert(token) }
            secrets.formUnion((reader.signIn ?? []).map(\.value))
        }
        for root in evidence.exchanges.lazy.compactMap(\.root) {
            let given = [root.token, root.credentials?.password, root.attributes["global_auth_password"]]
            secrets.formUnion(given.compactMap(\.self))
        }
        self.init(secrets.map { Array($0.utf8) } + [evidence.cases.secret?.bytes].compactMap(\.self))
    }

    /// - Parameter secrets: short ones stand anywhere by chance, and are not hidden.
    init(_ secrets: [[UInt8]]) {
        for secret in secrets where secret.count >= Trace.shortest {
            for form in Trace.forms(of: Array(secret.prefix(Self.longest))) {
                add(form)
                // Some texts are compared, and shown, in lower case.
                add(form.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 })
            }
        }
    }

    private mutating func add(_ form: [UInt8]) {
        if form.count < Self.telling {
            short.insert(form[...])
        } else if long[form.prefix(Self.telling)]?.contains(form) != true {
            long[form.prefix(Self.telling), default: []].append(form)
        }
    }

    /// The text with an ellipsis in place of each of them.
    func hidden(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var left: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if let end = end(ofSecretAt: position, in: bytes) {
                left += Self.ellipsis
                position = end
            } else {
                left.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: left, as: UTF8.self)
    }

    private static let ellipsis = Array("…".utf8)

    private func end(ofSecretAt start: Int, in bytes: [UInt8]) -> Int? {
        let rest = bytes[start...]
        if rest.count >= Self.telling, let forms = long[rest.prefix(Self.telling)] {
            let shared = forms.map { form in zip(form, rest).prefix { $0 == $1 }.count }
            return start + (shared.max() ?? 0)
        }
        guard !short.isEmpty else { return nil }
        // The longest, because one may begin another.
        for length in (Trace.shortest..<Self.telling).reversed() where short.contains(rest.prefix(length)) {
            return start + min(length, rest.count)
        }
        return nil
    }
}
