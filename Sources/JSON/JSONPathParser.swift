/// A parser of ``JSONPath`` texts.
struct JSONPathParser {
    private var rest: Substring

    static func steps(_ text: String) -> [JSONPath.Step]? {
        guard text.hasPrefix("$") else { return nil }
        var parser = JSONPathParser(rest: text.dropFirst())
        var steps: [JSONPath.Step] = []
        while !parser.rest.isEmpty {
            guard let step = parser.step() else { return nil }
            steps.append(step)
        }
        return steps
    }

    private init(rest: Substring) {
        self.rest = rest
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest.removeFirst(text.count)
        return true
    }

    private mutating func skipSpace() {
        rest = rest.drop { " \t\n\r".contains($0) }
    }

    private mutating func step() -> JSONPath.Step? {
        if take("..") {
            if rest.hasPrefix("[") { return bracketed(allowsFilter: true).map { .descendant($0) } }
            if take("*") { return .descendant(.wildcard) }
            return shorthand().map { .descendant(.name($0)) }
        }
        if take(".") { return take("*") ? .wildcard : shorthand().map { .name($0) } }
        return bracketed(allowsFilter: true)
    }

    /// Reads a name without quotes (section 2.5.1.1).
    private mutating func shorthand() -> String? {
        let name = rest.prefix { character in
            character.unicodeScalars.allSatisfy {
                $0.value >= 0x80 || $0 == "_"
                    || ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
            }
        }
        guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else { return nil }
        rest = rest[name.endIndex...]
        return String(name)
    }

    private mutating func bracketed(allowsFilter: Bool) -> JSONPath.Step? {
        guard take("[") else { return nil }
        skipSpace()
        let step: JSONPath.Step?
        if take("*") {
            step = .wildcard
        } else if allowsFilter, take("?") {
            step = filter().map { .filter($0) }
        } else if rest.hasPrefix("'") || rest.hasPrefix("\"") {
            step = quoted().map { .name($0) }
        } else {
            step = index().map { .index($0) }
        }
        skipSpace()
        return take("]") ? step : nil
    }

    private mutating func index() -> Int? {
        guard let match = rest.prefixMatch(of: /0|-?[1-9][0-9]{0,9}/) else { return nil }
        rest = rest[match.range.upperBound...]
        return Int(match.output)
    }

    private mutating func quoted() -> String? {
        guard let quote = rest.popFirst() else { return nil }
        var text = ""
        while let character = rest.popFirst() {
            if character == quote { return text }
            if character == "\\" {
                guard let escaped = rest.popFirst(), "\\/'\"".contains(escaped) else { return nil }
                text.append(escaped)
            } else {
                text.append(character)
            }
        }
        return nil
    }

    /// Reads `@`, names or indices, and an optional comparison.
    private mutating func filter() -> JSONPath.Filter? {
        skipSpace()
        guard take("@") else { return nil }
        var path: [JSONPath.Step] = []
        while rest.hasPrefix("[") || rest.hasPrefix(".") {
            guard !rest.hasPrefix(".."),
                let step = take(".") ? shorthand().map({ .name($0) }) : bracketed(allowsFilter: false),
                step != .wildcard
            else { return nil }
            path.append(step)
        }
        skipSpace()
        if rest.hasPrefix("]") { return JSONPath.Filter(path: path, comparison: .exists) }
        let isEqual = take("==")
        guard isEqual || take("!=") else { return nil }
        skipSpace()
        guard let literal = literal() else { return nil }
        return JSONPath.Filter(path: path, comparison: isEqual ? .equal(literal) : .unequal(literal))
    }

    private mutating func literal() -> JSONValue? {
        if rest.hasPrefix("'") || rest.hasPrefix("\"") { return quoted().map { .string($0) } }
        if take("true") { return .boolean(true) }
        if take("false") { return .boolean(false) }
        if take("null") { return .null }
        let text = rest.prefix { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
        guard JSONValue.isNumber(String(text)) else { return nil }
        rest = rest[text.endIndex...]
        return .number(String(text))
    }
}
