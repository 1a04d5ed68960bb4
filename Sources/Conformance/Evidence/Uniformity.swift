/// A test of whether a response could be one of several responses to another request. Values that differ among
/// those responses, such as dates and request numbers, may differ here too.
///
/// Source: Pitfall 6, “User enumeration”.
enum Uniformity {
    /// Returns the difference to exchanges whose requests had other values, which the responses may repeat
    /// (``EchoedInput``).
    static func difference(of exchange: Exchange, to others: [Exchange]) -> String? {
        guard let response = exchange.response,
            let difference = difference(of: response, to: others.compactMap(\.response))
        else { return nil }
        var exchanged: [ReceivedResponse] = []
        for other in others {
            guard let theirs = other.response else { continue }
            let input = EchoedInput(of: other.probe.fields, as: exchange.probe.fields)
            guard let theirs = input.exchanged(in: theirs, like: response) else { return difference }
            exchanged.append(theirs)
        }
        return Self.difference(of: response, to: exchanged)
    }

    /// Returns the difference that shows that the response is not one of the others, or nil if there is none.
    ///
    /// - Parameter others: Responses to one and the same request. At least one.
    static func difference(of response: ReceivedResponse, to others: [ReceivedResponse]) -> String? {
        guard let first = others.first else { return nil }
        guard others.contains(where: { $0.status == response.status }) else {
            return "the statuses differ (\(response.status) and \(first.status))"
        }
        if !isAlike(text(response), others.map(text)) { return "the bodies differ" }
        let names = names(response)
        let theirs = others.map(Self.names)
        let always = theirs.dropFirst().reduce(theirs[0]) { $0.intersection($1) }
        let sometimes = theirs.dropFirst().reduce(theirs[0]) { $0.union($1) }
        let strange = always.subtracting(names).union(names.subtracting(sometimes))
        if let name = strange.min() { return "the header fields differ (\(Printable.redacted(name)))" }
        // A field that only some of the others have varies for reasons of its own.
        let unlike = names.intersection(always).sorted().first { name in
            !isAlike(response[name] ?? "", others.compactMap { $0[name] })
        }
        return unlike.map { "the header fields differ (\(Printable.redacted($0)))" }
    }

    /// The date depends on the time of the response. The length depends on the body, which is compared itself.
    private static let ignored: Set = ["date", "content-length", "x-request-id"]

    private static func names(_ response: ReceivedResponse) -> Set<String> {
        Set(response.fields.map { $0.name.lowercased() }).subtracting(ignored)
    }

    private static func text(_ response: ReceivedResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    /// Compares the texts token by token. A token that differs among the others may have any value.
    private static func isAlike(_ text: String, _ others: [String]) -> Bool {
        if others.contains(text) { return true }
        if let verdict = compare(words(text), others.map(words)) { return verdict }
        // The numbers of tokens differ among the others. Varying content is often in comments, so the texts are
        // compared without them.
        return compare(words(Comments.removed(from: text)), others.map { words(Comments.removed(from: $0)) }) ?? true
    }

    /// Returns nil if the others have too little in common for a comparison.
    private static func compare(_ words: [Substring], _ others: [[Substring]]) -> Bool? {
        guard Set(others.map(\.count)).count == 1, let first = others.first else { return nil }
        guard words.count == first.count else { return false }
        return words.indices.allSatisfy { index in
            others.contains { $0[index] != first[index] } || words[index] == first[index]
        }
    }

    /// Returns the text between white space and markup delimiters, and each of these characters.
    private static func words(_ text: String) -> [Substring] {
        var words: [Substring] = []
        var start = text.startIndex
        for index in text.indices where text[index].isWhitespace || "<>\"';,".contains(text[index]) {
            if start < index { words.append(text[start..<index]) }
            start = text.index(after: index)
            words.append(text[index..<start])
        }
        return start < text.endIndex ? words + [text[start...]] : words
    }
}
