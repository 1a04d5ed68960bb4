/// An answer that is known without asking anybody, for as long as it stands.
///
/// Nothing has happened by it yet: whoever gives it to a reader says so with ``PublicationProxy/give(_:)``, each time.
public struct Decided<Answer: Sendable>: Sendable {
    public let answer: Answer
    public let standing: Standing
    public let repetition: Repetition
    public let consequences: Consequences

    init(
        _ answer: Answer, _ standing: Standing, _ event: ProxyEvent? = nil,
        words: [DenialCache.Word] = [], repetition: Repetition = .same
    ) {
        self.answer = answer
        self.standing = standing
        self.repetition = repetition
        consequences = Consequences(event: event, words: words, standing: standing)
    }
}

/// What is counted and remembered each time an answer is given.
public struct Consequences: Sendable {
    let event: ProxyEvent?
    /// What an outage has to know of it, as long as the answer stands.
    let words: [DenialCache.Word]
    let standing: Standing
}

extension PublicationProxy {
    /// The answer, given: what follows from it has happened.
    func give<Answer>(_ decided: Decided<Answer>) -> Answer {
        give(decided.consequences)
        return decided.answer
    }

    /// The answer these belong to is given, by whoever has it.
    public func give(_ consequences: Consequences) {
        // A refusal that came after the answer was found is not undone by it.
        let isCurrent = consequences.words.isEmpty || consequences.standing.holds(at: clock.now)
        for word in consequences.words where word.isRefusal || isCurrent {
            denials.note(word.key, word.denial)
        }
        if let event = consequences.event { observe(event) }
    }

    /// How what every answer of this publication depends on is at present; taken before an answer is worked out.
    var standing: Standing {
        Standing([revocations.changes.mark, publication.rule.currentCatalogue.changes.mark])
    }
}
