import Gatefold
import LDAP
import Settings

/// A filter or a distinguished name of the configuration with places for values, such as `(mail={identifier})`.
struct DirectoryTemplate: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case text(String)
        case value(String)
    }

    private let pieces: [Piece]

    /// Nil when a brace stands for nothing.
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

    /// Reads a search filter whose places are values, and nothing else of it.
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
        // A backslash and two digits is something that only a value can hold.
        guard let template = DirectoryTemplate(text), FilterSyntax.isValid(template.filled { _ in "\\2a" }) else {
            throw section.error(name, expected: "expected \(form)")
        }
        return template
    }

    /// The names of its places.
    var names: Set<String> {
        Set(pieces.compactMap { if case .value(let name) = $0 { name } else { nil } })
    }

    /// - Parameter value: what stands in a place, already escaped.
    func filled(_ value: (String) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value(let name): value(name)
            }
        }.joined()
    }

    /// Fills the places with what a reader typed; nil when one of the fields is missing, blank, or holds a NUL.
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
