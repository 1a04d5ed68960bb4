/// A subset of JSONPath (RFC 9535): `$`, followed by any number of `.name`, `['name']`, `[3]`, `[-1]`, `.*`, `[*]`,
/// `..name`, `..*`, `..[…]`, and filters with one comparison or existence test: `[?@.kind == 'print']`, `[?@.ended
/// != true]`, `[?@.id]`.
///
/// Slices, unions, functions and filters with several conditions are not supported.
package struct JSONPath: Sendable, Equatable {
    indirect enum Step: Sendable, Equatable {
        case name(String)
        case index(Int)
        case wildcard
        case filter(Filter)
        /// The step applied to the value itself and to every value inside it.
        case descendant(Step)
    }

    struct Filter: Sendable, Equatable {
        enum Comparison: Sendable, Equatable {
            case exists
            case equal(JSONValue)
            case unequal(JSONValue)
        }

        /// The path from the item, with names and indices only.
        let path: [Step]
        let comparison: Comparison
    }

    /// The maximum number of values that one evaluation visits.
    package static let maxVisited = 1_000_000

    private let steps: [Step]

    /// Parses a path, or returns nil if the text is malformed or outside the supported subset.
    package init?(_ text: String) {
        guard let steps = JSONPathParser.steps(text) else { return nil }
        self.steps = steps
    }

    /// Returns the values that match, in the order of the text.
    ///
    /// - Throws: ``JSONError/tooMuch`` after ``maxVisited`` values.
    package func values(in json: JSONValue) throws(JSONError) -> [JSONValue] {
        var found = [json]
        var room = Self.maxVisited
        for step in steps {
            var next: [JSONValue] = []
            for value in found { try Self.apply(step, to: value, room: &room, into: &next) }
            found = next
        }
        return found
    }

    private static func apply(
        _ step: Step, to value: JSONValue, room: inout Int, into found: inout [JSONValue]
    ) throws(JSONError) {
        room -= 1
        guard room >= 0 else { throw .tooMuch }
        switch step {
        case .name(let name): if let value = value[name] { found.append(value) }
        case .index(let index): if let value = item(index, of: value) { found.append(value) }
        case .wildcard:
            room -= value.children.count
            guard room >= 0 else { throw .tooMuch }
            found += value.children
        case .filter(let filter):
            for child in value.children {
                room -= 1
                guard room >= 0 else { throw .tooMuch }
                if filter.accepts(child) { found.append(child) }
            }
        case .descendant(let inner):
            try apply(inner, to: value, room: &room, into: &found)
            for child in value.children { try apply(step, to: child, room: &room, into: &found) }
        }
    }

    /// Returns an item of an array. A negative index counts from the end (section 2.3.3).
    fileprivate static func item(_ index: Int, of value: JSONValue) -> JSONValue? {
        guard case .array(let items) = value else { return nil }
        return value[index < 0 ? items.count + index : index]
    }
}

extension JSONPath.Filter {
    func accepts(_ item: JSONValue) -> Bool {
        let value = path.reduce(item as JSONValue?) { value, step in
            switch step {
            case .name(let name): value?[name]
            case .index(let index): value.flatMap { JSONPath.item(index, of: $0) }
            default: nil
            }
        }
        switch comparison {
        case .exists: return value != nil
        // Section 2.3.5.2.2: an absent value equals no literal.
        case .equal(let literal): return value.map { Self.areEqual($0, literal) } ?? false
        case .unequal(let literal): return !(value.map { Self.areEqual($0, literal) } ?? false)
        }
    }

    /// Returns whether two values are equal. Numbers compare by value if they are exact.
    private static func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        if case .number(let first) = left, case .number(let second) = right, first != second,
            let first = Double(first), let second = Double(second), abs(first) < 0x1p53
        {
            return first == second
        }
        return left == right
    }
}
