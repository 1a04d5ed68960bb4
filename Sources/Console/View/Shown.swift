import JSON

/// The forms in which values of the admin API appear on pages.
enum Shown {
    static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text): text
        case .number(let digits): digits
        case .boolean(let isTrue): isTrue ? "yes" : "no"
        case .array(let items): items.map { text($0) }.joined(separator: ", ")
        case .object(let members): members.map { "\($0.name): \(text($0.value))" }.joined(separator: "\n")
        case .null, nil: "–"
        }
    }

    static func cell(_ value: JSONValue?, link: String? = nil) -> Cell { Cell(text(value), link: link) }

    /// Returns a time such as 2026-11-28 08:00:00 UTC.
    static func time(_ value: JSONValue?) -> Cell { Cell(timeText(value)) }

    static func timeText(_ value: JSONValue?) -> String {
        guard let text = value?.text else { return "–" }
        return text.replacing("T", with: " ", maxReplacements: 1).replacing("Z", with: " UTC", maxReplacements: 1)
    }

    /// Returns a list of objects with the members `name` and `value`, each in a line.
    static func namedValues(_ values: JSONValue?) -> String {
        let lines = (values?.items ?? []).map { "\(text($0["name"])): \(text($0["value"]))" }
        return lines.isEmpty ? "–" : lines.joined(separator: "\n")
    }
}
