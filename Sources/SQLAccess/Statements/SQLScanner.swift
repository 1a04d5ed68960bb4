import Primitives

/// A scanner for the named parameters of a statement. It skips colons that start no parameter: in literals, quoted
/// names and comments, in casts (`::date`) and assignments (`:=`).
struct SQLScanner {
    private let input: [Unicode.Scalar]
    private let dialect: SQLDialect
    private var position = 0
    private var parts: [PlaceholderTemplate.Part] = []
    private var pending = String.UnicodeScalarView()
    /// A Boolean value that indicates whether a semicolon was read. Nothing may follow a semicolon.
    private var isAtEnd = false
    private var isEmpty = true

    private init(_ text: String, _ dialect: SQLDialect) {
        input = Array(text.unicodeScalars)
        self.dialect = dialect
    }

    /// Returns a statement without its comments and without a final semicolon.
    static func template(_ text: String, dialect: SQLDialect) throws(SQLStatementError) -> PlaceholderTemplate {
        var scanner = SQLScanner(text, dialect)
        return PlaceholderTemplate(parts: try scanner.scan())
    }

    private mutating func scan() throws(SQLStatementError) -> [PlaceholderTemplate.Part] {
        while position < input.count { try step() }
        flush()
        guard !isEmpty else { throw .empty }
        return parts
    }

    private mutating func step() throws(SQLStatementError) {
        let scalar = input[position]
        guard scalar.value != 0 else { throw .unacceptableCharacter }
        if isComment(scalar) { return try skipComment() }
        if scalar.properties.isWhitespace { return copy(1) }
        guard !isAtEnd else { throw .severalStatements }
        if scalar == ";" {
            isAtEnd = true
            position += 1
            return
        }
        isEmpty = false
        switch scalar {
        case "'": try quoted(by: "'", "a string in quotes", backslashes: hasEscapes(before: position))
        case "\"": try quoted(by: "\"", "a name in double quotes", backslashes: false)
        case "`" where dialect == .odbc: try quoted(by: "`", "a name in backquotes", backslashes: false)
        case "[" where dialect == .odbc: try quoted(by: "]", "a name in brackets", backslashes: false)
        case "?" where dialect == .odbc: throw .placeholder("?")
        case "$" where dialect == .postgreSQL && !isWord(at: position - 1): try dollar()
        case ":": try colon()
        default: copy(1)
        }
    }

    // MARK: Parameters

    private mutating func colon() throws(SQLStatementError) {
        if peek(1) == ":" || peek(1) == "=" { return copy(2) }
        guard let first = peek(1), Self.isLetter(first) else { return copy(1) }
        var end = position + 1
        while end < input.count, Self.isLetter(input[end]) || Self.isDigit(input[end]) { end += 1 }
        // A name that continues with other letters would be truncated.
        if end < input.count, input[end].properties.isAlphabetic { throw .ambiguous("a parameter with other letters") }
        flush()
        parts.append(.placeholder(text(position + 1, end)))
        position = end
    }

    private mutating func dollar() throws(SQLStatementError) {
        if let next = peek(1), Self.isDigit(next) { throw .placeholder("$\(next)") }
        var end = position + 1
        while end < input.count, isWord(at: end), input[end] != "$" { end += 1 }
        guard end < input.count, input[end] == "$" else { return copy(1) }
        let tag = Array(input[position...end])
        var close = end + 1
        while close + tag.count <= input.count {
            if input[close] == "$", input[close..<close + tag.count].elementsEqual(tag) {
                return try copyQuoted(to: close + tag.count)
            }
            close += 1
        }
        throw .unfinished("a string in dollar quotes")
    }

    // MARK: Quotes

    /// Copies a quoted text. A doubled quote represents a single quote.
    private mutating func quoted(
        by quote: Unicode.Scalar, _ what: String, backslashes: Bool
    ) throws(SQLStatementError) {
        var end = position + 1
        while end < input.count {
            if input[end] == "\\" {
                if backslashes {
                    end += 2
                    continue
                }
                if dialect == .odbc, end + 1 < input.count, input[end + 1] == quote || input[end + 1] == "\\" {
                    throw .ambiguous("a backslash before a quote or a backslash")
                }
            }
            if input[end] == quote {
                guard end + 1 < input.count, input[end + 1] == quote else { return try copyQuoted(to: end + 1) }
                end += 1
            }
            end += 1
        }
        throw .unfinished(what)
    }

    private mutating func copyQuoted(to end: Int) throws(SQLStatementError) {
        guard !input[position..<end].contains("\0") else { throw .unacceptableCharacter }
        copy(end - position)
    }

    /// Returns whether the quote opens an `E'…'` literal, in which a backslash escapes.
    private func hasEscapes(before quote: Int) -> Bool {
        guard dialect == .postgreSQL, quote > 0, input[quote - 1] == "E" || input[quote - 1] == "e" else {
            return false
        }
        return !isWord(at: quote - 2)
    }

    // MARK: Comments

    private func isComment(_ scalar: Unicode.Scalar) -> Bool {
        (scalar == "-" && peek(1) == "-") || (scalar == "/" && peek(1) == "*")
    }

    /// Skips a comment, which counts as a space.
    private mutating func skipComment() throws(SQLStatementError) {
        if !isAtEnd { pending.append(" ") }
        if input[position] == "-" {
            if dialect == .odbc, let next = peek(2), !next.properties.isWhitespace {
                throw .ambiguous("`--` without a space after it")
            }
            while position < input.count, input[position] != "\n", input[position] != "\r" { position += 1 }
            return
        }
        if dialect == .odbc, peek(2) == "!" { throw .ambiguous("a comment that begins with `/*!`") }
        var depth = 0
        while position < input.count {
            if input[position] == "*", peek(1) == "/" {
                depth -= 1
                position += 2
                if depth == 0 { return }
            } else if input[position] == "/", peek(1) == "*" {
                if dialect == .odbc, depth > 0 { throw .ambiguous("a comment inside a comment") }
                depth += 1
                position += 2
            } else {
                position += 1
            }
        }
        throw .unfinished("a comment")
    }

    // MARK: Letters

    private func peek(_ distance: Int) -> Unicode.Scalar? {
        position + distance < input.count ? input[position + distance] : nil
    }

    private mutating func copy(_ count: Int) {
        pending.append(contentsOf: input[position..<min(position + count, input.count)])
        position += count
    }

    private mutating func flush() {
        if !pending.isEmpty { parts.append(.literal(String(pending))) }
        pending = String.UnicodeScalarView()
    }

    private func text(_ start: Int, _ end: Int) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: input[start..<end])
        return String(view)
    }

    /// Returns whether the character belongs to a name in PostgreSQL: `a$1` is a name, and `$1` a parameter.
    private func isWord(at index: Int) -> Bool {
        guard input.indices.contains(index) else { return false }
        let scalar = input[index]
        return Self.isLetter(scalar) || Self.isDigit(scalar) || scalar == "$" || scalar.value >= 0x80
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
