/// Whether an answer could be one of several answers to another question: the same but for what differs among those as well, such
/// as dates and numbers of requests (PITFALLS row 6).
enum Uniformity {
    /// The same of what was asked with other values, which the answers may repeat (``RepeatedInput``).
    static func difference(of exchange: Exchange, to others: [Exchange]) -> String? {
        guard let answer = exchange.answer,
            let difference = difference(of: answer, to: others.compactMap(\.answer))
        else { return nil }
        var exchanged: [RawAnswer] = []
        for other in others {
            guard let theirs = other.answer else { continue }
            let input = RepeatedInput(of: other.probe.fields, as: exchange.probe.fields)
            guard let theirs = input.exchanged(in: theirs, like: answer) else { return difference }
            exchanged.append(theirs)
        }
        return Self.difference(of: answer, to: exchanged)
    }

    /// What shows that it is not one of them; nil where nothing does.
    ///
    /// - Parameter others: to one and the same question, one at least.
    static func difference(of answer: RawAnswer, to others: [RawAnswer]) -> String? {
        guard let first = others.first else { return nil }
        guard others.contains(where: { $0.status == answer.status }) else {
            return "\(answer.status) and \(first.status)"
        }
        if !isAlike(text(answer), others.map(text)) { return "their bodies differ" }
        let names = names(answer)
        let theirs = others.map(Self.names)
        let always = theirs.dropFirst().reduce(theirs[0]) { $0.intersection($1) }
        let sometimes = theirs.dropFirst().reduce(theirs[0]) { $0.union($1) }
        let strange = always.subtracting(names).union(names.subtracting(sometimes))
        if let name = strange.min() { return "their header fields differ (\(Printable.told(name)))" }
        // What comes with some of the others alone varies by itself.
        let unlike = names.intersection(always).sorted().first { name in
            !isAlike(answer[name] ?? "", others.compactMap { $0[name] })
        }
        return unlike.map { "their header fields differ (\(Printable.told($0)))" }
    }

    /// These follow from when the answer was made, and from the body, which is compared itself.
    private static let ignored: Set = ["date", "content-length"]

    private static func names(_ answer: RawAnswer) -> Set<String> {
        Set(answer.fields.map { $0.name.lowercased() }).subtracting(ignored)
    }

    private static func text(_ answer: RawAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    /// Compares word by word; words that differ among the others may be anything.
    private static func isAlike(_ text: String, _ others: [String]) -> Bool {
        if others.contains(text) { return true }
        if let verdict = compare(words(text), others.map(words)) { return verdict }
        // Even their numbers of words differ. Without comments, where such things stand, they may be alike.
        return compare(words(Comments.removed(from: text)), others.map { words(Comments.removed(from: $0)) }) ?? true
    }

    /// Nil where the others have too little in common to be compared with.
    private static func compare(_ words: [Substring], _ others: [[Substring]]) -> Bool? {
        guard Set(others.map(\.count)).count == 1, let first = others.first else { return nil }
        guard words.count == first.count else { return false }
        return words.indices.allSatisfy { index in
            others.contains { $0[index] != first[index] } || words[index] == first[index]
        }
    }

    /// What stands between spaces and the marks of markup, and each of these.
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
