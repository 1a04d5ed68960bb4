import Gatefold

/// One verdict on an edition of the verdicts of several members.
///
/// One that grants is enough, whatever befell the others. Without it, everyone's answer counts: one that could not be asked
/// might have granted. Where some refuse and others have no verdict of their own, the others' subscriptions decide, and
/// theirs alone: a member's "everything" does not open what that member refuses.
struct VerdictUnion {
    enum Outcome: Equatable {
        case verdict(EditionVerdict?)
        /// The subscriptions of these members, and those already told; or else the refusal.
        case subscriptions(of: [Int], told: [Subscription], otherwise: Refusal)
    }

    struct Refusal: Equatable {
        let reason: CredentialsRefusal.Reason?
        let message: String?
    }

    private var answers: [Result<EditionVerdict?, any Error>?]

    init(count: Int) {
        answers = Array(repeating: nil, count: count)
    }

    /// Returns true when the verdict is "granted" already.
    mutating func take(_ answer: Result<EditionVerdict?, any Error>, from member: Int) -> Bool {
        answers[member] = answer
        if case .success(.granted) = answer { return true }
        return false
    }

    /// - Throws: the error of the first that could not be asked.
    func outcome() throws -> Outcome {
        let answers = answers.compactMap(\.self)
        // Before the failures: whoever failed could only have granted, too.
        for case .success(.granted) in answers { return .verdict(.granted) }
        let verdicts = try answers.map { try $0.get() }
        var (undecided, told, refusals): ([Int], [Subscription], [Refusal]) = ([], [], [])
        for (member, verdict) in verdicts.enumerated() {
            switch verdict {
            case nil: undecided.append(member)
            case .granted: break
            case .refused(let reason, let message): refusals.append(Refusal(reason: reason, message: message))
            case .leftTo(let subscriptions, otherwise: let reason, message: let message):
                told += subscriptions
                refusals.append(Refusal(reason: reason, message: message))
            }
        }
        // Also for nobody at all: their subscription says that they are unknown.
        guard let refusal = refusals.first else { return .verdict(nil) }
        if undecided.isEmpty, told.isEmpty { return .verdict(.refused(refusal.reason, message: refusal.message)) }
        return .subscriptions(of: undecided, told: told, otherwise: refusal)
    }
}
