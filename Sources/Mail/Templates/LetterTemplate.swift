import Foundation
package import Gatefold
package import Settings

/// A letter with places for what differs from reader to reader.
package struct LetterTemplate: Sendable {
    /// The largest template file, in bytes.
    static let largestFile = 256 << 10

    private let subject: MustacheText
    private let text: MustacheText
    private let html: MustacheText?

    /// What is sent where a publication says nothing else.
    package struct Standard: Sendable {
        package let subject: String
        package let text: String
        package let html: String?

        package init(subject: String, text: String, html: String? = nil) {
            self.subject = subject
            self.text = text
            self.html = html
        }
    }

    /// Reads `subject`, `text` and `html`, each a Mustache template: itself, or `{file: PATH}`. The section may have more
    /// keys: whoever has it calls `finish()`.
    ///
    /// - Parameters:
    ///   - names: the variables there are; a template that names another is an error.
    ///   - standard: for what is not said. Where `text` is said and `html` is not, the letter has none.
    /// - Throws: `SettingsError` with the template's file and line.
    package init(
        _ section: SettingsSection, variables names: Set<String>, standard: Standard? = nil
    ) throws(SettingsError) {
        guard let subject = try Self.read("subject", .text, section, names, standard?.subject),
            let text = try Self.read("text", .text, section, names, standard?.text)
        else {
            let missing = section.has("subject") ? "text" : "subject"
            throw section.error(missing, expected: "missing; expected a text or {file: PATH}")
        }
        self.subject = subject
        self.text = text
        html = try Self.read("html", .html, section, names, section.has("text") ? nil : standard?.html)
    }

    /// - Parameter values: of the variables; those that are missing or empty are nothing.
    package func letter(to address: String, _ values: [String: String]) -> Letter {
        Letter(
            to: address, subject: subject.render(values).trimmingCharacters(in: .whitespacesAndNewlines),
            text: text.render(values), html: html?.render(values))
    }

    private static func read(
        _ name: String, _ kind: MustacheText.Kind, _ section: SettingsSection, _ names: Set<String>,
        _ standard: String?
    ) throws(SettingsError) -> MustacheText? {
        guard let node = section.written(name) else {
            return try standard.map { text throws(SettingsError) in
                try parse(text, kind, names, SettingsError(origin: .builtIn, key: name, expected: ""))
            }
        }
        if case .mapping(let entries) = node.content {
            guard entries.count == 1, entries[0].key == "file", case .scalar(let path, _) = entries[0].value.content
            else { throw section.error(name, expected: "expected a text or {file: PATH}") }
            let full = path.hasPrefix("/") ? path : "\(section.folder)/\(path)"
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: full)), data.count <= largestFile,
                let text = String(validating: data, as: UTF8.self)
            else {
                throw section.error(
                    name, expected: "expected a file of UTF-8, of \(largestFile) bytes at most, at \(full)")
            }
            let place = SettingsError(
                origin: .file(full, line: 1), key: section.error(name, expected: "").key, expected: "")
            return try parse(text, kind, names, place)
        }
        return try parse(try section.requiredString(name), kind, names, section.error(name, expected: ""))
    }

    /// - Parameter place: where the template is. A file of its own has its lines; of one in the configuration, the line
    ///   that the key is on is known, and the line within it is said.
    private static func parse(
        _ text: String, _ kind: MustacheText.Kind, _ names: Set<String>, _ place: SettingsError
    ) throws(SettingsError) -> MustacheText {
        do throws(TemplateTags.Mistake) {
            return try MustacheText(text, kind, knowing: names)
        } catch {
            if case .file(let path, line: 1) = place.origin {
                throw SettingsError(
                    origin: .file(path, line: error.line), key: place.key, expected: error.expected)
            }
            throw SettingsError(
                origin: place.origin, key: place.key,
                expected: "\(error.expected), in line \(error.line) of the template")
        }
    }
}
