import Primitives
import XML

/// A filter that removes secrets from the text of a server that a report quotes. A server may well write a token
/// where a state belongs.
struct Redaction: Sendable {
    /// The redaction that is active while the rules judge; nil at other times.
    @TaskLocal static var current: Redaction?

    /// The forms that are shorter than ``minRedactedLength`` bytes.
    private var short: Set<ArraySlice<UInt8>> = []
    /// The other forms, by their first ``minRedactedLength`` bytes.
    private var long: [ArraySlice<UInt8>: [[UInt8]]] = [:]

    /// The number of leading bytes that identify a form. A text that shares them is hidden too, because a server
    /// may truncate a secret.
    private static let minRedactedLength = 12
    /// The maximum number of bytes of a secret that are searched for. No text in a report is longer.
    private static let maxLength = 4096

    /// Creates a redaction of all tokens and passwords of a check, the values of the readers' sign-in fields, and
    /// the secret of edition passwords.
    init(_ evidence: Evidence) {
        var secrets: Set<String> = Set(evidence.tokens.values)
        for reader in evidence.cases.readers {
            if let token = reader.token { secrets.insert(token) }
            secrets.formUnion((reader.signIn ?? []).map(\.value))
        }
        for root in evidence.exchanges.lazy.compactMap(\.root) {
            let issued = [root.token, root.credentials?.password, root.attributes["global_auth_password"]]
            secrets.formUnion(issued.compactMap(\.self))
        }
        self.init(secrets.map { Array($0.utf8) } + [evidence.cases.secret?.bytes].compactMap(\.self))
    }

    /// - Parameter secrets: The secrets to hide. Short ones are not hidden, because they occur anywhere by chance.
    init(_ secrets: [[UInt8]]) {
        for secret in secrets where secret.count >= TextSearch.minLength {
            for form in TextSearch.forms(of: Array(secret.prefix(Self.maxLength))) {
                add(form)
                // Some texts are compared and shown in lower case.
                add(form.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 })
            }
        }
    }

    private mutating func add(_ form: [UInt8]) {
        if form.count < Self.minRedactedLength {
            short.insert(form[...])
        } else if long[form.prefix(Self.minRedactedLength)]?.contains(form) != true {
            long[form.prefix(Self.minRedactedLength), default: []].append(form)
        }
    }

    /// Returns the text with an ellipsis in place of each secret.
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
        if rest.count >= Self.minRedactedLength, let forms = long[rest.prefix(Self.minRedactedLength)] {
            let shared = forms.map { form in zip(form, rest).prefix { $0 == $1 }.count }
            return start + (shared.max() ?? 0)
        }
        guard !short.isEmpty else { return nil }
        // The longest form is tried first, because one form may be the beginning of another.
        for length in (TextSearch.minLength..<Self.minRedactedLength).reversed()
        where short.contains(rest.prefix(length)) {
            return start + min(length, rest.count)
        }
        return nil
    }
}
