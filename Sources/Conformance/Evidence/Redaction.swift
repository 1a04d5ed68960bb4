import Gatefold
import XML

/// Takes what is secret out of what a report quotes: a server may well write a token where a state belongs.
struct Redaction {
    /// In which forms, as a report prints them; the longest first.
    private let forms: [[UInt8]]
    /// So much of the beginning of a longer one is hidden as well: quotations are cut.
    private static let telling = 12

    /// With all tokens, proofs and passwords of a check, and the secret of edition passwords.
    init(_ evidence: Evidence) {
        var secrets: Set<String> = Set(evidence.tokens.values)
        for reader in evidence.cases.readers {
            if let token = reader.token { secrets.insert(token) }
            for field in reader.signIn ?? [] where field.name == evidence.cases.proofName {
                secrets.insert(field.value)
            }
        }
        if let secret = evidence.cases.secret { secrets.insert(String(decoding: secret.bytes, as: UTF8.self)) }
        for root in evidence.exchanges.lazy.compactMap(\.root) {
            let given = [root.token, root.credentials?.password, root.attributes["global_auth_password"]]
            secrets.formUnion(given.compactMap(\.self))
        }
        self.init(secrets)
    }

    /// - Parameter secrets: short ones stand anywhere by chance, and are not hidden.
    init(_ secrets: some Collection<String>) {
        let long = secrets.filter { $0.utf8.count >= Trace.shortest }
        let written = long.flatMap(Trace.forms).map { Array(Printable.clean(String(decoding: $0, as: UTF8.self)).utf8) }
        forms = Set(written).sorted { ($0.count, $1[0]) > ($1.count, $0[0]) }
    }

    /// The text with an ellipsis in place of each of them.
    func hidden(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for form in forms { bytes = Self.hidden(form, in: bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let ellipsis = Array("…".utf8)

    private static func hidden(_ form: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        let beginning = form.prefix(telling)
        var left: [UInt8] = []
        var position = 0
        while let found = bytes[position...].firstRange(of: beginning) {
            left += bytes[position..<found.lowerBound] + ellipsis
            position = found.upperBound
            var length = beginning.count
            while position < bytes.count, length < form.count, bytes[position] == form[length] {
                position += 1
                length += 1
            }
        }
        return position == 0 ? bytes : left + bytes[position...]
    }
}
