/// What can be made of an answer.
protocol AnswerModel: Sendable {
    /// - Throws: ``UnreadableAnswer`` naming what is missing.
    init(_ answer: Answer) throws(UnreadableAnswer)
}

/// An answer without something that everything depends on.
struct UnreadableAnswer: Error, Sendable, CustomStringConvertible {
    let description: String

    init(missing name: String) { description = "expected `\(name)` in the answer" }

    init(_ name: String, expected: String) { description = "expected \(expected) in `\(name)`" }
}

extension Answer {
    func required<Value>(_ name: String, _ read: (Answer) -> Value?) throws(UnreadableAnswer) -> Value {
        guard let value = self[name].flatMap(read) else { throw UnreadableAnswer(missing: name) }
        return value
    }

    /// Those items of a member's list that can be read.
    func models<Model: AnswerModel>(_ name: String, _ type: Model.Type = Model.self) -> [Model] {
        (self[name]?.list ?? []).compactMap { try? Model($0) }
    }

    func model<Model: AnswerModel>(_ name: String, _ type: Model.Type = Model.self) -> Model? {
        self[name].flatMap { try? Model($0) }
    }
}
