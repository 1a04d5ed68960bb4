import Gatefold
import LDAP
import Settings

/// A configured filter or distinguished name with placeholders, such as `(mail={identifier})`.
struct DirectoryTemplate: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case text(String)
        case value(String)
    }

    private let pieces: [Piece]

    /// Parses a template. Returns `nil` if a brace does not belong to a placeholder.
    init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            let inside = rest[rest.index(after: brace)...]
            guard rest[brace] == "{", let end = inside.firstIndex(of: "}") else { return nil }
            let name = inside[..<end]
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameLetter) else { return nil }
            pieces.append(.text(String(rest[..<brace])))
            pieces.append(.value(String(name)))
            rest = inside[inside.index(after: end)...]
        }
        pieces.append(.text(String(rest)))
        self.pieces = pieces
    }

    /// Reads a search filter in which placeholders are allowed only as values.
    static func filter(
        _ section: SettingsSection, _ name: String, default standard: String? = nil
    ) throws(SettingsError) -> DirectoryTemplate {
        let form = "a search filter such as (mail={identifier})"
        let text: String
        if let standard {
            text = try section.string(name, default: standard)
        } else {
            text = try section.requiredString(name, expected: form)
        }
        // The test value is a backslash and two digits because only a value can contain them.
        guard let template = DirectoryTemplate(text), FilterSyntax.isValid(template.filled { _ in "\\2a" }) else {
            throw section.error(name, expected: "expected \(form)")
        }
        return template
    }

    /// The names of the placeholders.
    var names: Set<String> {
        Set(pieces.compactMap { if case .value(let name) = $0 { name } else { nil } })
    }

    /// Returns the text with the placeholders replaced.
    ///
    /// - Parameter value: Returns the escaped value of a placeholder.
    func filled(_ value: (String) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value(let name): value(name)
            }
        }.joined()
    }

    /// Returns the text with the placeholders replaced by typed credentials, or `nil` if a field is missing, blank,
    /// too long, or contains a NUL.
    func filled(from credentials: Credentials, escape: (String) -> String) -> String? {
        var values: [String: String] = [:]
        for name in names {
            let value = name == "identifier" ? credentials.identifier : credentials[name]
            guard let value, DirectoryProof.isUsable(value) else { return nil }
            values[name] = escape(value)
        }
        return filled { values[$0] ?? "" }
    }

    private static func isNameLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-".utf8.contains(byte)
        }
    }
}
