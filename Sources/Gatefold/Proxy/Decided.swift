/// An answer that is known without asking anybody, for as long as it stands.
///
/// Nothing has happened by it yet: whoever gives it to a reader says so with ``PublicationProxy/give(_:)``, each time.
public struct Decided<Answer: Sendable>: Sendable {
    public let answer: Answer
    public let standing: Standing
    public let repetition: Repetition<Answer>
    let event: ProxyEvent?
    /// What an outage has to know of it.
    let words: [RefusalMemory.Word]

    init(
        _ answer: Answer, _ standing: Standing, _ event: ProxyEvent? = nil,
        words: [RefusalMemory.Word] = [], repetition: Repetition<Answer> = .same
    ) {
        self.answer = answer
        self.standing = standing
        self.repetition = repetition
        self.event = event
        self.words = words
    }
}

extension PublicationProxy {
    /// The answer, given: what is counted and remembered of it is.
    @discardableResult
    public func give<Answer>(_ decided: Decided<Answer>) -> Answer {
        // A refusal that came after the answer was found is not undone by it.
        let isCurrent = decided.words.isEmpty || decided.standing.holds(at: clock.now)
        for word in decided.words where word.isRefusal || isCurrent { refusals.note(word.key, refused: word.isRefusal) }
        if let event = decided.event { observe(event) }
        return decided.answer
    }

    /// How what every answer of this publication depends on is at present; taken before an answer is worked out.
    var standing: Standing {
        Standing([revocations.changes.mark, publication.rule.currentCatalogue.changes.mark])
    }
}
