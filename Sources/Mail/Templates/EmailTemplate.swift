import Foundation
package import Gatefold
package import Settings

/// An e-mail message with placeholders for values that differ between readers.
package struct EmailTemplate: Sendable {
    /// The maximum size of a template file in bytes.
    static let maxFileSize = 256 << 10

    private let subject: MustacheText
    private let text: MustacheText
    private let html: MustacheText?

    /// The default template, used if a publication configures none.
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

    /// Reads `subject`, `text` and `html`, each a Mustache template as a text or as `{file: PATH}`. The section may
    /// have more keys, so the caller calls `finish()`.
    ///
    /// - Parameters:
    ///   - names: The available variables. A template with another variable is an error.
    ///   - standard: The defaults of missing keys. If `text` is present and `html` is not, the message has no HTML.
    /// - Throws: `SettingsError` with the template's file and line.
    package init(
        _ section: SettingsSection, variables names: Set<String>, standard: Standard? = nil
    ) throws(SettingsError) {
        guard let subject = try Self.read("subject", .text, section, names, standard?.subject),
            let text = try Self.read("text", .text, section, names, standard?.text)
        else {
            let missing = section.has("subject") ? "text" : "subject"
            throw section.error(missing, expected: "missing; expected a string or {file: PATH}")
        }
        self.subject = subject
        self.text = text
        html = try Self.read("html", .html, section, names, section.has("text") ? nil : standard?.html)
    }

    /// Returns the message to an address.
    ///
    /// - Parameter values: The values of the variables. A missing or empty value renders as nothing.
    package func emailMessage(to address: String, _ values: [String: String]) -> EmailMessage {
        EmailMessage(
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
            else { throw section.error(name, expected: "expected a string or {file: PATH}") }
            let full = path.hasPrefix("/") ? path : "\(section.folder)/\(path)"
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: full)), data.count <= maxFileSize,
                let text = String(validating: data, as: UTF8.self)
            else {
                throw section.error(
                    name, expected: "expected a file of UTF-8, of at most \(maxFileSize) bytes, at \(full)")
            }
            let place = SettingsError(
                origin: .file(full, line: 1), key: section.error(name, expected: "").key, expected: "")
            return try parse(text, kind, names, place)
        }
        return try parse(try section.requiredString(name), kind, names, section.error(name, expected: ""))
    }

    /// Parses a template.
    ///
    /// - Parameter place: The location of the template. A template file has its own line numbers. For a template in
    ///   the configuration, the error has the line of the key and mentions the line within the template.
    private static func parse(
        _ text: String, _ kind: MustacheText.Kind, _ names: Set<String>, _ place: SettingsError
    ) throws(SettingsError) -> MustacheText {
        do throws(TemplateTags.TagError) {
            return try MustacheText(text, kind, variableNames: names)
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
