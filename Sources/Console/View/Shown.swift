import JSON

/// The forms in which values of the admin API appear on pages.
enum Shown {
    static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text): text
        case .number(let digits): digits
        case .boolean(let isTrue): isTrue ? "yes" : "no"
        case .array(let items): items.map { text($0) }.joined(separator: ", ")
        case .object(let members): members.map { "\($0.name): \(text($0.value))" }.joined(separator: ", ")
        case .null, nil: "–"
        }
    }

    /// Returns the cell of a value. The members of an object are lines of their own.
    static func cell(_ value: JSONValue?, link: String? = nil) -> Cell {
        guard case .object(let members) = value else { return Cell(text(value), link: link) }
        return Cell(lines: members.map { "\($0.name): \(text($0.value))" })
    }

    /// Returns a time such as 2026-11-28 08:00:00 UTC.
    static func time(_ value: JSONValue?) -> Cell { Cell(timeText(value)) }

    static func timeText(_ value: JSONValue?) -> String {
        guard let text = value?.text else { return "–" }
        return text.replacing("T", with: " ", maxReplacements: 1).replacing("Z", with: " UTC", maxReplacements: 1)
    }

    /// Returns a list of objects with the members `name` and `value`, each in a line.
    static func namedValues(_ values: JSONValue?) -> Cell {
        Cell(lines: (values?.items ?? []).map { "\(text($0["name"])): \(text($0["value"]))" })
    }
}
