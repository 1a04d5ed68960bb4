package import Foundation
package import JSON

extension AdminSchema {
    /// The maximum number of faults that a response lists.
    private static let maxFaults = 20

    /// Returns what is wrong with a value.
    ///
    /// - Parameter location: The JSON Pointer of the value.
    package func faults(of value: JSONValue, at location: String = "") -> [AdminProblem.Fault] {
        switch (self, value) {
        case (.anything, _), (.nullable, .null), (.boolean, .boolean): return []
        case (.nullable(let schema), _): return schema.faults(of: value, at: location)
        case (.string(let rule), .string(let text)) where rule.accepts(text): return []
        case (.choice(let texts), .string(let text)) where texts.contains(text): return []
        case (.integer(let range), .number) where value.integer.map(range.contains) ?? false: return []
        case (.number, .number(let text)) where Double(text)?.isFinite ?? false: return []
        case (.timestamp, .string(let text)) where Self.date(text) != nil: return []
        case (.list(let item), .array(let items)):
            let faults = items.enumerated().flatMap { item.faults(of: $1, at: "\(location)/\($0)") }
            return Array(faults.prefix(Self.maxFaults))
        case (.dictionary(let item), .object(let members)):
            let faults = members.flatMap { item.faults(of: $0.value, at: location) }
            return Array(faults.prefix(Self.maxFaults))
        case (.object(let properties), .object(let members)):
            return Array(Self.faults(of: members, properties, at: location).prefix(Self.maxFaults))
        default: return [AdminProblem.Fault(location, expectation)]
        }
    }

    private static func faults(
        of members: [JSONValue.Member], _ properties: [AdminProperty], at location: String
    ) -> [AdminProblem.Fault] {
        var faults: [AdminProblem.Fault] = []
        let known = Set(properties.map(\.name))
        // The names of unknown members are not in the response, because it contains no value of the request.
        if members.contains(where: { !known.contains($0.name) }) {
            faults.append(
                AdminProblem.Fault(
                    location, "no members other than \(properties.map(\.name).joined(separator: ", "))"))
        }
        for property in properties {
            let path = "\(location)/\(property.name)"
            if let member = members.first(where: { $0.name == property.name }) {
                faults += property.schema.faults(of: member.value, at: path)
            } else if property.isRequired {
                faults.append(AdminProblem.Fault(path, property.schema.expectation))
            }
        }
        return faults
    }

    /// Returns the value of a parameter's text; nil if it is not as expected.
    func value(parameter text: String) -> JSONValue? {
        let value: JSONValue =
            switch self {
            case .integer: .number(text)
            case .boolean: text == "true" ? true : text == "false" ? false : .string(text)
            default: .string(text)
            }
        if case .number(let digits) = value, Int(digits).map(String.init) != digits { return nil }
        return faults(of: value).isEmpty ? value : nil
    }

    /// Parses a time as the API writes it.
    package static func date(_ text: String) -> Date? {
        guard text.utf8.count == 20, let date = try? Date.ISO8601FormatStyle().parse(text),
            Date.ISO8601FormatStyle().format(date) == text
        else { return nil }
        return date
    }

    package static func text(_ date: Date) -> JSONValue { .string(Date.ISO8601FormatStyle().format(date)) }

    /// The expected value in words.
    var expectation: String {
        switch self {
        case .string(let rule):
            "a text of \(rule.length.lowerBound) to \(rule.length.upperBound) characters"
                + (rule.characters.map { " of \($0.rawValue)" } ?? "")
        case .choice(let texts): "one of \(texts.joined(separator: ", "))"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number: "a number"
        case .boolean: "true or false"
        case .timestamp: "a time such as 2026-11-28T08:00:00Z"
        case .list: "a list"
        case .object, .dictionary: "an object"
        case .nullable(let schema): schema.expectation + ", or null"
        case .anything: "a value"
        }
    }
}
